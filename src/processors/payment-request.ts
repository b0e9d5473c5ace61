/**
 * Takes a payment request from acceptance to its last word.
 *
 *   creating ──▶ intend, durably ──▶ create upstream ──▶ pending ──▶ ask its status by reference number
 *
 * A creation cannot be asked about, and two requests could both be paid; so one that may have left us is never sent
 * again, but shown to a person. Only one that provably never left is.
 */
import { toMs } from '../lib/durations.ts';
import { statusPoll as declaration } from '../queues/status-poll.ts';
import type { CreatedPaymentRequest } from '../upstream/payments/types.ts';
import type { NotOk, Verdict } from '../upstream/verdict.ts';
import { eventOf } from './announced.ts';
import {
  type AttemptAt,
  type Tried,
  announceEnd,
  beginAt,
  evidenceOf,
  finish,
  retryLater,
  stayAt,
  waitForRecovery,
} from './attempt.ts';
import { type ProcessorContext, type AttemptResult, closedFor, waitAt, isRecovering } from './context.ts';
import { type Intent, intend, sendBy } from './intent.ts';
import { CREATE_LIMIT_MS } from './invoice-create.ts';
import { lookAtPaymentRequest } from './payment-request-look.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptAt<'payment_request'>;

export async function advancePaymentRequest(id: string, context: ProcessorContext): Promise<Tried> {
  const attempt = await beginAt('payment_request', id, 'status-poll', context);
  if ('outcome' in attempt) return attempt;
  const { record, at } = attempt;
  if (record.state !== 'creating') return lookAtPaymentRequest(attempt, context);
  if (record.intendedAt !== undefined)
    return announceEnd(attempt, context, 'needs_review', { reason: 'interrupted' });
  if (isRecovering(context)) return waitForRecovery(attempt, context);
  if (at - record.createdAt > CREATE_LIMIT_MS)
    return fail(attempt, context, { reason: 'not_created_in_time', hasEffect: true });
  return create(attempt, context);
}

async function create(attempt: Attempt, context: ProcessorContext): Promise<Tried> {
  const { account } = attempt;
  const wait = (dueInMs: number, because: string) => stayAt(attempt, context, { dueInMs, because });
  const closed = closedFor(context);
  if (closed) return wait(context.policy.holdRecheckMs, closed);
  // Asked before anything is written: between the re-read and the request nothing may wait.
  const admission = await context.upstream.admit(account, 'payments', 'act');
  if (!admission.admitted) return wait(admission.retryAfterMs, 'rate');
  const intended = await intend(attempt, intentOf(attempt.record), context);
  if ('outcome' in intended) return intended;
  const { askedAmount: amount, feesPaidBy, notify, email, phone } = attempt.record;
  const verdict = await context.upstream.payments.createPaymentRequest(
    account,
    { amount, feesPaidBy, notify, email, phone },
    { sendBy: sendBy(intended, context) },
  );
  if (verdict.is === 'ok') return publish(intended, verdict, context);
  return { ...(await settleNotCreated(intended, verdict, context)), failure: verdict };
}

function intentOf(record: Attempt['record']): Intent<'payment_request'> {
  const tries = record.tries;
  return {
    written: record,
    set: { '@intendedAt': 0 },
    evidence: { operation: 'create', code: 'intended', send: 1 },
    unsent: {
      to: 'creating',
      dueInMs: waitAt(RETRY_MS, tries),
      set: { intendedAt: '', tries: tries + 1 },
    },
  };
}

async function settleNotCreated(attempt: Attempt, verdict: NotOk, context: ProcessorContext): Promise<AttemptResult> {
  const evidence = evidenceOf('create', verdict);
  const how = { reason: verdict.code, failure: verdict.exchange.message, evidence };
  if (verdict.is === 'refused') return fail(attempt, context, how);
  const nothingHappened = verdict.exchange.sent === 'never' || verdict.is === 'config' || verdict.is === 'held';
  if (!nothingHappened) return announceEnd(attempt, context, 'needs_review', how);
  return retryLater(attempt, verdict, { waitsMs: RETRY_MS, evidence, set: { intendedAt: '' } }, context);
}

function publish(
  attempt: Attempt,
  { value, exchange }: Extract<Verdict<CreatedPaymentRequest>, { is: 'ok' }>,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = attempt;
  const { referenceNumber, url } = value;
  const tracked = referenceNumber !== undefined;
  return finish(attempt, context, {
    to: 'pending',
    // Sent by the service itself, it has no number to ask by: nobody will ever know more of it here.
    ...(tracked ? { dueInMs: waitAt(context.policy.paymentRequestPollMs, 0) } : {}),
    set: {
      '@publishedAt': 0,
      intendedAt: '',
      email: '',
      phone: '',
      ...(referenceNumber ? { referenceNumber } : {}),
      ...(url ? { url } : {}),
    },
    evidence: {
      operation: 'create',
      code: exchange.code,
      httpStatus: exchange.httpStatus,
      detail: tracked ? undefined : 'untracked',
    },
    ...(tracked ? {} : { event: eventOf(record, 'untracked', { tracked }) }),
    outcome: tracked ? 'advanced' : 'ended',
    reason: tracked ? 'created' : 'untracked',
  });
}

/** Whom it was for is forgotten with it. */
function fail(
  attempt: Attempt,
  context: ProcessorContext,
  ending: Parameters<typeof announceEnd>[3],
): Promise<AttemptResult> {
  return announceEnd(attempt, context, 'failed', { ...ending, set: { email: '', phone: '' } });
}

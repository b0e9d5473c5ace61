/**
 * Takes an invoice from acceptance to its last word.
 *
 *   creating ──▶ create upstream (invoice-create.ts) ──▶ pending ──▶ confirm, again and again ──▶ completed, …
 *
 * Whoever calls comes here: the caller who waits for the payment address, the due index, a callback. Confirm is the
 * only thing that is believed; a callback makes us ask it, and a payer who comes back to the shop proves nothing.
 */
import type { InvoiceRecord } from '../operations/record.ts';
import type { NotOk, Verdict } from '../upstream/verdict.ts';
import type { InvoiceRecord as ConfirmedInvoice } from '../upstream/payments/types.ts';
import {
  type AttemptAt,
  DAILY_MS,
  NUDGE_INTERVAL_MS,
  type Tried,
  announceEnd,
  beginAt,
  evidenceOf,
  stayAt,
  timeLeft,
} from './attempt.ts';
import { type ProcessorContext, type AttemptResult, waitAt } from './context.ts';
import { createInvoice } from './invoice-create.ts';
import { INVOICE_LIMIT_MS, type InvoiceJudgement, judgeInvoice } from './invoice-judge.ts';

export async function advanceInvoice(id: string, context: ProcessorContext): Promise<Tried> {
  const attempt = await beginAt('invoice', id, 'invoice-confirm', context);
  if ('outcome' in attempt) return attempt;
  if (attempt.record.state === 'creating') return createInvoice(attempt, context);
  return confirmInvoice(attempt, context);
}

type Attempt = AttemptAt<'invoice'>;

async function confirmInvoice(attempt: Attempt, context: ProcessorContext): Promise<Tried> {
  const { record, account } = attempt;
  const { token } = record;
  if (token === undefined) {
    return { ...(await stayAt(attempt, context, { because: 'no_token', did: 'idle' })), asked: true };
  }
  const admission = await context.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) return stayAt(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const verdict = await context.upstream.payments.confirmInvoice(account, { token });
  if (verdict.is !== 'ok') return { ...(await settleNoAnswer(attempt, verdict, context)), failure: verdict };
  return { ...(await settleLook(attempt, verdict, context)), asked: true };
}

/** No answer is no information, and an unknown token no result: only the time ends the asking. */
async function settleNoAnswer(attempt: Attempt, verdict: NotOk, context: ProcessorContext): Promise<AttemptResult> {
  const { record, at } = attempt;
  const evidence = evidenceOf('confirm', verdict);
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  if (record.state === 'pending' && left <= 0) {
    const because =
      verdict.exchange.sent === 'answered' && verdict.is === 'transient' ? 'not_found' : 'poll_exhausted';
    return settleReview(attempt, because, evidence, context);
  }
  const dueInMs = record.state === 'pending' ? Math.min(pollIn(record, context), left) : restOf(record, at);
  return stayAt(attempt, context, { dueInMs, because: verdict.code, did: 'retries', evidence });
}

async function settleLook(
  attempt: Attempt,
  { value, exchange }: Extract<Verdict<ConfirmedInvoice>, { is: 'ok' }>,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record, at, account } = attempt;
  const judgement = judgeInvoice(record, value, { at, mode: account.mode, pollMs: context.policy.invoicePollMs });
  const evidence = {
    operation: 'confirm',
    code: exchange.code,
    httpStatus: exchange.httpStatus,
    detail: value.status,
  };
  switch (judgement.is) {
    case 'look again': {
      const { dueInMs, because } = judgement;
      return stayAt(attempt, context, { dueInMs, because, did: 'advanced', evidence });
    }
    case 'over':
      return stayAt(attempt, context, { dueInMs: restOf(record, at), because: judgement.because, evidence });
    case 'review':
      return settleReview(attempt, judgement.because, evidence, context);
    case 'completed':
    case 'cancelled':
    case 'failed':
      return settleEnd(attempt, judgement, value, context);
    default:
      return judgement satisfies never;
  }
}

type End = Extract<InvoiceJudgement, { is: 'completed' | 'cancelled' | 'failed' }>;

function settleEnd(
  attempt: Attempt,
  end: End,
  answer: ConfirmedInvoice,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record, at } = attempt;
  const { receiptUrl } = answer;
  const failure = end.is === 'failed' ? failureOf(answer) : undefined;
  const reason = 'reason' in end ? end.reason : undefined;
  const more = {
    ...('amountPaid' in end ? { amountPaid: end.amountPaid } : {}),
    ...(receiptUrl ? { receiptUrl: receiptUrl.slice(0, 500) } : {}),
  };
  const late = end.is === 'completed' && end.late;
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  return announceEnd(attempt, context, end.is, {
    reason,
    failure,
    more,
    late,
    // Nothing forbids a payer to come back after a failure, so one more look is made when that is over.
    ...(end.is === 'completed' || left <= 0 ? {} : { dueInMs: left }),
    evidence: { operation: 'confirm', code: 'ok', detail: answer.status },
    nudgeAfterMs: NUDGE_INTERVAL_MS,
    because: late ? 'completed_late' : end.is,
  });
}

function settleReview(
  attempt: Attempt,
  reason: string,
  evidence: ReturnType<typeof evidenceOf>,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const how = { reason, dueInMs: DAILY_MS, evidence, hintAfterMs: NUDGE_INTERVAL_MS };
  return announceEnd(attempt, context, 'needs_review', how);
}

/** interface: Invoice status record, fail_reason and errors; only of card payments. */
function failureOf({ failReason, failure }: ConfirmedInvoice): string | undefined {
  return (failReason ?? failure?.description ?? failure?.message)?.slice(0, 200);
}

function pollIn(record: InvoiceRecord, context: ProcessorContext): number {
  return waitAt(context.policy.invoicePollMs, record.tries);
}

/** When one that is over is looked at again by itself: once more at the end of its time, and daily while in review. */
function restOf(record: InvoiceRecord, at: number): number | undefined {
  if (record.state === 'needs_review') return DAILY_MS;
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  return left > 0 ? left : undefined;
}

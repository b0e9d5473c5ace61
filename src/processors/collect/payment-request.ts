/**
 * Processes a payment request from acceptance to its final status.
 *
 *   creating ──▶ commit the intent ──▶ create at the provider ──▶ pending ──▶ check its status by reference number
 *
 * The provider cannot be asked about a creation, and two requests could both be paid. A request that may have left is
 * therefore never repeated: the operation needs review. A request that provably did not leave is repeated. A status
 * check changes nothing at the provider.
 */
import { toMs } from '../../lib/clock.ts';
import { statusPoll as declaration } from '../../queues/index.ts';
import { isUnknownRequest } from '../../provider/meaning.ts';
import type { CreatedPaymentRequest } from '../../provider/payments/ask.ts';
import type { NotOk, Verdict } from '../../provider/verdict.ts';
import { eventOf, named } from '../../operations/transition.ts';
import { type Attempt as AttemptOf, DAILY_MS, type Intent, type Tried, attempt } from '../attempt.ts';
import { type AttemptResult, evidenceOf, timeLeft, waitAt } from '../context.ts';
import { CLAIMED, TOKEN_COLLISION } from '../intent.ts';
import { mayBeCreated } from './creating.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

/** interface: Payment request status names no end. After this time an operator decides whether to check further. */
const LIMIT_MS = 30 * 86_400_000;

type Attempt = AttemptOf<'payment_request'>;
type Evidence = ReturnType<typeof evidenceOf>;

export const advancePaymentRequest = attempt('payment_request', 'status-poll', {
  creating: create,
  pending: look,
  needs_review: look,
  failed: look,
});

/** The customer's contact data is erased together with the request. */
const FORGOTTEN = { email: '', phone: '' } as const;

async function create(a: Attempt): Promise<Tried> {
  const { record } = a;
  if (record.intendedAt !== undefined) return a.announce('needs_review', { reason: 'interrupted' });
  await mayBeCreated(a, FORGOTTEN);
  const { askedAmount: amount, feesPaidBy, notify, email, phone } = a.record;
  const verdict = await a.send(intentOf(a.record), (account, call) => {
    return a.context.upstream.payments.createPaymentRequest(
      account,
      { amount, feesPaidBy, notify, email, phone },
      call,
    );
  });
  if (verdict.is === 'ok') return publish(a, verdict);
  return { ...(await settleNotCreated(a, verdict)), failure: verdict };
}

function intentOf(record: Attempt['record']): Intent<'payment_request'> {
  const { tries } = record;
  return {
    written: record,
    set: { '@intendedAt': 0 },
    evidence: { operation: 'create', code: '', send: 1 },
    unsent: () => ({ to: 'creating', dueInMs: waitAt(RETRY_MS, tries), set: { intendedAt: '', tries: tries + 1 } }),
  };
}

async function settleNotCreated(a: Attempt, verdict: NotOk): Promise<AttemptResult> {
  const evidence = evidenceOf('create', verdict);
  const told = { reason: verdict.code, failure: verdict.exchange.message, evidence };
  if (verdict.is === 'refused') return a.announce('failed', { ...told, set: FORGOTTEN });
  const nothingHappened = verdict.exchange.sent === 'never' || verdict.is === 'config' || verdict.is === 'held';
  if (!nothingHappened) return a.announce('needs_review', told);
  return a.retryLater(verdict, { waitsMs: RETRY_MS, evidence, set: { intendedAt: '' } });
}

async function publish(
  a: Attempt,
  { value, exchange }: Extract<Verdict<CreatedPaymentRequest>, { is: 'ok' }>,
): Promise<AttemptResult> {
  const { referenceNumber, url } = value;
  const { code, httpStatus } = exchange;
  const tracked = referenceNumber !== undefined;
  const evidence = { operation: 'create', code, httpStatus, detail: tracked ? undefined : 'untracked' };
  const published = await a.finish({
    to: 'pending',
    // The provider sent it itself and gave no reference number, so its status can never be checked.
    ...(tracked ? { dueInMs: waitAt(a.policy.paymentRequestPollMs, 0) } : {}),
    set: {
      '@publishedAt': 0,
      intendedAt: '',
      ...FORGOTTEN,
      ...(referenceNumber ? { referenceNumber } : {}),
      ...(url ? { url } : {}),
    },
    evidence,
    ...(tracked ? { claims: `request=${referenceNumber}` } : { event: eventOf(a.record, 'untracked', { tracked }) }),
    outcome: tracked ? 'advanced' : 'ended',
    reason: tracked ? 'created' : 'untracked',
  });
  if (published.reason !== CLAIMED || referenceNumber === undefined) return published;
  // One payment with it would complete both operations.
  const told = [evidence, named('referenceNumber', referenceNumber)];
  return a.announce('needs_review', { reason: TOKEN_COLLISION, evidence: told });
}

async function look(a: Attempt): Promise<Tried> {
  const { referenceNumber } = a.record;
  if (referenceNumber === undefined)
    return { ...(await a.stay({ reason: 'untracked', outcome: 'idle' })), asked: true };
  const verdict = await a.ask('look', (account) => {
    return a.context.upstream.payments.paymentRequestStatus(account, { referenceNumber });
  });
  if (verdict.is !== 'ok') {
    const exhausted = isUnknownRequest(verdict) ? 'not_found' : 'poll_exhausted';
    const evidence = evidenceOf('status', verdict);
    return { ...(await lookAgain(a, { reason: verdict.code, evidence, exhausted })), failure: verdict };
  }
  const { status } = verdict.value;
  const { code, httpStatus } = verdict.exchange;
  const evidence = { operation: 'status', code, httpStatus, detail: status };
  const { state } = a.record;
  const late = state === 'needs_review' || state === 'failed';
  if (status === 'completed') {
    return {
      ...(await a.announce(status, { evidence, late, ...(state === 'failed' ? { as: 'completed_late' } : {}) })),
      asked: true,
    };
  }
  if (state === 'failed')
    return { ...(await a.stay({ dueInMs: untilPromisedLook(a), reason: 'nothing_new', evidence })), asked: true };
  // A customer can retry after a failure: check once more.
  if (status === 'failed')
    return { ...(await a.announce(status, { evidence, late, dueInMs: DAILY_MS })), asked: true };
  const reason = status === 'pending' ? status : `status_${status.slice(0, 20)}`;
  return { ...(await lookAgain(a, { reason, evidence, exhausted: 'poll_exhausted' })), asked: true };
}

/** The promised check of a failed request stays due, even if a check is requested earlier. */
function untilPromisedLook({ record, at }: Attempt): number | undefined {
  const left = record.since + DAILY_MS - at;
  return left > 0 ? left : undefined;
}

async function lookAgain(
  a: Attempt,
  { reason, evidence, exhausted }: { reason: string; evidence: Evidence; exhausted: string },
): Promise<AttemptResult> {
  const { record, at } = a;
  // No other check is scheduled, and the provider has no further information.
  if (record.state === 'failed') {
    const isLate = at - record.since >= 2 * DAILY_MS || exhausted === 'not_found';
    const again = isLate ? undefined : waitAt(a.policy.paymentRequestPollMs, record.tries);
    return a.stay({
      dueInMs: untilPromisedLook(a) ?? again,
      reason,
      outcome: 'retries',
      evidence,
    });
  }
  // A request that needs review is checked only on demand: otherwise thousands of unpaid requests would be checked
  // for ever.
  if (record.state === 'needs_review') return a.stay({ reason, evidence });
  const left = timeLeft(record, LIMIT_MS, at);
  if (left <= 0) return a.announce('needs_review', { reason: exhausted, evidence });
  const dueInMs = Math.min(waitAt(a.policy.paymentRequestPollMs, record.tries), left);
  return a.stay({ dueInMs, reason, outcome: 'advanced', evidence });
}

/** Asks how a payment request stands. Asking changes nothing upstream. */
import type { NotOk, Verdict } from '../upstream/verdict.ts';
import { type AttemptAt, type Tried, announceEnd, evidenceOf, stayAt, timeLeft } from './attempt.ts';
import { type ProcessorContext, type AttemptResult, waitAt } from './context.ts';

/** interface: Payment request status names no end. After this somebody decides whether it is still worth asking. */
const LIMIT_MS = 30 * 86_400_000;

type Attempt = AttemptAt<'payment_request'>;
type Evidence = ReturnType<typeof evidenceOf>;

export async function lookAtPaymentRequest(attempt: Attempt, context: ProcessorContext): Promise<Tried> {
  const { record, account } = attempt;
  const { referenceNumber } = record;
  if (referenceNumber === undefined) {
    return { ...(await stayAt(attempt, context, { because: 'untracked', did: 'idle' })), asked: true };
  }
  const admission = await context.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) return stayAt(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const verdict = await context.upstream.payments.paymentRequestStatus(account, { referenceNumber });
  if (verdict.is !== 'ok') return { ...(await settleNoAnswer(attempt, verdict, context)), failure: verdict };
  return { ...(await settleLook(attempt, verdict, context)), asked: true };
}

async function settleLook(
  attempt: Attempt,
  { value, exchange }: Extract<Verdict<{ readonly status: string }>, { is: 'ok' }>,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { status } = value;
  const { code, httpStatus } = exchange;
  const evidence = { operation: 'status', code, httpStatus, detail: status };
  if (status === 'completed' || status === 'failed')
    return announceEnd(attempt, context, status, { evidence, late: attempt.record.state === 'needs_review' });
  const because = status === 'pending' ? status : `status_${status.slice(0, 20)}`;
  return lookAgain(attempt, context, { because, evidence, exhausted: 'poll_exhausted' });
}

async function settleNoAnswer(attempt: Attempt, verdict: NotOk, context: ProcessorContext): Promise<AttemptResult> {
  const exhausted = verdict.code === '4004' ? 'not_found' : 'poll_exhausted';
  const evidence = evidenceOf('status', verdict);
  return lookAgain(attempt, context, { because: verdict.code, evidence, exhausted });
}

async function lookAgain(
  attempt: Attempt,
  context: ProcessorContext,
  { because, evidence, exhausted }: { because: string; evidence: Evidence; exhausted: string },
): Promise<AttemptResult> {
  const { record, at } = attempt;
  // One that needs review is looked at when a person asks: thousands that nobody pays must not be asked about for ever.
  if (record.state === 'needs_review') return stayAt(attempt, context, { because, evidence });
  const left = timeLeft(record, LIMIT_MS, at);
  if (left <= 0) return announceEnd(attempt, context, 'needs_review', { reason: exhausted, evidence });
  const dueInMs = Math.min(waitAt(context.policy.paymentRequestPollMs, record.tries), left);
  return stayAt(attempt, context, { dueInMs, because, did: 'advanced', evidence });
}

/** Asks how a payment request stands. Asking changes nothing upstream. */
import type { NotOk, Verdict } from '../upstream/verdict.ts';
import { type AttemptAt, type Tried, announceEnd, evidenceOf, stayAt, timeLeft } from './attempt.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';

/** interface: Payment request status names no end. After this somebody decides whether it is still worth asking. */
const LIMIT_MS = 30 * 86_400_000;

type Attempt = AttemptAt<'payment_request'>;
type Evidence = ReturnType<typeof evidenceOf>;

export async function lookAtPaymentRequest(attempt: Attempt, bench: Bench): Promise<Tried> {
  const { record, account } = attempt;
  const { referenceNumber } = record;
  if (referenceNumber === undefined) {
    return { ...(await stayAt(attempt, bench, { because: 'untracked', did: 'idle' })), asked: true };
  }
  const admission = await bench.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) return stayAt(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const verdict = await bench.upstream.payments.paymentRequestStatus(account, { referenceNumber });
  if (verdict.is !== 'ok') return { ...(await settleNoAnswer(attempt, verdict, bench)), failure: verdict };
  return { ...(await settleLook(attempt, verdict, bench)), asked: true };
}

async function settleLook(
  attempt: Attempt,
  { value, seen }: Extract<Verdict<{ readonly status: string }>, { is: 'ok' }>,
  bench: Bench,
): Promise<Settlement> {
  const { status } = value;
  const { code, httpStatus } = seen;
  const evidence = { operation: 'status', code, httpStatus, detail: status };
  if (status === 'completed' || status === 'failed')
    return announceEnd(attempt, bench, status, { evidence, late: attempt.record.state === 'needs_review' });
  const because = status === 'pending' ? status : `status_${status.slice(0, 20)}`;
  return lookAgain(attempt, bench, { because, evidence, exhausted: 'poll_exhausted' });
}

async function settleNoAnswer(attempt: Attempt, verdict: NotOk, bench: Bench): Promise<Settlement> {
  const exhausted = verdict.code === '4004' ? 'not_found' : 'poll_exhausted';
  const evidence = evidenceOf('status', verdict);
  return lookAgain(attempt, bench, { because: verdict.code, evidence, exhausted });
}

async function lookAgain(
  attempt: Attempt,
  bench: Bench,
  { because, evidence, exhausted }: { because: string; evidence: Evidence; exhausted: string },
): Promise<Settlement> {
  const { record, at } = attempt;
  // One that needs review is looked at when a person asks: thousands that nobody pays must not be asked about for ever.
  if (record.state === 'needs_review') return stayAt(attempt, bench, { because, evidence });
  const left = timeLeft(record, LIMIT_MS, at);
  if (left <= 0) return announceEnd(attempt, bench, 'needs_review', { reason: exhausted, evidence });
  const dueInMs = Math.min(waitAt(bench.policy.paymentRequestPollMs, record.tries), left);
  return stayAt(attempt, bench, { dueInMs, because, did: 'advanced', evidence });
}

/**
 * Takes an invoice from acceptance to its last word.
 *
 *   creating ──▶ create upstream (invoice-create.ts) ──▶ pending ──▶ confirm, again and again ──▶ completed, …
 *
 * Whoever calls comes here: the caller who waits for the payment address, the due index, a callback. Confirm is the
 * only thing that is believed; a callback makes us ask it, and a payer who comes back to the shop proves nothing.
 */
import type { InvoiceRecord } from '../operations/payment-records.ts';
import type { NotOk, Verdict } from '../upstream/verdict.ts';
import type { InvoiceRecord as ConfirmedInvoice } from '../upstream/payments/types.ts';
import {
  type AttemptAt,
  DAILY_MS,
  HINT_INTERVAL_MS,
  type Tried,
  announceEnd,
  beginAt,
  evidenceOf,
  stayAt,
  timeLeft,
} from './attempt.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { createInvoice } from './invoice-create.ts';
import { INVOICE_LIMIT_MS, type InvoiceJudgement, judgeInvoice } from './invoice-judge.ts';

export async function advanceInvoice(id: string, bench: Bench): Promise<Tried> {
  const attempt = await beginAt('invoice', id, 'invoice-confirm', bench);
  if ('did' in attempt) return attempt;
  if (attempt.record.state === 'creating') return createInvoice(attempt, bench);
  return confirmInvoice(attempt, bench);
}

type Attempt = AttemptAt<'invoice'>;

async function confirmInvoice(attempt: Attempt, bench: Bench): Promise<Tried> {
  const { record, account } = attempt;
  const { token } = record;
  if (token === undefined) {
    return { ...(await stayAt(attempt, bench, { because: 'no_token', did: 'idle' })), asked: true };
  }
  const admission = await bench.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) return stayAt(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const verdict = await bench.upstream.payments.confirmInvoice(account, { token });
  if (verdict.is !== 'ok') return { ...(await settleNoAnswer(attempt, verdict, bench)), failure: verdict };
  return { ...(await settleLook(attempt, verdict, bench)), asked: true };
}

/** No answer is no information, and an unknown token no result: only the time ends the asking. */
async function settleNoAnswer(attempt: Attempt, verdict: NotOk, bench: Bench): Promise<Settlement> {
  const { record, at } = attempt;
  const evidence = evidenceOf('confirm', verdict);
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  if (record.state === 'pending' && left <= 0) {
    const because = verdict.seen.sent === 'answered' && verdict.is === 'transient' ? 'not_found' : 'poll_exhausted';
    return settleReview(attempt, because, evidence, bench);
  }
  const dueInMs = record.state === 'pending' ? Math.min(pollIn(record, bench), left) : restOf(record, at);
  return stayAt(attempt, bench, { dueInMs, because: verdict.code, did: 'retries', evidence });
}

async function settleLook(
  attempt: Attempt,
  { value, seen }: Extract<Verdict<ConfirmedInvoice>, { is: 'ok' }>,
  bench: Bench,
): Promise<Settlement> {
  const { record, at, account } = attempt;
  const judgement = judgeInvoice(record, value, { at, mode: account.mode, pollMs: bench.policy.invoicePollMs });
  const evidence = { operation: 'confirm', code: seen.code, httpStatus: seen.httpStatus, detail: value.status };
  switch (judgement.is) {
    case 'look again': {
      const { dueInMs, because } = judgement;
      return stayAt(attempt, bench, { dueInMs, because, did: 'advanced', evidence });
    }
    case 'over':
      return stayAt(attempt, bench, { dueInMs: restOf(record, at), because: judgement.because, evidence });
    case 'review':
      return settleReview(attempt, judgement.because, evidence, bench);
    case 'completed':
    case 'cancelled':
    case 'failed':
      return settleEnd(attempt, judgement, value, bench);
    default:
      return judgement satisfies never;
  }
}

type End = Extract<InvoiceJudgement, { is: 'completed' | 'cancelled' | 'failed' }>;

function settleEnd(attempt: Attempt, end: End, answer: ConfirmedInvoice, bench: Bench): Promise<Settlement> {
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
  return announceEnd(attempt, bench, end.is, {
    reason,
    failure,
    more,
    late,
    // Nothing forbids a payer to come back after a failure, so one more look is made when that is over.
    ...(end.is === 'completed' || left <= 0 ? {} : { dueInMs: left }),
    evidence: { operation: 'confirm', code: 'ok', detail: answer.status },
    hintAfterMs: HINT_INTERVAL_MS,
    because: late ? 'completed_late' : end.is,
  });
}

function settleReview(
  attempt: Attempt,
  reason: string,
  evidence: ReturnType<typeof evidenceOf>,
  bench: Bench,
): Promise<Settlement> {
  const how = { reason, dueInMs: DAILY_MS, evidence, hintAfterMs: HINT_INTERVAL_MS };
  return announceEnd(attempt, bench, 'needs_review', how);
}

/** interface: Invoice status record, fail_reason and errors; only of card payments. */
function failureOf({ failReason, failure }: ConfirmedInvoice): string | undefined {
  return (failReason ?? failure?.description ?? failure?.message)?.slice(0, 200);
}

function pollIn(record: InvoiceRecord, bench: Bench): number {
  return waitAt(bench.policy.invoicePollMs, record.tries);
}

/** When one that is over is looked at again by itself: once more at the end of its time, and daily while in review. */
function restOf(record: InvoiceRecord, at: number): number | undefined {
  if (record.state === 'needs_review') return DAILY_MS;
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  return left > 0 ? left : undefined;
}

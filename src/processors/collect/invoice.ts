/**
 * Takes an invoice from acceptance to its last word.
 *
 *   creating ──▶ create upstream ──▶ pending ──▶ confirm, again and again ──▶ completed, …
 *
 * Every way in leads here: the caller that waits for the payment address, the due index, a callback. Creating may be
 * repeated, since nobody can pay what nobody was shown and upstream forgets it after a day; only one is ever handed
 * out, since the write that publishes succeeds once. Confirm is the only thing that is believed: a callback makes us
 * ask it, and a payer who comes back to the shop proves nothing.
 */
import type { RequestOf } from '../../kinds/index.ts';
import { toMs } from '../../lib/clock.ts';
import type { InvoiceRecord } from '../../operations/record.ts';
import { invoiceConfirm as declaration } from '../../queues/index.ts';
import type { InvoiceRecord as ConfirmedInvoice } from '../../upstream/payments/types.ts';
import type { NotOk, Verdict } from '../../upstream/verdict.ts';
import {
  type Attempt as AttemptOf,
  DAILY_MS,
  NUDGE_INTERVAL_MS,
  type Tried,
  attempt,
  evidenceOf,
  timeLeft,
} from '../attempt.ts';
import { type AttemptResult, waitAt } from '../context.ts';
import { INVOICE_LIMIT_MS, type InvoiceJudgement, judgeInvoice } from './invoice-judge.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptOf<'invoice'>;
type Evidence = ReturnType<typeof evidenceOf>;

export const advanceInvoice = attempt<'invoice', Tried>('invoice', 'invoice-confirm', (a) => {
  return a.record.state === 'creating' ? createInvoice(a) : confirmInvoice(a);
});

/** The caller has long given up waiting by then; what nobody sees is not made behind its back. */
export const CREATE_LIMIT_MS = 3_600_000;

/** What was asked is of no use once there is an address, or none. */
const FORGOTTEN = { request: '' } as const;

async function createInvoice(a: Attempt): Promise<Tried> {
  const { record, context, policy } = a;
  await a.notRecovering();
  await a.withinLimit(CREATE_LIMIT_MS, {
    from: record.createdAt,
    to: 'failed',
    reason: 'not_created_in_time',
    set: FORGOTTEN,
  });
  await a.turn('act');
  if ((await context.heartbeat?.raise()) === false) {
    return a.stay({ dueInMs: policy.holdRecheckMs, reason: 'recovering' });
  }
  const request = JSON.parse(record.request ?? '{}') as Omit<RequestOf<'invoice'>, 'account' | 'reference'>;
  const callbackUrl = context.callbackUrl(record.account, record.id, 'invoice');
  const verdict = await context.upstream.payments.createInvoice(a.account, { ...request, callbackUrl }, a.call());
  if (verdict.is === 'ok') {
    // Where somebody else has published theirs, ours is shown to nobody, and upstream cancels it by itself.
    const { token, url } = verdict.value;
    return a.finish({
      to: 'pending',
      dueInMs: waitAt(policy.invoicePollMs, 0),
      set: { token, url, '@publishedAt': 0, ...FORGOTTEN, keys: a.keys, mode: a.account.mode },
      evidence: { operation: 'create', code: 'ok' },
      outcome: 'advanced',
      reason: 'created',
    });
  }
  const evidence = evidenceOf('create', verdict);
  const told = { reason: verdict.code, failure: verdict.exchange.message, evidence, set: FORGOTTEN };
  const refused = verdict.is === 'refused';
  const ended = await (refused ? a.announce('failed', told) : a.retryLater(verdict, { waitsMs: RETRY_MS, evidence }));
  return { ...ended, failure: verdict };
}

async function confirmInvoice(a: Attempt): Promise<Tried> {
  const { context } = a;
  const { token } = a.record;
  if (token === undefined) return { ...(await a.stay({ reason: 'no_token', outcome: 'idle' })), asked: true };
  const verdict = await a.ask('look', (account) => context.upstream.payments.confirmInvoice(account, { token }));
  if (verdict.is !== 'ok') return { ...(await settleNoAnswer(a, verdict)), failure: verdict };
  return { ...(await settleLook(a, verdict)), asked: true };
}

/** No answer is no information, and an unknown token no result: only the time ends the asking. */
async function settleNoAnswer(a: Attempt, verdict: NotOk): Promise<AttemptResult> {
  const { record, at } = a;
  const evidence = evidenceOf('confirm', verdict);
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  if (record.state === 'pending' && left <= 0) {
    const notFound = verdict.exchange.sent === 'answered' && verdict.is === 'transient';
    return settleReview(a, notFound ? 'not_found' : 'poll_exhausted', evidence);
  }
  const pollIn = waitAt(a.policy.invoicePollMs, record.tries);
  const dueInMs = record.state === 'pending' ? Math.min(pollIn, left) : restOf(record, at);
  return a.stay({ dueInMs, reason: verdict.code, outcome: 'retries', evidence });
}

async function settleLook(
  a: Attempt,
  { value, exchange }: Extract<Verdict<ConfirmedInvoice>, { is: 'ok' }>,
): Promise<AttemptResult> {
  const { record, at, account } = a;
  const judgement = judgeInvoice(record, value, { at, mode: account.mode, pollMs: a.policy.invoicePollMs });
  const { code, httpStatus } = exchange;
  const evidence = { operation: 'confirm', code, httpStatus, detail: value.status };
  switch (judgement.is) {
    case 'look again': {
      const { dueInMs, because: reason } = judgement;
      return a.stay({ dueInMs, reason, outcome: 'advanced', evidence });
    }
    case 'over':
      return a.stay({ dueInMs: restOf(record, at), reason: judgement.because, evidence });
    case 'review':
      return settleReview(a, judgement.because, evidence);
    case 'completed':
    case 'cancelled':
    case 'failed':
      return settleEnd(a, judgement, value);
    default:
      return judgement satisfies never;
  }
}

type End = Extract<InvoiceJudgement, { is: 'completed' | 'cancelled' | 'failed' }>;

function settleEnd(a: Attempt, end: End, answer: ConfirmedInvoice): Promise<AttemptResult> {
  const { record, at } = a;
  const { receiptUrl } = answer;
  const failure = end.is === 'failed' ? failureOf(answer) : undefined;
  const reason = 'reason' in end ? end.reason : undefined;
  const more = {
    ...('amountPaid' in end ? { amountPaid: end.amountPaid } : {}),
    ...(receiptUrl ? { receiptUrl: receiptUrl.slice(0, 500) } : {}),
  };
  const late = end.is === 'completed' && end.late;
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  return a.announce(end.is, {
    reason,
    failure,
    more,
    late,
    // Nothing forbids a payer to come back after a failure, so one more look is made when that is over.
    ...(end.is === 'completed' || left <= 0 ? {} : { dueInMs: left }),
    evidence: { operation: 'confirm', code: 'ok', detail: answer.status },
    nudgeAfterMs: NUDGE_INTERVAL_MS,
    as: late ? 'completed_late' : end.is,
  });
}

function settleReview(a: Attempt, reason: string, evidence: Evidence): Promise<AttemptResult> {
  return a.announce('needs_review', { reason, dueInMs: DAILY_MS, evidence, nudgeAfterMs: NUDGE_INTERVAL_MS });
}

/** interface: Invoice status record, fail_reason and errors; only of card payments. */
function failureOf({ failReason, failure }: ConfirmedInvoice): string | undefined {
  return (failReason ?? failure?.description ?? failure?.message)?.slice(0, 200);
}

/** When one that is over is looked at again by itself: once more at the end of its time, and daily while in review. */
function restOf(record: InvoiceRecord, at: number): number | undefined {
  if (record.state === 'needs_review') return DAILY_MS;
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  return left > 0 ? left : undefined;
}

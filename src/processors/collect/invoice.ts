/**
 * Processes an invoice from acceptance to its final status.
 *
 *   creating ──▶ create at the provider ──▶ pending ──▶ confirm, repeatedly ──▶ completed, …
 *
 * The waiting caller, the due index and callbacks all start here. Creating can be repeated: an address that was never
 * published cannot be paid, and the provider drops it after a day. Only one address is published, because the write
 * that publishes it succeeds once. Only the confirm request is trusted: a callback triggers it, and a payer who
 * returns to the shop proves nothing.
 */
import type { RequestOf } from '../../kinds/index.ts';
import { toMs } from '../../lib/clock.ts';
import type { InvoiceRecord } from '../../operations/record.ts';
import {
  type EvidenceDraft,
  type FieldValues,
  type Said,
  WRONG_HASH,
  claimsSuccess,
  named,
  readEvidence,
} from '../../operations/transition.ts';
import { invoiceConfirm as declaration } from '../../queues/index.ts';
import { UNPAID_INVOICE_LIFETIME_MS } from '../../provider/lifetimes.ts';
import { isUnknownInvoice } from '../../provider/meaning.ts';
import type { InvoiceRecord as ConfirmedInvoice } from '../../provider/payments/ask.ts';
import type { NotOk, Verdict } from '../../provider/verdict.ts';
import { type Attempt as AttemptOf, DAILY_MS, NUDGE_INTERVAL_MS, type Tried, attempt } from '../attempt.ts';
import { type AttemptResult, type Policy, evidenceOf, timeLeft, waitAt } from '../context.ts';
import { CLAIMED, TOKEN_COLLISION } from '../intent.ts';
import { mayBeCreated } from './creating.ts';
import { detailsIn } from './invoice-details.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptOf<'invoice'>;

export const advanceInvoice = attempt('invoice', 'invoice-confirm', {
  creating: createInvoice,
  pending: confirmInvoice,
  needs_review: confirmInvoice,
  cancelled: confirmInvoice,
  failed: confirmInvoice,
});

/** The request is no longer needed once the address exists or the creation has failed. */
const FORGOTTEN = { request: '' } as const;

async function createInvoice(a: Attempt): Promise<Tried> {
  const { record, context, policy } = a;
  await mayBeCreated(a, FORGOTTEN);
  await a.turn('act');
  if ((await context.life?.raise()) === false) {
    return a.stay({ dueInMs: policy.holdRecheckMs, reason: 'recovering' });
  }
  const request = JSON.parse(record.request ?? '{}') as Omit<RequestOf<'invoice'>, 'account' | 'reference'>;
  const callbackUrl = context.callbackUrl(record.account, record.id, 'invoice');
  const verdict = await context.upstream.payments.createInvoice(a.account, { ...request, callbackUrl }, a.call());
  if (verdict.is === 'ok') {
    // If another attempt published its address first, ours is never shown, and the provider cancels it later.
    const { token, url } = verdict.value;
    const evidence = { operation: 'create', code: 'ok' };
    const published = await a.finish({
      to: 'pending',
      dueInMs: waitAt(policy.invoicePollMs, 0),
      set: { token, url, '@publishedAt': 0, ...FORGOTTEN, keys: a.keys, mode: a.account.mode },
      evidence,
      claims: `invoice=${token}`,
      outcome: 'advanced',
      reason: 'created',
    });
    if (published.reason !== CLAIMED) return published;
    // One payment with it would complete both operations.
    const told = [evidence, named('token', token)];
    return a.announce('needs_review', { reason: TOKEN_COLLISION, evidence: told, set: FORGOTTEN });
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

/** A missing answer is no information, and an unknown token is no result. Only the time limit ends the checks. */
async function settleNoAnswer(a: Attempt, verdict: NotOk): Promise<AttemptResult> {
  const { record, at } = a;
  const evidence = evidenceOf('confirm', verdict);
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  const isUnknown = isUnknownInvoice(verdict);
  if (record.state === 'pending' && left <= 0) {
    return settleReview(a, isUnknown ? 'not_found' : 'poll_exhausted', evidence);
  }
  const pollIn = waitAt(a.policy.invoicePollMs, record.tries);
  const dueInMs = record.state === 'pending' ? Math.min(pollIn, left) : lookAgainIn(a, isUnknown);
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
  const isLess = 'because' in judgement && judgement.because === 'amount_mismatch';
  const amountNamed = isLess ? Math.min(...amountsIn(value)) : '';
  const set = { amountNamed };
  // The amount is reported only once.
  const isNews = isLess && amountNamed !== record.amountNamed;
  const said = isNews ? [evidence, ...lessNamed(record, value)] : [evidence];
  switch (judgement.is) {
    case 'look again': {
      const { dueInMs, because: reason } = judgement;
      return a.stay({ dueInMs, reason, outcome: 'advanced', evidence });
    }
    case 'over':
      return a.stay({ dueInMs: lookAgainIn(a, true), reason: judgement.because, evidence: said, set });
    case 'review': {
      const told = isLess ? said : [...said, ...othersNamed(a, value)];
      return settleReview(a, judgement.because, told, { set, details: detailsOf(a, value) });
    }
    case 'completed':
    case 'cancelled':
    case 'failed':
      return settleEnd(a, judgement, value);
    default:
      return judgement satisfies never;
  }
}

/** An operator compares it with the provider's dashboard. */
function lessNamed(record: InvoiceRecord, answer: ConfirmedInvoice): EvidenceDraft[] {
  if (answer.status !== 'completed') return [];
  const amounts = { amount: answer.totalAmount, total_amount_without_fees: answer.totalWithoutFees };
  return Object.entries(amounts).flatMap(([what, amount]) =>
    amount === undefined || amount >= record.totalAmount ? [] : [named(what, amount)],
  );
}

/** The answer is about another invoice or another mode. */
function othersNamed({ record, account }: Attempt, answer: ConfirmedInvoice): EvidenceDraft[] {
  const { token, mode } = answer;
  return [
    ...lessNamed(record, answer),
    ...(token === undefined || token === record.token ? [] : [named('token', token)]),
    ...(mode === undefined || mode === account.mode ? [] : [named('mode', mode)]),
  ];
}

/** None of another invoice. */
function detailsOf({ record, account }: Attempt, answer: ConfirmedInvoice): FieldValues {
  return mismatchOf(record, answer, account.mode) === undefined ? detailsIn(answer) : {};
}

type End = Extract<InvoiceJudgement, { is: 'completed' | 'cancelled' | 'failed' }>;

function settleEnd(a: Attempt, end: End, answer: ConfirmedInvoice): Promise<AttemptResult> {
  const { record, at } = a;
  const { receiptUrl } = answer;
  const failure = end.is === 'failed' ? failureOf(answer) : undefined;
  const reason = 'reason' in end ? end.reason : undefined;
  const more = {
    ...('amountPaid' in end ? { amountPaid: end.amountPaid } : {}),
    ...(receiptUrl ? { receiptUrl } : {}),
  };
  const late = end.is === 'completed' && end.late;
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  return a.announce(end.is, {
    reason,
    failure,
    more,
    details: detailsIn(answer),
    late,
    // A payer can retry after a failure, so the invoice is checked once more at the end of its lifetime.
    ...(end.is === 'completed' || left <= 0 ? {} : { dueInMs: left }),
    evidence: { operation: 'confirm', code: 'ok', detail: answer.status },
    nudgeAfterMs: NUDGE_INTERVAL_MS,
    as: late ? 'completed_late' : end.is,
  });
}

function settleReview(
  a: Attempt,
  reason: string,
  evidence: Said,
  more: { readonly set?: FieldValues; readonly details?: FieldValues } = {},
): Promise<AttemptResult> {
  const nudgeAfterMs = NUDGE_INTERVAL_MS;
  return a.announce('needs_review', { reason, dueInMs: DAILY_MS, evidence, nudgeAfterMs, ...more });
}

/** interface: Invoice status record, fail_reason and errors; only of card payments. */
function failureOf({ failReason, failure }: ConfirmedInvoice): string | undefined {
  return (failReason ?? failure?.description ?? failure?.message)?.slice(0, 200);
}

/** For this long after a callback reported the payment, the provider may return the earlier status. */
const LAG_MS = 1_800_000;

/**
 * When a finished invoice is checked again. In review: daily. Otherwise: once, at the end of its lifetime. Sooner if
 * an outdated answer may have hidden a payment, or if a requested check got no answer.
 */
function lookAgainIn({ record, at, policy }: Attempt, isAnswered: boolean): number | undefined {
  const left = timeLeft(record, INVOICE_LIMIT_MS, at);
  const rest = record.state === 'needs_review' ? DAILY_MS : left > 0 ? left : undefined;
  const ended = left > 0 ? undefined : at + left;
  const since = isAnswered ? saidPaidAt(record) : latest(record.hintedAt, ended);
  const passedMs = since === undefined ? Number.POSITIVE_INFINITY : Math.abs(at - since);
  if (passedMs >= (isAnswered ? LAG_MS : DAILY_MS)) return rest;
  const soon = policy.invoicePollMs.findLast((ms) => ms <= passedMs) ?? waitAt(policy.invoicePollMs, 0);
  return Math.min(soon, rest ?? soon);
}

function latest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** When a source that can know reported the payment. */
function saidPaidAt(record: InvoiceRecord): number | undefined {
  const said = readEvidence(record).lines.filter(({ operation }) => operation === 'callback');
  return said.findLast((line) => claimsSuccess(line) && line.detail !== WRONG_HASH)?.at;
}

/**
 * Interprets the answer of the confirm request. Pure, so one table test covers the whole policy. An invoice is
 * completed only by an answer that names this invoice, this mode, and at least the billed amount.
 */

export interface InvoiceAnswer {
  /** Lower case. */
  readonly status: string;
  readonly token?: string | undefined;
  /** Whole XOF. Absent: missing or unreadable in the answer. */
  readonly totalAmount?: number | undefined;
  /** Whole XOF, if the payer bears the fees. */
  readonly totalWithoutFees?: number | undefined;
  readonly mode?: string | undefined;
}

type InvoiceJudgement =
  | { readonly is: 'completed'; readonly late: boolean; readonly amountPaid?: number }
  | { readonly is: 'cancelled' | 'failed'; readonly reason?: string }
  | { readonly is: 'look again'; readonly dueInMs: number; readonly because: string }
  | { readonly is: 'review'; readonly because: string }
  /** The invoice is finished, and the answer changes nothing. */
  | { readonly is: 'over'; readonly because: string };

/** Clocks differ: wait one hour more, then check a last time. */
export const INVOICE_LIMIT_MS = UNPAID_INVOICE_LIFETIME_MS + 3_600_000;

interface Look {
  /** Start of the status check, by the clock of PostgreSQL. */
  readonly at: number;
  readonly mode: 'live' | 'test';
  readonly pollMs: Policy['invoicePollMs'];
}

export function judgeInvoice(record: InvoiceRecord, answer: InvoiceAnswer, look: Look): InvoiceJudgement {
  const over = record.state === 'cancelled' || record.state === 'failed';
  const differs = mismatchOf(record, answer, look.mode);
  if (differs) return record.state === 'pending' ? review(differs) : { is: 'over', because: differs };
  const { status } = answer;
  if (status === 'completed') return judgePaid(record, answer);
  if (over) return { is: 'over', because: status === record.state ? 'nothing_new' : `status_${word(status)}` };
  if (status === 'failed') return { is: 'failed' };
  if (status === 'cancelled') return cancelled(record, look.at);
  return judgeUnpaid(record, status, look);
}

/** The answer is about something other than what we asked. */
function mismatchOf(record: InvoiceRecord, answer: InvoiceAnswer, mode: Look['mode']): string | undefined {
  if (answer.token !== undefined && answer.token !== record.token) return 'mismatch_token';
  return answer.mode !== undefined && answer.mode !== mode ? 'mismatch_mode' : undefined;
}

function amountsIn({ totalAmount, totalWithoutFees }: InvoiceAnswer): readonly number[] {
  return [totalAmount, totalWithoutFees].filter((amount) => amount !== undefined);
}

function judgePaid(record: InvoiceRecord, answer: InvoiceAnswer): InvoiceJudgement {
  const told = amountsIn(answer);
  const because = told.length === 0 ? 'unreadable_amount' : 'amount_mismatch';
  const enough = told.length > 0 && told.every((amount) => amount >= record.totalAmount);
  // A payment was made, whatever was reported earlier. An operator who reviewed it later has seen the payment.
  const isKnown = record.state === 'needs_review' || (record.state !== 'pending' && record.resolvedBy !== undefined);
  if (!enough) return isKnown ? { is: 'over', because } : review(because);
  const paid = Math.max(...told);
  return {
    is: 'completed',
    late: record.state !== 'pending',
    ...(paid > record.totalAmount ? { amountPaid: paid } : {}),
  };
}

function cancelled(record: InvoiceRecord, at: number): InvoiceJudgement {
  // The provider uses one status for both; only the age distinguishes them.
  const expired = at - (record.publishedAt ?? record.createdAt) >= UNPAID_INVOICE_LIFETIME_MS;
  return { is: 'cancelled', ...(expired ? { reason: 'expired' } : {}) };
}

/** Pending, or an unknown status, which is not final either. */
function judgeUnpaid(record: InvoiceRecord, status: string, look: Look): InvoiceJudgement {
  const because = status === 'pending' ? 'pending' : `status_${word(status)}`;
  if (record.state === 'needs_review') return { is: 'over', because };
  const left = (record.publishedAt ?? record.createdAt) + INVOICE_LIMIT_MS - look.at;
  if (left <= 0) return review('poll_exhausted');
  return { is: 'look again', dueInMs: Math.min(waitAt(look.pollMs, record.tries), left), because };
}

function review(because: string): InvoiceJudgement {
  return { is: 'review', because };
}

function word(status: string): string {
  return status.slice(0, 20);
}

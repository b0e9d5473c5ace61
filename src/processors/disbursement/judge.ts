/**
 * Interprets a status check of a disbursement: the one place where a provider's status becomes a decision about
 * money. Pure, so one table test covers the whole policy.
 *
 * Only an answer that names our token and our disburse_id ends a payment, whether it is `success` or a failure. "Not
 * paid" counts only after two answers half a settle delay apart, because a caller that receives it may pay again.
 */
import { claimsUndone } from '../../operations/transition.ts';
import type { DisbursementRecord } from '../../operations/record.ts';
import { DISBURSE_TOKEN_AGE_MAX_MS } from '../../provider/lifetimes.ts';
import { DAILY_MS } from '../attempt.ts';
import { type Policy, waitAt } from '../context.ts';

export interface StatusAnswer {
  /** Lower case. */
  readonly status: string;
  readonly token?: string | undefined;
  /** Whole XOF. Absent: missing or unreadable in the answer. */
  readonly amount?: number | undefined;
  readonly amountRaw?: string | undefined;
  readonly disburseId?: string | undefined;
  readonly withdrawMode?: string | undefined;
}

/** Statuses that count only when they are seen twice; the name of the field with the time of the first one. */
export type Seen = 'createdSeenAt' | 'failedSeenAt' | 'unnamedSeenAt' | 'contrarySeenAt' | 'agreedSeenAt';

export type Judgement =
  | { readonly is: 'final'; readonly state: 'succeeded' | 'failed' | 'reversed'; readonly late: boolean }
  | { readonly is: 'pending'; readonly dueInMs: number }
  /** Not final: check again. `saw`: seen for the first time. */
  | { readonly is: 'look again'; readonly dueInMs: number; readonly because: string; readonly saw?: Seen }
  /** The provider reported twice, after the settle delay, that the submit was not executed. */
  | { readonly is: 'resubmit' }
  | { readonly is: 'review'; readonly because: string }
  /** The payment is finished, and the answer changes nothing. */
  | { readonly is: 'over'; readonly because: string };

const SENDS_MAX = 3;
/** Number of checks with a final status that does not name the payment. */
const UNNAMED_LOOKS_MAX = 3;

/**
 * For this many settle delays and checks, a non-final answer may be outdated. Also the number of settle delays
 * between two checks.
 */
const LAG_QUIETS = 30;
const LAG_QUIETS_APART = 5;
const LAG_LOOKS = 6;

type JudgingPolicy = Pick<Policy, 'pollMs' | 'quietMs' | 'limitMs' | 'resubmit'>;

/** `at`: start of the status check, by the clock of PostgreSQL. */
export function judge(
  record: DisbursementRecord,
  answer: StatusAnswer,
  at: number,
  policy: JudgingPolicy,
): Judgement {
  const seen = { record, at, quietMs: policy.quietMs };
  if (record.state === 'succeeded') return judgePaid(answer, seen);
  if (record.state === 'failed' || record.state === 'cancelled') return judgeUnpaid(answer, seen);
  const differs = mismatchOf(record, answer);
  if (differs) return record.state === 'needs_review' ? daily(differs) : { is: 'review', because: differs };
  const late = record.state === 'needs_review';
  if (record.toldPaid && isNamed(record, answer) && claimsUndone({ code: answer.status })) return undone(seen);
  if (answer.status === 'success' || answer.status === 'failed') {
    if (!isNamed(record, answer)) return late ? daily('unnamed') : judgeUnnamed(seen);
    if (answer.status === 'success') return { is: 'final', state: 'succeeded', late };
    // The id belongs to another submit, perhaps one that was paid before data was lost. This answer does not cover
    // that submit.
    if (record.idUsed) return late ? daily('disburse_id_used') : { is: 'review', because: 'disburse_id_used' };
    return twice(seen, 'failedSeenAt', 'failed_once') ?? { is: 'final', state: 'failed', late };
  }
  if (late) return daily(answer.status);
  if (at - (record.sentAt ?? record.createdAt) > policy.limitMs) return { is: 'review', because: 'poll_exhausted' };
  if (answer.status === 'created' && record.state !== 'pending') {
    // Before the submit it has no disburse_id, but the answer must name the token.
    return answer.token === undefined ? judgeUnnamed(seen) : judgeCreated(record, at, policy);
  }
  const dueInMs = waitAt(policy.pollMs, record.tries);
  if (answer.status === 'pending') return { is: 'pending', dueInMs };
  return { is: 'look again', dueInMs, because: wordOf(answer) };
}

interface Looking {
  readonly record: DisbursementRecord;
  readonly at: number;
  readonly quietMs: number;
}

/** The check that must come first; undefined: an earlier check saw the status long enough ago. */
function twice({ record, at, quietMs }: Looking, saw: Seen, because: string): Judgement | undefined {
  const first = record[saw];
  if (first === undefined) return { is: 'look again', dueInMs: quietMs / 2, because, saw };
  const restMs = first + quietMs / 2 - at;
  return restMs > 0 ? { is: 'look again', dueInMs: restMs, because } : undefined;
}

/** The answer is about something other than what we asked. */
export function mismatchOf(record: DisbursementRecord, answer: StatusAnswer): string | undefined {
  if (answer.token !== undefined && answer.token !== record.token) return 'mismatch_token';
  if (answer.disburseId !== undefined && answer.disburseId !== record.disburseId) return 'mismatch_disburse_id';
  if (answer.amount !== undefined && answer.amount !== record.amount) return 'mismatch_amount';
  if (answer.amount === undefined && answer.amountRaw !== undefined) return 'unreadable_amount';
  return undefined;
}

/** The answer names the payment by its token and its disburse_id. */
export function isNamed(record: DisbursementRecord, answer: StatusAnswer): boolean {
  return answer.token === record.token && answer.disburseId === record.disburseId;
}

/** The status may belong to any payment. */
function judgeUnnamed({ record, at, quietMs }: Looking): Judgement {
  const { unnamedSeenAt, unnamedLooks } = record;
  const dueInMs = quietMs / 2;
  if (unnamedSeenAt === undefined) return { is: 'look again', dueInMs, because: 'unnamed', saw: 'unnamedSeenAt' };
  const enough = unnamedLooks + 1 >= UNNAMED_LOOKS_MAX && at - unnamedSeenAt >= quietMs;
  return enough ? { is: 'review', because: 'unidentified' } : { is: 'look again', dueInMs, because: 'unnamed' };
}

/**
 * An answer about another payment, or without a final status, settles nothing, and the event that triggered the check
 * may be the only report of the result. Undefined: the provider has repeated this answer for long enough.
 */
function asksAgain({ record, at, quietMs }: Looking, because: string): Judgement | undefined {
  const first = record.contrarySeenAt;
  if (first === undefined) return { is: 'look again', dueInMs: quietMs / 2, because, saw: 'contrarySeenAt' };
  if (at - first >= LAG_QUIETS * quietMs && record.contraryLooks >= LAG_LOOKS) return undefined;
  return { is: 'look again', dueInMs: LAG_QUIETS_APART * quietMs, because };
}

/**
 * The status confirms the reported result. If another status contradicted the result, this one may be outdated: only
 * a later status counts as the first of two. A time in the future comes from a clock that was set back.
 */
function unlessContested(looking: Looking): Judgement | undefined {
  const { failedSeenAt, contrarySeenAt, agreedSeenAt, hintedAt } = looking.record;
  if ((failedSeenAt ?? contrarySeenAt ?? agreedSeenAt ?? hintedAt) === undefined) return undefined;
  const isOld =
    agreedSeenAt !== undefined && hintedAt !== undefined && agreedSeenAt <= hintedAt && hintedAt <= looking.at;
  if (isOld) return { is: 'look again', dueInMs: looking.quietMs / 2, because: 'agreed_once', saw: 'agreedSeenAt' };
  return twice(looking, 'agreedSeenAt', 'agreed_once');
}

/** The payment was reported as paid. */
function judgePaid(answer: StatusAnswer, looking: Looking): Judgement {
  const { record } = looking;
  const differs = mismatchOf(record, answer) ?? (isNamed(record, answer) ? undefined : 'not_named');
  if (!differs && answer.status === 'success') return unlessContested(looking) ?? over(true, answer);
  if (differs || !claimsUndone({ code: answer.status })) {
    const because = differs ?? wordOf(answer);
    const again = asksAgain(looking, because);
    if (again) return again;
    // No valid status contradicts the success, so the reported result stands confirmed.
    const isUndoubted = answer.status === 'success' && (record.failedSeenAt ?? record.hintedAt) === undefined;
    return isUndoubted ? over(false, answer) : { is: 'review', because: 'contradicted' };
  }
  return undone(looking);
}

/** The payment was reported as paid, and the provider reports that this payment was returned. */
function undone(looking: Looking): Judgement {
  return twice(looking, 'failedSeenAt', 'undone_once') ?? { is: 'final', state: 'reversed', late: true };
}

/** The payment was reported as not paid, so the caller may have paid it again. */
function judgeUnpaid(answer: StatusAnswer, looking: Looking): Judgement {
  const { record } = looking;
  const differs = mismatchOf(record, answer);
  if (differs === 'mismatch_token' || differs === 'mismatch_disburse_id') {
    return asksAgain(looking, differs) ?? over(false, answer);
  }
  // The provider has no disburse_id for a token that was never submitted.
  const isUnsent = record.state === 'cancelled' && answer.status === 'created';
  if (isUnsent || claimsUndone({ code: answer.status })) {
    const names = isUnsent ? answer.token === record.token : isNamed(record, answer);
    const because = differs ?? (names ? undefined : 'not_named');
    const again = because === undefined ? unlessContested(looking) : asksAgain(looking, because);
    return again ?? over(because === undefined, answer);
  }
  if (answer.status === 'success' && differs === undefined && isNamed(record, answer)) {
    return { is: 'final', state: 'succeeded', late: true };
  }
  const again = twice(looking, 'contrarySeenAt', 'contradicted_once');
  if (again || answer.status === 'success') return again ?? { is: 'review', because: 'contradicted' };
  // The answer may be outdated; the payment need not be pending.
  const goesOn = looking.at - (record.contrarySeenAt ?? 0) >= LAG_QUIETS * looking.quietMs;
  if (goesOn) return { is: 'review', because: 'contradicted' };
  return { is: 'look again', dueInMs: LAG_QUIETS_APART * looking.quietMs, because: 'contradicted_once' };
}

function over(agrees: boolean, answer: StatusAnswer): Judgement {
  return { is: 'over', because: agrees ? 'nothing_new' : wordOf(answer) };
}

function wordOf({ status }: StatusAnswer): string {
  return `status_${status.slice(0, 20)}`;
}

function daily(because: string): Judgement {
  return { is: 'look again', dueInMs: DAILY_MS, because };
}

/** `created` after a submit: not executed, not executed yet, or an outdated answer. */
function judgeCreated(record: DisbursementRecord, at: number, policy: JudgingPolicy): Judgement {
  const quietFor = (record.quietUntil ?? 0) - at;
  if (quietFor > 0) return { is: 'look again', dueInMs: quietFor, because: 'quiet_period' };
  const once = twice({ record, at, quietMs: policy.quietMs }, 'createdSeenAt', 'created_once');
  if (once) return once;
  // The id belongs to another token, perhaps one that was paid before data was lost. Another submit would prove
  // nothing.
  if (record.idUsed) return { is: 'review', because: 'disburse_id_used' };
  if (!policy.resubmit) return { is: 'review', because: 'never_executed' };
  if (record.sends >= SENDS_MAX) return { is: 'review', because: 'sent_three_times' };
  if (at - (record.tokenAt ?? 0) > DISBURSE_TOKEN_AGE_MAX_MS) return { is: 'review', because: 'token_too_old' };
  return { is: 'resubmit' };
}

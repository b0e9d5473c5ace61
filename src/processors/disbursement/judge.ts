/**
 * What a look at a disbursement means: the one place where upstream's word about money becomes a decision. Pure, so
 * that the whole policy is one table test.
 *
 * No word ends a payment that does not name it: `success` and the words against it count only beside our token and our
 * disburse_id. What says that nobody was paid counts when it is said twice, half a quiet period apart, since a caller
 * that is told so may pay again.
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
  /** Whole XOF; absent when upstream gave none or wrote it unreadably. */
  readonly amount?: number | undefined;
  readonly amountRaw?: string | undefined;
  readonly disburseId?: string | undefined;
  readonly withdrawMode?: string | undefined;
}

/** What must be seen again before it counts; the name of the field that says when it was seen first. */
export type Seen = 'createdSeenAt' | 'failedSeenAt' | 'unnamedSeenAt' | 'contrarySeenAt' | 'agreedSeenAt';

export type Judgement =
  | { readonly is: 'final'; readonly state: 'succeeded' | 'failed' | 'reversed'; readonly late: boolean }
  | { readonly is: 'pending'; readonly dueInMs: number }
  /** No word that ends it: look again. `saw`: it was seen for the first time. */
  | { readonly is: 'look again'; readonly dueInMs: number; readonly because: string; readonly saw?: Seen }
  /** Upstream said twice, after the quiet period, that the submit was never executed. */
  | { readonly is: 'resubmit' }
  | { readonly is: 'review'; readonly because: string }
  /** Callers were told how it ended, and upstream says nothing that changes it. */
  | { readonly is: 'over'; readonly because: string };

const SENDS_MAX = 3;
/** So many looks at a final word that does not name the payment. */
const UNNAMED_LOOKS_MAX = 3;

/** For so many quiet periods and looks an answer that is no last word may be an old one; how many lie between two. */
const LAG_QUIETS = 30;
const LAG_QUIETS_APART = 5;
const LAG_LOOKS = 6;

type JudgingPolicy = Pick<Policy, 'pollMs' | 'quietMs' | 'limitMs' | 'resubmit'>;

/** `at` is when the look began, by the clock of PostgreSQL. */
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
    // The id belongs to another send, perhaps one that was paid before data was lost: of that this says nothing.
    if (record.idUsed) return late ? daily('disburse_id_used') : { is: 'review', because: 'disburse_id_used' };
    return twice(seen, 'failedSeenAt', 'failed_once') ?? { is: 'final', state: 'failed', late };
  }
  if (late) return daily(answer.status);
  if (at - (record.sentAt ?? record.createdAt) > policy.limitMs) return { is: 'review', because: 'poll_exhausted' };
  if (answer.status === 'created' && record.state !== 'pending') {
    // Before it was sent it has no disburse_id; but of which token it speaks, it must say.
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

/** The look that must come before this one counts; undefined: it was seen before, long enough ago. */
function twice({ record, at, quietMs }: Looking, saw: Seen, because: string): Judgement | undefined {
  const first = record[saw];
  if (first === undefined) return { is: 'look again', dueInMs: quietMs / 2, because, saw };
  const restMs = first + quietMs / 2 - at;
  return restMs > 0 ? { is: 'look again', dueInMs: restMs, because } : undefined;
}

/** An answer about something else than we asked is not an answer. */
export function mismatchOf(record: DisbursementRecord, answer: StatusAnswer): string | undefined {
  if (answer.token !== undefined && answer.token !== record.token) return 'mismatch_token';
  if (answer.disburseId !== undefined && answer.disburseId !== record.disburseId) return 'mismatch_disburse_id';
  if (answer.amount !== undefined && answer.amount !== record.amount) return 'mismatch_amount';
  if (answer.amount === undefined && answer.amountRaw !== undefined) return 'unreadable_amount';
  return undefined;
}

/** It names the payment by both names that we know it by. */
export function isNamed(record: DisbursementRecord, answer: StatusAnswer): boolean {
  return answer.token === record.token && answer.disburseId === record.disburseId;
}

/** A word that may be about any payment. */
function judgeUnnamed({ record, at, quietMs }: Looking): Judgement {
  const { unnamedSeenAt, unnamedLooks } = record;
  const dueInMs = quietMs / 2;
  if (unnamedSeenAt === undefined) return { is: 'look again', dueInMs, because: 'unnamed', saw: 'unnamedSeenAt' };
  const enough = unnamedLooks + 1 >= UNNAMED_LOOKS_MAX && at - unnamedSeenAt >= quietMs;
  return enough ? { is: 'review', because: 'unidentified' } : { is: 'look again', dueInMs, because: 'unnamed' };
}

/**
 * An answer about another payment, or in a word that is no last one, is no answer; and what woke the look may be all
 * that will ever say how this one has ended. Undefined: upstream has answered so for long, and was asked often enough.
 */
function asksAgain({ record, at, quietMs }: Looking, because: string): Judgement | undefined {
  const first = record.contrarySeenAt;
  if (first === undefined) return { is: 'look again', dueInMs: quietMs / 2, because, saw: 'contrarySeenAt' };
  if (at - first >= LAG_QUIETS * quietMs && record.contraryLooks >= LAG_LOOKS) return undefined;
  return { is: 'look again', dueInMs: LAG_QUIETS_APART * quietMs, because };
}

/**
 * It agrees with what was told. Where anything has said otherwise since, it may be an old answer, and only what is said
 * after that counts as the first of two. A time that is still to come is of a clock that has gone back.
 */
function unlessContested(looking: Looking): Judgement | undefined {
  const { failedSeenAt, contrarySeenAt, agreedSeenAt, hintedAt } = looking.record;
  if ((failedSeenAt ?? contrarySeenAt ?? agreedSeenAt ?? hintedAt) === undefined) return undefined;
  const isOld =
    agreedSeenAt !== undefined && hintedAt !== undefined && agreedSeenAt <= hintedAt && hintedAt <= looking.at;
  if (isOld) return { is: 'look again', dueInMs: looking.quietMs / 2, because: 'agreed_once', saw: 'agreedSeenAt' };
  return twice(looking, 'agreedSeenAt', 'agreed_once');
}

/** Callers were told that it was paid. */
function judgePaid(answer: StatusAnswer, looking: Looking): Judgement {
  const { record } = looking;
  const differs = mismatchOf(record, answer) ?? (isNamed(record, answer) ? undefined : 'not_named');
  if (!differs && answer.status === 'success') return unlessContested(looking) ?? over(true, answer);
  if (differs || !claimsUndone({ code: answer.status })) {
    const because = differs ?? wordOf(answer);
    const again = asksAgain(looking, because);
    if (again) return again;
    // Nothing that counts was said against it, and somebody was paid: that is no reason to doubt what was told.
    const isUndoubted = answer.status === 'success' && (record.failedSeenAt ?? record.hintedAt) === undefined;
    return isUndoubted ? over(false, answer) : { is: 'review', because: 'contradicted' };
  }
  return undone(looking);
}

/** It was told as paid, and upstream says of this very payment that the money came back. */
function undone(looking: Looking): Judgement {
  return twice(looking, 'failedSeenAt', 'undone_once') ?? { is: 'final', state: 'reversed', late: true };
}

/** Callers were told that it was not paid, and may have paid it again. */
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
  // It may be that the answer is old, and not that the payment goes on.
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

/** `created` after a submit: not executed, or not executed yet, or the answer is stale. */
function judgeCreated(record: DisbursementRecord, at: number, policy: JudgingPolicy): Judgement {
  const quietFor = (record.quietUntil ?? 0) - at;
  if (quietFor > 0) return { is: 'look again', dueInMs: quietFor, because: 'quiet_period' };
  const once = twice({ record, at, quietMs: policy.quietMs }, 'createdSeenAt', 'created_once');
  if (once) return once;
  // The id belongs to another token, perhaps one that was paid before data was lost: sending again proves nothing.
  if (record.idUsed) return { is: 'review', because: 'disburse_id_used' };
  if (!policy.resubmit) return { is: 'review', because: 'never_executed' };
  if (record.sends >= SENDS_MAX) return { is: 'review', because: 'sent_three_times' };
  if (at - (record.tokenAt ?? 0) > DISBURSE_TOKEN_AGE_MAX_MS) return { is: 'review', because: 'token_too_old' };
  return { is: 'resubmit' };
}

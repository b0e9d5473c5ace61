/**
 * What a look at a disbursement means: the one place where upstream's word about money becomes a decision. Pure, so
 * that the whole policy is one table test.
 */
import type { DisbursementRecord } from '../operations/record.ts';
import { DAILY_MS } from './attempt.ts';
import { type Policy, waitAt } from './bench.ts';

export interface StatusAnswer {
  /** Lower case. */
  readonly status: string;
  readonly token?: string | undefined;
  /** Whole XOF; absent when upstream gave none or wrote it unreadably. */
  readonly amount?: number | undefined;
  readonly amountRaw?: string | undefined;
  readonly disburseId?: string | undefined;
}

export type Judgement =
  | { readonly is: 'final'; readonly state: 'succeeded' | 'failed'; readonly late: boolean }
  | { readonly is: 'pending'; readonly dueInMs: number }
  /** No word that ends it: look again. */
  | { readonly is: 'look again'; readonly dueInMs: number; readonly because: string; readonly sawCreated?: boolean }
  /** Upstream said twice, after the quiet period, that the submit was never executed. */
  | { readonly is: 'resubmit' }
  | { readonly is: 'review'; readonly because: string };

const SENDS_MAX = 3;
const TOKEN_AGE_MAX_MS = 86_400_000;

type JudgingPolicy = Pick<Policy, 'pollMs' | 'quietMs' | 'limitMs' | 'resubmit'>;

/** `at` is when the look began, by the clock of Redis. */
export function judge(
  record: DisbursementRecord,
  answer: StatusAnswer,
  at: number,
  policy: JudgingPolicy,
): Judgement {
  const differs = mismatchOf(record, answer);
  if (differs) return record.state === 'needs_review' ? daily(differs) : { is: 'review', because: differs };
  const late = record.state === 'needs_review';
  if (answer.status === 'success') return { is: 'final', state: 'succeeded', late };
  if (answer.status === 'failed') return { is: 'final', state: 'failed', late };
  if (late) return daily(answer.status);
  if (at - (record.sentAt ?? record.createdAt) > policy.limitMs) return { is: 'review', because: 'poll_exhausted' };
  if (answer.status === 'created' && record.state !== 'pending') return judgeCreated(record, at, policy);
  const dueInMs = waitAt(policy.pollMs, record.tries);
  if (answer.status === 'pending') return { is: 'pending', dueInMs };
  return { is: 'look again', dueInMs, because: `status_${answer.status.slice(0, 20)}` };
}

/** An answer about something else than we asked is not an answer. */
function mismatchOf(record: DisbursementRecord, answer: StatusAnswer): string | undefined {
  if (answer.token !== undefined && answer.token !== record.token) return 'mismatch_token';
  if (answer.disburseId !== undefined && answer.disburseId !== record.disburseId) return 'mismatch_disburse_id';
  if (answer.amount !== undefined && answer.amount !== record.amount) return 'mismatch_amount';
  if (answer.amount === undefined && answer.amountRaw !== undefined) return 'unreadable_amount';
  return undefined;
}

function daily(because: string): Judgement {
  return { is: 'look again', dueInMs: DAILY_MS, because };
}

/** `created` after a submit: not executed, or not executed yet, or the answer is stale. */
function judgeCreated(record: DisbursementRecord, at: number, policy: JudgingPolicy): Judgement {
  const quietFor = (record.quietUntil ?? 0) - at;
  if (quietFor > 0) return { is: 'look again', dueInMs: quietFor, because: 'quiet_period' };
  if (record.createdSeenAt === undefined) {
    return { is: 'look again', dueInMs: policy.quietMs / 2, because: 'created_once', sawCreated: true };
  }
  const restMs = record.createdSeenAt + policy.quietMs / 2 - at;
  if (restMs > 0) return { is: 'look again', dueInMs: restMs, because: 'created_once' };
  // The id belongs to another token, perhaps one that was paid before data was lost: sending again proves nothing.
  if (record.idUsed) return { is: 'review', because: 'disburse_id_used' };
  if (!policy.resubmit) return { is: 'review', because: 'never_executed' };
  if (record.sends >= SENDS_MAX) return { is: 'review', because: 'sent_three_times' };
  if (at - (record.tokenAt ?? 0) > TOKEN_AGE_MAX_MS) return { is: 'review', because: 'token_too_old' };
  return { is: 'resubmit' };
}

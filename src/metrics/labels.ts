/**
 * Every value a label may have. All of them are words of our own declarations: an id, a telephone number or what
 * upstream wrote must never become one, since each new value is a new time series that is kept for weeks.
 */
import { type DisbursementState, kinds, statesOf } from '../operations/lifecycle.ts';
import { dueQueues } from '../operations/due-queues.ts';
import { queueNames } from '../queues/index.ts';
import { failures } from '../upstream/failures.ts';
import type { HoldCondition, UpstreamOperation } from '../upstream/verdict.ts';

/** What a value that is not listed is counted as, so that no surprise can add a series. */
export const OTHER = 'other';

/** Keys of a record, because the compiler finds a missing key and no missing list item. */
const wordsOf = <Word extends string>(words: Readonly<Record<Word, true>>): readonly Word[] =>
  Object.keys(words) as Word[];

const settlements = [
  'advanced',
  'ended',
  'waits',
  'retries',
  'unknown',
  'needs_review',
  'idle',
  'lost',
  'refused',
] as const;

const operations = wordsOf<UpstreamOperation>({
  invoice_create: true,
  invoice_confirm: true,
  direct_credit: true,
  payment_request_create: true,
  payment_request_status: true,
  balance: true,
  disbursement_create: true,
  disbursement_submit: true,
  disbursement_status: true,
  softpay: true,
  softpay_confirm: true,
  sms_login: true,
  sms_send: true,
  sms_statistics: true,
});

const holdReasons = wordsOf<HoldCondition>({
  funds: true,
  callback_unreachable: true,
  funds_or_callback: true,
  not_authorised: true,
  maintenance: true,
});

/** A chunk is how we send, not what a caller asked for, so it is no operation to anybody who reads a gauge. */
export const countedKinds = kinds.filter((kind) => kind !== 'chunk');

/** A disbursement in one of these may have moved money already, or may do so any moment. */
export const inDoubtStates = [
  'submitting',
  'unknown',
  'pending',
  'needs_review',
] as const satisfies readonly DisbursementState[];

/** Names that only the settings know. How many series they make is bounded where the holds are read. */
export const ACCOUNT_NAMES = 'account names';

/** The closed sets, by the name that `declarations` uses for them. */
/** As the script that settles a chunk counts them. */
export const messageOutcomes = ['sent', 'failed', 'unknown', 'expired'] as const;

export const words = {
  queues: queueNames,
  dueQueues,
  jobStates: ['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'completed', 'failed'],
  settlements,
  operations,
  codes: ['ok', ...Object.keys(failures)],
  kinds: countedKinds,
  states: [...new Set<string>(countedKinds.flatMap((kind) => statesOf(kind)))],
  inDoubtStates,
  messageOutcomes,
  callbackKinds: ['disbursement', 'invoice', 'none'],
  deliveryOutcomes: ['delivered', 'retried', 'undelivered'],
  callbackVerdicts: ['look', 'noted', 'unmatched', 'contradicts', 'probe', 'wrong_path', 'unavailable'],
  areas: ['payments', 'messaging', 'direct_credit'],
  holdReasons,
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type WordSet = keyof typeof words;

export function fold(set: WordSet, value: string): string {
  const known: readonly string[] = words[set];
  return known.includes(value) ? value : OTHER;
}

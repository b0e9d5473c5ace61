/** The allowed values of metric labels. */
import { countries } from '../lib/countries.ts';
import { holdAreas } from '../kinds/account.ts';
import { dueQueues } from '../kinds/due-queues.ts';
import { eventTypes, kinds, statesOf, statesThatAre } from '../kinds/index.ts';
import { BUDGET, PROVIDER_UNREADABLE, STOPPED } from '../kinds/hold.ts';
import { queueNames } from '../queues/index.ts';
import { rejectionKinds } from '../queues/rejection.ts';
import { failures, type HoldCondition, upstreamOperations } from '../provider/verdict.ts';

// Each new label value is a new time series, so ids, phone numbers and texts of the provider are never used.

/** Counts all values that are not listed. */
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

const holdReasons = wordsOf<HoldCondition | typeof STOPPED | typeof BUDGET | typeof PROVIDER_UNREADABLE>({
  [STOPPED]: true,
  [BUDGET]: true,
  funds: true,
  callback_unreachable: true,
  funds_or_callback: true,
  not_authorised: true,
  login_contested: true,
  maintenance: true,
  not_understood: true,
  [PROVIDER_UNREADABLE]: true,
});

/** Kinds with a state in which money may have moved or may move at any moment. */
export const kindsInDoubt = kinds.filter((kind) => statesThatAre(kind, 'in doubt').length > 0);

/** SMS of a request in one of these states may have been sent. */
export const requestsInDoubt = ['unknown'] as const;

/** Account names from the settings. The number of series is limited where the holds are read. */
export const ACCOUNT_NAMES = 'account names';

/** Final statuses of an SMS as they are counted. */
export const messageOutcomes = ['sent', 'failed', 'unknown', 'expired'] as const;

/** Settlements that change a reported final state. */
export const contradictions = ['paid_after_all', 'reversed', 'contradicted'] as const;

/** The closed sets of `declarations`, by name. */
export const words = {
  queues: queueNames,
  dueQueues,
  jobStates: ['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'completed', 'failed'],
  settlements,
  operations: upstreamOperations,
  codes: ['ok', ...Object.keys(failures)],
  kinds,
  states: [...new Set<string>(kinds.flatMap((kind) => statesOf(kind)))],
  inDoubtStates: [...new Set<string>(kindsInDoubt.flatMap((kind) => statesThatAre(kind, 'in doubt')))],
  requestsInDoubt,
  messageOutcomes,
  callbackKinds: ['disbursement', 'invoice', 'none'],
  deliveryOutcomes: ['delivered', 'retried', 'undelivered'],
  stopOutcomes: ['looked', 'opted_out', 'already', 'no_such_link', 'too_many', 'unavailable'],
  wrongKeyAnswers: ['401', '429'],
  listeners: ['api', 'webhooks', 'metrics'],
  connectionRefusals: ['full', 'share', 'unanswered'],
  violations: ['script', 'style', 'connect', 'frame', 'other'],
  contradictions,
  callbackHashes: ['hash_right', 'hash_wrong', 'hash_unverified'],
  callbackVerdicts: ['look', 'noted', 'unmatched', 'contradicts', 'probe', 'wrong_path', 'unavailable'],
  areas: holdAreas,
  countries: Object.keys(countries),
  holdReasons,
  eventTypes,
  rejectionKinds,
  roles: ['worker', 'webhooks', 'api'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type WordSet = keyof typeof words;

export function fold(set: WordSet, value: string): string {
  const known: readonly string[] = words[set];
  return known.includes(value) ? value : OTHER;
}

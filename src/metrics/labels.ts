/**
 * Every value a label may have. All of them are words of our own declarations: an id, a telephone number or what
 * upstream wrote must never become one, since each new value is a new time series that is kept for weeks.
 */
import { dueQueues } from '../kinds/due-queues.ts';
import { holdAreas } from '../kinds/account.ts';
import { eventTypes } from '../kinds/event-types.ts';
import { countedKinds, statesOf, statesThatAre } from '../kinds/states.ts';
import { STOPPED } from '../operations/accounts.ts';
import { queueNames } from '../queues/index.ts';
import { failures, type HoldCondition, upstreamOperations } from '../upstream/verdict.ts';

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

const holdReasons = wordsOf<HoldCondition | typeof STOPPED>({
  [STOPPED]: true,
  funds: true,
  callback_unreachable: true,
  funds_or_callback: true,
  not_authorised: true,
  maintenance: true,
  not_understood: true,
});

/** The kinds of which an operation may have moved money already, or may do so any moment, and nobody knows yet. */
export const kindsInDoubt = countedKinds.filter((kind) => statesThatAre(kind, 'in doubt').length > 0);

/** Texts of a chunk in one of these may have been sent, and nobody knows yet. */
export const chunksInDoubt = statesThatAre('chunk', 'in doubt');

/** Names that only the settings know. How many series they make is bounded where the holds are read. */
export const ACCOUNT_NAMES = 'account names';

/** As the script that settles a chunk counts them. */
export const messageOutcomes = ['sent', 'failed', 'unknown', 'expired'] as const;

/** Settlements that take back an end of which callers were told. */
export const contradictions = ['paid_after_all', 'reversed', 'contradicted'] as const;

/** The closed sets, by the name that `declarations` uses for them. */
export const words = {
  queues: queueNames,
  dueQueues,
  jobStates: ['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'completed', 'failed'],
  settlements,
  operations: upstreamOperations,
  codes: ['ok', ...Object.keys(failures)],
  kinds: countedKinds,
  states: [...new Set<string>(countedKinds.flatMap((kind) => statesOf(kind)))],
  inDoubtStates: [...new Set<string>(kindsInDoubt.flatMap((kind) => statesThatAre(kind, 'in doubt')))],
  chunksInDoubt,
  messageOutcomes,
  callbackKinds: ['disbursement', 'invoice', 'none'],
  deliveryOutcomes: ['delivered', 'retried', 'undelivered'],
  wrongKeyAnswers: ['401', '429'],
  contradictions,
  callbackVerdicts: ['look', 'noted', 'unmatched', 'contradicts', 'probe', 'wrong_path', 'unavailable'],
  areas: holdAreas,
  holdReasons,
  eventTypes,
  roles: ['worker', 'webhooks', 'api'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type WordSet = keyof typeof words;

export function fold(set: WordSet, value: string): string {
  const known: readonly string[] = words[set];
  return known.includes(value) ? value : OTHER;
}

/** Every metric of ours: the instruments, the readers of the whole and docs/metrics.md are derived from this table. */
import { countries } from '../lib/countries.ts';
import { holdAreas } from '../kinds/account.ts';
import { dueQueues } from '../kinds/due-queues.ts';
import { eventTypes, countedKinds, statesOf, statesThatAre } from '../kinds/index.ts';
import { BUDGET, PROVIDER_UNREADABLE, STOPPED } from '../operations/accounts.ts';
import { queueNames } from '../queues/index.ts';
import { failures, type HoldCondition, upstreamOperations } from '../upstream/verdict.ts';

interface Declaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /**
   * `process`: what this process saw; add the processes up. `whole`: read from Redis when asked, the same from every
   * process, and absent while Redis is away; take the greatest.
   */
  readonly of: 'process' | 'whole';
  /** Label → the set its values come from. */
  readonly labels: Readonly<Record<string, WordSet | typeof ACCOUNT_NAMES>>;
  /** Upper bounds in seconds. */
  readonly buckets?: readonly number[];
  readonly help: string;
}

export const declarations = {
  relais_jobs: {
    type: 'gauge',
    of: 'whole',
    labels: { queue: 'queues', state: 'jobStates' },
    help: 'Jobs of a queue in each state. A job is a wake-up. In bulk, those that are due wait, those that are due later are delayed.',
  },
  relais_oldest_job_age_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { queue: 'queues' },
    help: 'How long the job at the head of a queue, or the operation that is taken in bulk, has waited for a worker; 0 when none waits.',
  },
  relais_backlog_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { queue: 'dueQueues' },
    help: 'How late the most overdue look of a queue is; 0 when nothing is overdue.',
  },
  relais_attempts_total: {
    type: 'counter',
    of: 'process',
    labels: { queue: 'queues', settlement: 'settlements' },
    help: 'Attempts finished, by what became of them.',
  },
  relais_attempt_duration_seconds: {
    type: 'histogram',
    of: 'process',
    labels: { queue: 'queues' },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    help: 'How long attempts took, waiting for the service included.',
  },
  relais_upstream_requests_total: {
    type: 'counter',
    of: 'process',
    labels: { operation: 'operations', code: 'codes' },
    help: 'Exchanges with the service, by what they meant to us. Codes that we do not list are "other".',
  },
  relais_upstream_request_duration_seconds: {
    type: 'histogram',
    of: 'process',
    labels: { operation: 'operations' },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    help: 'How long exchanges with the service took, whatever came of them.',
  },
  relais_sms_logins_total: {
    type: 'counter',
    of: 'process',
    labels: {},
    help: 'SMS logins that gave a token. About one an hour and account, all processes together; more is a fault.',
  },
  relais_sms_item_code_unknown_total: {
    type: 'counter',
    of: 'process',
    labels: {},
    help: 'Texts whose own code in an answer is in no form that we know. They count as unknown and are looked up.',
  },
  relais_operations: {
    type: 'gauge',
    of: 'whole',
    labels: { kind: 'kinds', state: 'states' },
    help: 'Operations in each state. Recipients of a campaign are counted in the campaign, not as messages.',
  },
  relais_in_doubt_xof: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'inDoubtStates' },
    help: 'XOF of disbursements and direct credits that may have been paid and are not known to be: the money at risk.',
  },
  relais_oldest_in_doubt_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'inDoubtStates' },
    help: 'How long the disbursement or direct credit that is longest in this state has been in it; 0 when there is none.',
  },
  relais_chunks_in_doubt: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'slicesInDoubt' },
    help: 'Slices with texts that may have been sent and are not known to be, and of which nothing waits any more.',
  },
  relais_oldest_chunk_in_doubt_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'slicesInDoubt' },
    help: 'How long the slice that is longest in this state has been in it; 0 when there is none.',
  },
  relais_messages_total: {
    type: 'counter',
    of: 'whole',
    labels: { outcome: 'messageOutcomes' },
    help: 'Recipients and messages by outcome. One that was unknown and then found counts under both.',
  },
  relais_history_waiting: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Records and slices that are over, or changed since, and that history does not have yet; absent without HISTORY_URL.',
  },
  relais_history_oldest_waiting_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'How long history has not had what waits longest for it; 0 when nothing waits, absent without HISTORY_URL.',
  },
  relais_history_set_aside: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Records, slices and lines of streams that PostgreSQL did not take: they stay in Redis and are tried again, and `relais doctor` names them. Absent without HISTORY_URL.',
  },
  relais_history_missing: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Records that left Redis, at most, and that the history that is connected does not have: an older copy of it was put back. Absent without HISTORY_URL.',
  },
  relais_unfinished_uploads: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Uploads of recipients that were begun and do not count yet: under way, or broken off with their process, of which Redis forgets everything a day after.',
  },
  relais_unreadable_records: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Records that somebody met and that this process cannot read, of another version or damaged: nobody acts on them. `relais doctor` names them.',
  },
  relais_held: {
    type: 'gauge',
    of: 'whole',
    labels: { account: 'account names', area: 'areas', reason: 'holdReasons' },
    help: 'Conditions for which an account is held now. Beyond a hundred holds, the newer are account "other".',
  },
  relais_balance_xof: {
    type: 'gauge',
    of: 'whole',
    labels: { account: 'account names', country: 'countries' },
    help: 'XOF that an account has left in a country, when a worker last looked (BALANCE_INTERVAL); absent after three of them without a look. The service calls it an approximation.',
  },
  relais_in_flight_xof: {
    type: 'gauge',
    of: 'whole',
    labels: { account: 'account names', country: 'countries' },
    help: 'XOF of disbursements that have still to leave, or are on their way, where the balance is known.',
  },
  relais_misplaced_jobs: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Requests in bull:intake, where nobody takes them: they were added without the prefix of this deployment.',
  },
  relais_callbacks_total: {
    type: 'counter',
    of: 'process',
    labels: { kind: 'callbackKinds', verdict: 'callbackVerdicts' },
    help: 'What was posted to the callback addresses. "unmatched": well signed, for an operation we do not have.',
  },
  relais_callback_hashes_total: {
    type: 'counter',
    of: 'process',
    labels: { kind: 'callbackKinds', hash: 'callbackHashes' },
    help: 'Hashes in callbacks: of a known master key, of no key ("hash_wrong"), or where some keys are not known.',
  },
  relais_stop_links_total: {
    type: 'counter',
    of: 'process',
    labels: { outcome: 'stopOutcomes' },
    help: 'Links of opt-outs in texts, opened ("looked", by people and by previews) or pressed, by what became of it.',
  },
  relais_wrong_keys_total: {
    type: 'counter',
    of: 'process',
    labels: { answer: 'wrongKeyAnswers' },
    help: 'Requests to the API without a right key: refused, or told to wait since there were too many.',
  },
  relais_console_violations_total: {
    type: 'counter',
    of: 'process',
    labels: { about: 'violations' },
    help: 'What browsers say that they kept a page of the console from, by its policy. Anybody may say so.',
  },
  relais_contradictions_total: {
    type: 'counter',
    of: 'process',
    labels: { contradiction: 'contradictions' },
    help: 'Ends of disbursements that the service took back after callers had been told of them.',
  },
  relais_events_total: {
    type: 'counter',
    of: 'whole',
    labels: { type: 'eventTypes' },
    help: 'Events emitted, counted in the step that writes them. Those that EVENTS_KEEP forgets stay counted.',
  },
  relais_event_delivery_total: {
    type: 'counter',
    of: 'process',
    labels: { outcome: 'deliveryOutcomes' },
    help: 'Tries to post an event to an endpoint. "undelivered": the last one failed too.',
  },
  relais_fence_duration_seconds: {
    type: 'histogram',
    of: 'process',
    labels: {},
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    help: 'How long it took until a write was where it must be before money or a text leaves.',
  },
  relais_lost_locks_total: {
    type: 'counter',
    of: 'process',
    labels: {},
    help: 'Jobs whose lock could not be renewed, and attempts that outlived their lease: the process was frozen, or Redis away, for too long.',
  },
  relais_redis_durable: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: '1 when writes that Redis answered survive a loss of power; at 0 no money is moved.',
  },
  relais_recovering: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: '1 while Redis may have lost something: nothing is accepted and nothing leaves until somebody has looked.',
  },
  relais_redis_up: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: '1 when Redis answered this scrape in time; at 0 the gauges about the whole are absent.',
  },
  relais_redis_memory_ratio: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: 'Used share of maxmemory, looked at each minute; absent without a limit. Above 0.85 nothing new is accepted.',
  },
  relais_roles: {
    type: 'gauge',
    of: 'process',
    labels: { role: 'roles' },
    help: '1 for a role that this process has: the sum tells how many workers there are.',
  },
  relais_worker_stuck_seconds: {
    type: 'gauge',
    of: 'process',
    labels: { queue: 'queues' },
    help: 'For how long this worker has taken nothing from a queue in which jobs wait for it; 0 when all is well.',
  },
} as const satisfies Readonly<Record<string, Declaration>>;

type Declarations = typeof declarations;
type Type = Declaration['type'];
type Scope = Declaration['of'];

export type MetricName<T extends Type = Type, S extends Scope = Scope> = {
  [Name in keyof Declarations]: Declarations[Name] extends { readonly type: T; readonly of: S } ? Name : never;
}[keyof Declarations];

export type Labels<Name extends MetricName> = Readonly<Record<keyof Declarations[Name]['labels'], string>>;

/** The gauges that are read from Redis at each scrape. */
export type WholeName = MetricName<'gauge' | 'counter', 'whole'>;

/** A declaration without its particulars, for code that treats all of them alike. */
export function declarationOf(name: MetricName): Declaration {
  return declarations[name];
}

export const metricNames = Object.keys(declarations) as MetricName[];

/**
 * Every value a label may have. All of them are words of our own declarations: an id, a telephone number or what
 * upstream wrote must never become one, since each new value is a new time series that is kept for weeks.
 */

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

/** The kinds of which an operation may have moved money already, or may do so any moment, and nobody knows yet. */
export const kindsInDoubt = countedKinds.filter((kind) => statesThatAre(kind, 'in doubt').length > 0);

/** Texts of a slice in one of these may have been sent, and nobody knows yet. */
export const slicesInDoubt = statesThatAre('slice', 'in doubt');

/** Names that only the settings know. How many series they make is bounded where the holds are read. */
export const ACCOUNT_NAMES = 'account names';

/** As the script that settles a slice counts them. */
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
  slicesInDoubt,
  messageOutcomes,
  callbackKinds: ['disbursement', 'invoice', 'none'],
  deliveryOutcomes: ['delivered', 'retried', 'undelivered'],
  stopOutcomes: ['looked', 'opted_out', 'already', 'no_such_link', 'too_many', 'unavailable'],
  wrongKeyAnswers: ['401', '429'],
  violations: ['script', 'style', 'connect', 'frame', 'other'],
  contradictions,
  callbackHashes: ['hash_right', 'hash_wrong', 'hash_unverified'],
  callbackVerdicts: ['look', 'noted', 'unmatched', 'contradicts', 'probe', 'wrong_path', 'unavailable'],
  areas: holdAreas,
  countries: Object.keys(countries),
  holdReasons,
  eventTypes,
  roles: ['worker', 'webhooks', 'api', 'history'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type WordSet = keyof typeof words;

export function fold(set: WordSet, value: string): string {
  const known: readonly string[] = words[set];
  return known.includes(value) ? value : OTHER;
}

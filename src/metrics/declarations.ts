/** Every metric: instruments, readers and docs/metrics.md are derived from this table. */
import type { ACCOUNT_NAMES, WordSet } from './label-words.ts';

interface Declaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /**
   * `process`: measured by this process; add the processes up. `whole`: read from PostgreSQL at each scrape, equal in
   * every process, and absent while PostgreSQL is away; take the greatest. `queues`: like `whole`, read from Redis.
   */
  readonly of: 'process' | 'whole' | 'queues';
  /** Label → the set of its values. */
  readonly labels: Readonly<Record<string, WordSet | typeof ACCOUNT_NAMES>>;
  /** Upper bounds in seconds. */
  readonly buckets?: readonly number[];
  readonly help: string;
}

export const declarations = {
  relais_jobs: {
    type: 'gauge',
    of: 'queues',
    labels: { queue: 'queues', state: 'jobStates' },
    help:
      'Jobs of a queue in each state. A job is a wake-up. For queues that take operations in bulk: due ' +
      'operations are waiting, later operations are delayed.',
  },
  relais_oldest_job_age_seconds: {
    type: 'gauge',
    of: 'queues',
    labels: { queue: 'queues' },
    help: 'Wait of the first request in `intake`, and of the first due operation in the other queues. 0: none waits.',
  },
  relais_backlog_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { queue: 'dueQueues' },
    help: 'Delay of the most overdue operation of a queue. 0: none is overdue.',
  },
  relais_account_backlog_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { queue: 'dueQueues', account: 'account names' },
    help:
      'Delay of the most overdue operation of an account in a queue. 0: none is overdue. Absent: none is due, now or ' +
      'later. Beyond a hundred series, those that are less overdue have the account "other".',
  },
  relais_queue_due: {
    type: 'gauge',
    of: 'whole',
    labels: { queue: 'dueQueues' },
    help: 'Operations of a queue that are due now, or later.',
  },
  relais_attempts_total: {
    type: 'counter',
    of: 'process',
    labels: { queue: 'queues', settlement: 'settlements' },
    help: 'Finished attempts, by result.',
  },
  relais_attempt_duration_seconds: {
    type: 'histogram',
    of: 'process',
    labels: { queue: 'queues' },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    help: 'Duration of attempts, including waits for the provider.',
  },
  relais_upstream_requests_total: {
    type: 'counter',
    of: 'process',
    labels: { operation: 'operations', code: 'codes' },
    help: 'Exchanges with the provider, by verdict. Unlisted codes are "other".',
  },
  relais_upstream_request_duration_seconds: {
    type: 'histogram',
    of: 'process',
    labels: { operation: 'operations' },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    help: 'Duration of exchanges with the provider, for every result.',
  },
  relais_sms_logins_total: {
    type: 'counter',
    of: 'process',
    labels: {},
    help:
      'SMS sign-ins that returned a token. Normal: about one an hour for each account, over all processes; ' +
      'more indicates a fault.',
  },
  relais_sms_item_code_unknown_total: {
    type: 'counter',
    of: 'process',
    labels: {},
    help:
      'SMS whose own code in an answer has an unrecognised format. They count as unknown and are checked in ' +
      'the statistics.',
  },
  relais_operations: {
    type: 'gauge',
    of: 'whole',
    labels: { kind: 'kinds', state: 'states' },
    help: 'Operations in each state. Campaign recipients count in the campaign, not as messages.',
  },
  relais_in_doubt_xof: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'inDoubtStates' },
    help: 'XOF of disbursements and direct credits that may have been paid without confirmation: the money at risk.',
  },
  relais_oldest_in_doubt_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'inDoubtStates' },
    help: 'Age of the oldest disbursement or direct credit in this state. 0: none.',
  },
  relais_sms_requests_in_doubt: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'requestsInDoubt' },
    help: 'SMS requests of campaigns, and single messages, that are in doubt.',
  },
  relais_sms_requests_oldest_in_doubt_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: { state: 'requestsInDoubt' },
    help: 'Age of the oldest SMS request of a campaign, or single message, in this state. 0: none.',
  },
  relais_messages_total: {
    type: 'counter',
    of: 'whole',
    labels: { outcome: 'messageOutcomes' },
    help:
      'Recipients and messages by outcome. A recipient that was unknown and later found counts under both ' +
      'outcomes.',
  },
  relais_unpublished_events_oldest_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Age of the oldest event without a position. 0: all are published.',
  },
  relais_quarantined_events: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Events that the publisher could not publish and has quarantined.',
  },
  relais_unsigned_audit_lines: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Audit lines without a MAC. The publisher signs them within seconds.',
  },
  relais_audit_intact: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: '1 when the last verification of the audit found every line unchanged, 0 when a line was changed, taken out or put in. Absent: not verified for two days.',
  },
  relais_unfinished_uploads: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help:
      'Recipient uploads that are not complete: in progress, or interrupted with their process. An interrupted ' +
      'upload is deleted after a day.',
  },
  relais_held: {
    type: 'gauge',
    of: 'whole',
    labels: { account: 'account names', area: 'areas', reason: 'holdReasons' },
    help: 'Current holds of accounts, by condition. Beyond a hundred holds, newer ones have the account "other".',
  },
  relais_balance_xof: {
    type: 'gauge',
    of: 'whole',
    labels: { account: 'account names', country: 'countries' },
    help:
      'Balance of an account in a country in XOF, at the last check (BALANCE_INTERVAL). Absent after three ' +
      'intervals without a check. The provider calls it an approximation.',
  },
  relais_in_flight_xof: {
    type: 'gauge',
    of: 'whole',
    labels: { account: 'account names', country: 'countries' },
    help: 'XOF of disbursements that are not sent yet or in progress, if the balance is known.',
  },
  relais_misplaced_jobs: {
    type: 'gauge',
    of: 'queues',
    labels: {},
    help: 'Requests in bull:intake, which no worker reads: they were added without the prefix of this deployment.',
  },
  relais_intake_rejected_total: {
    type: 'counter',
    of: 'process',
    labels: { kind: 'rejectionKinds' },
    help: 'Refused jobs of the queue `intake`, by kind of request. "unknown": the job names no kind that exists. `relais intake list` shows them.',
  },
  relais_callbacks_total: {
    type: 'counter',
    of: 'process',
    labels: { kind: 'callbackKinds', verdict: 'callbackVerdicts' },
    help: 'Requests to the callback addresses, by result. "unmatched": validly signed, for an unknown operation.',
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
    help:
      'Opt-out links of SMS that were opened ("looked", by people and by link previews) or confirmed, by ' +
      'result.',
  },
  relais_wrong_keys_total: {
    type: 'counter',
    of: 'process',
    labels: { answer: 'wrongKeyAnswers' },
    help: 'API requests without a valid key: refused, or rate-limited.',
  },
  relais_connections_refused_total: {
    type: 'counter',
    of: 'process',
    labels: { listener: 'listeners', reason: 'connectionRefusals' },
    help:
      'Connections that were closed, and requests of a client behind a proxy that were refused: the listener was full, ' +
      'one address had its share, or one connection took no answers.',
  },
  relais_console_violations_total: {
    type: 'counter',
    of: 'process',
    labels: { about: 'violations' },
    help:
      'Reports of browsers about console resources that the content security policy blocked. Any client can ' +
      'send such a report.',
  },
  relais_contradictions_total: {
    type: 'counter',
    of: 'process',
    labels: { contradiction: 'contradictions' },
    help: 'Reported final states of disbursements that the provider later contradicted.',
  },
  relais_events_total: {
    type: 'counter',
    of: 'whole',
    labels: { type: 'eventTypes' },
    help: 'Events, counted when they are written. Events deleted after EVENTS_KEEP stay counted.',
  },
  relais_event_delivery_total: {
    type: 'counter',
    of: 'process',
    labels: { outcome: 'deliveryOutcomes' },
    help: 'Attempts to deliver an event to a webhook endpoint. "undelivered": the last attempt failed too.',
  },
  relais_database_commit_seconds: {
    type: 'histogram',
    of: 'process',
    labels: {},
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    help: 'Duration of transactions that accept, intend or settle operations, until PostgreSQL has committed them.',
  },
  relais_database_pool_in_use: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: 'Connections of the pool of this process that are in use.',
  },
  relais_database_pool_waiting: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: 'Requests of this process that wait for a connection of its pool.',
  },
  relais_database_up: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: '1: PostgreSQL answered this scrape in time. 0: the gauges about the whole deployment are absent.',
  },
  relais_database_dead_rows: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Dead rows of the table that has most of them, as autovacuum counts them.',
  },
  relais_database_oldest_transaction_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Age of the oldest open transaction of the database. While it is open, dead rows stay. 0: none is open.',
  },
  relais_database_partitions_seconds: {
    type: 'gauge',
    of: 'whole',
    labels: {},
    help: 'Time until events have no partition of their own. Normal: about three months.',
  },
  relais_lost_locks_total: {
    type: 'counter',
    of: 'process',
    labels: {},
    help:
      'Jobs whose lock was not renewed, and attempts that outlived their lease: the process was frozen, or ' +
      'PostgreSQL or Redis unreachable, for too long.',
  },
  relais_recovering: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: '1: PostgreSQL may be restored to an earlier point, and relais accepts and sends nothing until an operator ends the recovery.',
  },
  relais_unwitnessed: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: '1: no witness has confirmed this ledger, and risky operations wait.',
  },
  relais_redis_up: {
    type: 'gauge',
    of: 'process',
    labels: {},
    help: '1: Redis answered this scrape in time. 0: the gauges about jobs are absent, and work starts up to SWEEP_INTERVAL later.',
  },
  relais_roles: {
    type: 'gauge',
    of: 'process',
    labels: { role: 'roles' },
    help: '1 for each role of this process: the sum is the number of workers.',
  },
  relais_worker_stuck_seconds: {
    type: 'gauge',
    of: 'process',
    labels: { queue: 'queues' },
    help:
      'Time for which this worker has been stuck: its polls or attempts do not end, or it takes no job of ' +
      '`intake` although jobs wait. 0: normal.',
  },
} as const satisfies Readonly<Record<string, Declaration>>;

type Declarations = typeof declarations;
type Type = Declaration['type'];
type Scope = Declaration['of'];

export type MetricName<T extends Type = Type, S extends Scope = Scope> = {
  [Name in keyof Declarations]: Declarations[Name] extends { readonly type: T; readonly of: S } ? Name : never;
}[keyof Declarations];

export type Labels<Name extends MetricName> = Readonly<Record<keyof Declarations[Name]['labels'], string>>;

/** Read from PostgreSQL at each scrape. */
export type WholeName = MetricName<'gauge' | 'counter', 'whole'>;
/** Read from Redis at each scrape. */
export type QueuesName = MetricName<'gauge' | 'counter', 'queues'>;

/** A declaration with a general type, for code that treats all metrics alike. */
export function declarationOf(name: MetricName): Declaration {
  return declarations[name];
}

export const metricNames = Object.keys(declarations) as MetricName[];

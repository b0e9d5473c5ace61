/** Counts the events of all components, which do not depend on metrics. */
import { type Kind, kinds, statesOf, statesThatAre } from '../kinds/index.ts';
import type { Clock } from '../lib/clock.ts';
import { type AuditVerified, VERIFY_EVERY_MS } from '../ledger/audit-verified.ts';
import type { AccountHold } from '../kinds/hold.ts';
import type { Diagnostics } from '../ledger/diagnostics.ts';
import type { Queries } from '../ledger/queries.ts';
import { type AnyQueueName, queueNames } from '../queues/index.ts';
import type { ExchangeSummary } from '../provider/verdict.ts';
import type { QueuesName, WholeName } from './declarations.ts';
import { OTHER, contradictions, kindsInDoubt, messageOutcomes, requestsInDoubt, words } from './label-words.ts';
import { createInstruments, type Instruments, type Sample } from './instruments.ts';
import { ttlCache } from './ttl-cache.ts';

export interface MetricsOptions extends WholeSources, QueueSources {
  readonly recovering: () => boolean;
  readonly unwitnessed: () => boolean;
  /** Connections of this process. */
  readonly load: () => { readonly inUse: number; readonly waiting: number };
  readonly clock: Clock;
  /** Called when a reader failed. The scrape is answered in any case. */
  readonly onError: (error: unknown) => void;
}

/** The counted facts of an attempt. Without its reason, which may quote the provider. */
interface CountedAttempt {
  readonly queue: string;
  readonly result: { readonly outcome: string; readonly reason: string };
  readonly durationMs: number;
}

type CountedExchange = Pick<ExchangeSummary, 'operation' | 'code' | 'durationMs' | 'strangeCodes'>;

/** Every function can be passed on alone. None of them throws or waits. */
export interface Metrics {
  readonly attemptFinished: (attempt: CountedAttempt) => void;
  readonly exchanged: (seen: CountedExchange) => void;
  readonly intakeRejected: (kind: string) => void;
  readonly callbackReceived: (kind: string, verdict: string, hash?: string) => void;
  readonly stopLinkUsed: (outcome: string) => void;
  readonly eventDelivered: (outcome: string) => void;
  readonly wrongKey: (answer: '401' | '429') => void;
  readonly connectionRefused: (listener: string, reason: string) => void;
  readonly violated: (about: string) => void;
  /** The duration of a committed transaction, ms. */
  readonly committed: (ms: number) => void;
  readonly lockLost: (jobs: number) => void;
  /** The roles of this process. */
  readonly rolesAre: (roles: readonly string[]) => void;
  /** How long its workers have been stuck, ms by queue. A queue without a worker here is absent. */
  readonly workersSeen: (stuckMs: ReadonlyMap<string, number>) => void;
  /** All metrics in the text format of Prometheus, within two seconds even if PostgreSQL or Redis hangs. */
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
}

/** Each Prometheus scrapes every 15 s; a user who reloads the page must cause no load. */
const KEEP_MS = 1_000;
const LIMIT_MS = 1_500;

export function createMetrics(options: MetricsOptions): Metrics {
  const { clock, recovering, unwitnessed, load, onError } = options;
  const instruments = createInstruments();
  const bounds = { clock, keepMs: KEEP_MS, limitMs: LIMIT_MS, onError };
  const whole = ttlCache({ ...bounds, read: () => readAll(readers, options, clock.now()) });
  const jobs = ttlCache({ ...bounds, read: () => readAll(queueReaders, options, clock.now()) });
  return {
    ...listeners(instruments),
    contentType: instruments.contentType,
    async scrape() {
      const [seen, queued] = await Promise.all([whole(), jobs()]);
      const show = (name: ProcessGauge, value: number): void => instruments.replace(name, single(value));
      showAll(instruments, wholeNames, seen);
      showAll(instruments, queuesNames, queued);
      show('relais_database_up', seen ? 1 : 0);
      show('relais_redis_up', queued ? 1 : 0);
      show('relais_recovering', recovering() ? 1 : 0);
      show('relais_unwitnessed', unwitnessed() ? 1 : 0);
      const { inUse, waiting } = load();
      show('relais_database_pool_in_use', inUse);
      show('relais_database_pool_waiting', waiting);
      return instruments.print();
    },
  };
}

type ProcessGauge =
  | 'relais_database_up'
  | 'relais_redis_up'
  | 'relais_recovering'
  | 'relais_unwitnessed'
  | 'relais_database_pool_in_use'
  | 'relais_database_pool_waiting';

/** Messaging has its own codes: as payment labels they would be hundreds of impossible series. */
function isOfItsArea(operation: string, code: string): boolean {
  return operation.startsWith('sms_') || !/^(ERROR_|token_|login_)/.test(code);
}

function listeners({ count, observe, replace }: Instruments) {
  return {
    attemptFinished({ queue, result, durationMs }: CountedAttempt): void {
      count('relais_attempts_total', { queue, settlement: result.outcome });
      observe('relais_attempt_duration_seconds', { queue }, durationMs / 1_000);
      const contradiction = contradictions.find((word) => word === result.reason);
      if (contradiction !== undefined) count('relais_contradictions_total', { contradiction });
    },
    exchanged({ operation, code, durationMs, strangeCodes = 0 }: CountedExchange): void {
      count('relais_upstream_requests_total', { operation, code: isOfItsArea(operation, code) ? code : OTHER });
      observe('relais_upstream_request_duration_seconds', { operation }, durationMs / 1_000);
      if (operation === 'sms_login' && code === 'ok') count('relais_sms_logins_total', {});
      if (strangeCodes > 0) count('relais_sms_item_code_unknown_total', {}, strangeCodes);
    },
    intakeRejected: (kind: string): void => count('relais_intake_rejected_total', { kind }),
    callbackReceived(kind: string, verdict: string, hash?: string): void {
      count('relais_callbacks_total', { kind, verdict });
      if (hash !== undefined) count('relais_callback_hashes_total', { kind, hash });
    },
    stopLinkUsed: (outcome: string): void => count('relais_stop_links_total', { outcome }),
    eventDelivered: (outcome: string): void => count('relais_event_delivery_total', { outcome }),
    wrongKey: (answer: '401' | '429'): void => count('relais_wrong_keys_total', { answer }),
    connectionRefused: (listener: string, reason: string): void =>
      count('relais_connections_refused_total', { listener, reason }),
    violated: (about: string): void => count('relais_console_violations_total', { about }),
    committed: (ms: number): void => observe('relais_database_commit_seconds', {}, ms / 1_000),
    lockLost: (jobs: number): void => count('relais_lost_locks_total', {}, jobs),
    rolesAre: (roles: readonly string[]): void =>
      replace(
        'relais_roles',
        roles.map((role) => ({ labels: { role }, value: 1 })),
      ),
    workersSeen: (stuckMs: ReadonlyMap<string, number>): void =>
      replace(
        'relais_worker_stuck_seconds',
        [...stuckMs].map(([queue, ms]) => ({ labels: { queue }, value: ms / 1_000 })),
      ),
  };
}

/** Unknown values are absent: an old value would look current. */
function showAll<Name extends WholeName | QueuesName>(
  instruments: Instruments,
  names: readonly Name[],
  seen: ReadonlyMap<Name, readonly Sample<Name>[]> | undefined,
): void {
  for (const name of names) instruments.replace(name, seen?.get(name) ?? []);
}

/**
 * Values of the whole deployment, for any number of processes. Reading them costs time for the declarations, the held
 * accounts and pending operations, never for finished ones.
 */

interface BalanceSeen {
  readonly account: string;
  readonly country: string;
  readonly xof: number | null;
  readonly inFlight: number;
}

interface WholeSources {
  readonly queries: Pick<
    Queries,
    'counts' | 'oldestIn' | 'backlog' | 'due' | 'outcomes' | 'eventsEmitted' | 'unfinishedUploads'
  >;
  readonly diagnostics: Pick<Diagnostics, 'publishing' | 'deadRows' | 'oldestSnapshot' | 'partitions'>;
  readonly accounts: { readonly allHolds: () => Promise<readonly AccountHold[]> };
  /** The last known balances of the accounts; null: unreadable. */
  readonly balances: () => Promise<readonly BalanceSeen[]>;
  /** Result of the last verification of the audit log. */
  readonly audit: () => Promise<AuditVerified | undefined>;
}

interface QueueSources {
  readonly misplaced: () => Promise<number>;
  /** Number of BullMQ jobs by state. A missing state has none. */
  readonly jobCounts: (queue: AnyQueueName) => Promise<Readonly<Record<string, number>>>;
  /** When the first job of the queue was added, ms since the epoch; undefined: none waits. */
  readonly oldestJobAt: (queue: AnyQueueName) => Promise<number | undefined>;
}

type Reader<Sources, Name extends WholeName | QueuesName> = (
  sources: Sources,
  nowMs: number,
) => Promise<readonly Sample<Name>[]>;

/** A queue gauge without its reader does not compile. */
const queueReaders: { readonly [Name in QueuesName]: Reader<QueueSources, Name> } = {
  relais_jobs: async ({ jobCounts }) => {
    const all = await Promise.all(queueNames.map(async (queue) => ({ queue, counts: await jobCounts(queue) })));
    return all.flatMap(({ queue, counts }) =>
      namedOrZero(words.jobStates, counts).map(([state, value]) => ({ labels: { queue, state }, value })),
    );
  },

  relais_oldest_job_age_seconds: ({ oldestJobAt }, nowMs) =>
    Promise.all(
      queueNames.map(async (queue) => ({ labels: { queue }, value: secondsSince(await oldestJobAt(queue), nowMs) })),
    ),

  relais_misplaced_jobs: async ({ misplaced }) => single(await misplaced()),
};

/** A `whole` gauge without its reader does not compile. */
const readers: { readonly [Name in WholeName]: Reader<WholeSources, Name> } = {
  relais_queue_due: async ({ queries }) =>
    (await queries.backlog()).map(({ queue, due }) => ({ labels: { queue }, value: due })),

  relais_backlog_seconds: async ({ queries }, nowMs) =>
    (await queries.backlog()).map(({ queue, oldestDueAt }) => ({
      labels: { queue },
      value: secondsSince(oldestDueAt, nowMs),
    })),

  relais_account_backlog_seconds: async ({ queries }, nowMs) => backlogSamples(await queries.due(), nowMs),

  relais_operations: async ({ queries }) => {
    const all = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await queries.counts(kind)) })));
    return all.flatMap(({ kind, count }) =>
      namedOrZero(statesOf(kind), count).map(([state, value]) => ({ labels: { kind, state }, value })),
    );
  },

  relais_in_doubt_xof: async ({ queries }) => {
    const all = await Promise.all(kindsInDoubt.map(async (kind) => ({ kind, ...(await queries.counts(kind)) })));
    return words.inDoubtStates.map((state) => ({
      labels: { state },
      value: all.filter(({ kind }) => isInDoubt(kind, state)).reduce((sum, { xof }) => sum + (xof[state] ?? 0), 0),
    }));
  },

  relais_oldest_in_doubt_seconds: ({ queries }, nowMs) =>
    Promise.all(
      words.inDoubtStates.map(async (state) => {
        const among = kindsInDoubt.filter((kind) => isInDoubt(kind, state));
        const since = await Promise.all(among.map((kind) => queries.oldestIn(kind, state)));
        return { labels: { state }, value: Math.max(...since.map((atMs) => secondsSince(atMs, nowMs))) };
      }),
    ),

  relais_sms_requests_in_doubt: async ({ queries }) => {
    const { count } = await queries.counts('sms_request');
    return requestsInDoubt.map((state) => ({ labels: { state }, value: count[state] ?? 0 }));
  },

  relais_sms_requests_oldest_in_doubt_seconds: ({ queries }, nowMs) =>
    Promise.all(
      requestsInDoubt.map(async (state) => ({
        labels: { state },
        value: secondsSince(await queries.oldestIn('sms_request', state), nowMs),
      })),
    ),

  relais_messages_total: async ({ queries }) => {
    const counted = await queries.outcomes();
    return messageOutcomes.map((outcome) => ({ labels: { outcome }, value: counted[outcome] ?? 0 }));
  },

  relais_events_total: async ({ queries }) =>
    namedOrZero(words.eventTypes, await queries.eventsEmitted()).map(([type, value]) => ({
      labels: { type },
      value,
    })),

  relais_unpublished_events_oldest_seconds: async ({ diagnostics }, nowMs) =>
    single(secondsSince((await diagnostics.publishing()).oldestAt, nowMs)),

  relais_quarantined_events: async ({ diagnostics }) => single((await diagnostics.publishing()).quarantined),

  relais_unsigned_audit_lines: async ({ diagnostics }) => single((await diagnostics.publishing()).unsigned),

  relais_database_dead_rows: async ({ diagnostics }) => single((await diagnostics.deadRows())[0]?.dead ?? 0),

  relais_database_oldest_transaction_seconds: async ({ diagnostics }) =>
    single(((await diagnostics.oldestSnapshot())?.ageMs ?? 0) / 1_000),

  relais_database_partitions_seconds: async ({ diagnostics }, nowMs) => {
    const { until } = await diagnostics.partitions();
    return until === undefined ? [] : single(Math.max(0, until.getTime() - nowMs) / 1_000);
  },

  relais_unfinished_uploads: async ({ queries }) => single(await queries.unfinishedUploads()),

  relais_audit_intact: async ({ audit }, nowMs) => {
    const verified = await audit();
    if (verified === undefined || nowMs - verified.at > 2 * VERIFY_EVERY_MS) return [];
    return [{ labels: {}, value: verified.fault ? 0 : 1 }];
  },

  relais_held: async ({ accounts }) => heldSamples(await accounts.allHolds()),

  relais_balance_xof: async ({ balances }) =>
    (await balances()).flatMap(({ account, country, xof }, place) =>
      xof === null || place >= MOST_BALANCES ? [] : [{ labels: { account, country }, value: xof }],
    ),

  relais_in_flight_xof: async ({ balances }) =>
    (await balances())
      .slice(0, MOST_BALANCES)
      .map(({ account, country, inFlight }) => ({ labels: { account, country }, value: inFlight })),
};

const wholeNames = Object.keys(readers) as WholeName[];
const queuesNames = Object.keys(queueReaders) as QueuesName[];
const single = (value: number) => [{ labels: {}, value }];

/** Rejects if one of the sources does: a part would look like the whole. */
async function readAll<Sources, Name extends WholeName | QueuesName>(
  from: { readonly [One in Name]: Reader<Sources, One> },
  sources: Sources,
  nowMs: number,
): Promise<ReadonlyMap<Name, readonly Sample<Name>[]>> {
  const names = Object.keys(from) as Name[];
  return new Map(await Promise.all(names.map(async (name) => [name, await from[name](sources, nowMs)] as const)));
}

const isInDoubt = (kind: Kind, state: string): boolean =>
  statesThatAre(kind, 'in doubt').some((one) => one === state);

/** Every declared name with its count or 0, and the undeclared ones. */
function namedOrZero(
  names: readonly string[],
  counts: Readonly<Record<string, number>>,
): ReadonlyArray<readonly [string, number]> {
  const zeros = names.map((name) => [name, 0] as const);
  return Object.entries({ ...Object.fromEntries(zeros), ...counts });
}

/** Never below 0: the clocks of two machines differ, and future work is not late. */
function secondsSince(atMs: number | undefined, nowMs: number): number {
  return atMs === undefined ? 0 : Math.max(0, nowMs - atMs) / 1_000;
}

const MOST_HOLDS = 100;
const MOST_BACKLOGS = 100;
/** Ten accounts with six countries each. `relais status` shows all of them. */
const MOST_BALANCES = 60;

/** Longest holds first, so that a new hold never displaces an old one. */
function heldSamples(holds: readonly AccountHold[]): readonly Sample<'relais_held'>[] {
  return [...holds]
    .sort((a, b) => a.since - b.since)
    .map(({ account, area, reason }, place) => ({
      labels: { account: place < MOST_HOLDS ? account : OTHER, area, reason },
      value: 1,
    }));
}

type Due = Awaited<ReturnType<WholeSources['queries']['due']>>[number];

/** Most overdue first. The others of a queue are one series, as late as the latest of them. */
function backlogSamples(due: readonly Due[], nowMs: number): readonly Sample<'relais_account_backlog_seconds'>[] {
  const samples = new Map<string, Sample<'relais_account_backlog_seconds'>>();
  for (const [place, { queue, account, oldestAt }] of [...due].sort((a, b) => a.oldestAt - b.oldestAt).entries()) {
    const labels = { queue, account: place < MOST_BACKLOGS ? account : OTHER };
    const key = `${queue} ${labels.account}`;
    if (!samples.has(key)) samples.set(key, { labels, value: secondsSince(oldestAt, nowMs) });
  }
  return [...samples.values()];
}

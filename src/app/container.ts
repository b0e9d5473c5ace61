/**
 * Shared by every role: the ledger, the queues, the clock, the accounts. Built at the start and passed to the parts.
 */
import { hostname } from 'node:os';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type AccountBook, accountFingerprint, readAccounts } from '../accounts.ts';
import type { Config } from '../config.ts';
import { Followers } from '../events/followers.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import type { Fencing } from '../ledger/processes.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import { type Metrics, createMetrics } from '../metrics/metrics.ts';
import { type AnyQueueName, queueNames, queues } from '../queues/index.ts';
import { misplacedJobs } from '../queues/misplaced.ts';
import { Waker, openQueue } from '../queues/open.ts';
import { type RedisTarget, closeConnection, openCommands, openForQueues, prefixOf } from '../redis/connections.ts';
import { type BalanceRow, balanceRows, knownRows } from './balances.ts';
import { Outages } from './outages.ts';
import type { Part, Patience } from './parts.ts';
import { type QueueJobs, queueFigures, queueJobs } from './queue-figures.ts';
import { type StoreNeeds, type Stores, openStores } from './stores.ts';
import { type Watchdog, createWatchdog } from './watchdog.ts';

export interface Container extends Stores {
  readonly config: Config;
  readonly logger: Logger;
  /** Logs a frequent error at intervals, with its count. */
  readonly quietly: (message: string, error: unknown) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly target: RedisTarget;
  readonly book: AccountBook;
  readonly fingerprints: ReadonlyMap<string, string>;
  /** How many requests wait in queues that no worker reads. */
  readonly misplaced: () => Promise<number>;
  readonly balanceRows: () => Promise<BalanceRow[]>;
  readonly followers: Followers;
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly jobs: QueueJobs;
  /** Wakes a worker of this queue. */
  readonly wake: (queue: QueueName) => void;
  readonly metrics: Metrics;
  /** Absent: tracing is off. */
  readonly traces: Traces | undefined;
  readonly watchdog: Watchdog;
  /** How long this process waits for PostgreSQL while it starts. */
  readonly patience: Patience;
  readonly parts: readonly Part[];
}

export interface ContainerOptions {
  readonly roles: readonly string[];
  /** Ends the process at once: another one has taken over its work. */
  readonly giveUp: (error: Error) => void;
  /** Fires when the process must stop, also during its start. */
  readonly signal?: AbortSignal | undefined;
  readonly traces?: Traces | undefined;
}

/** A supervisor restarts the process, which then joins the others. */
const FENCED: Readonly<Record<Fencing, string>> = {
  silent: 'another process has taken over the work of this one: it was silent for 10 s',
  epoch: 'a recovery began and ended while this process did not reach PostgreSQL',
  restored: 'PostgreSQL was restored to a time before this process started',
};

export function createContainer(config: Config, logger: Logger, options: ContainerOptions): Container {
  const { traces, signal } = options;
  const outages = new Outages(logger);
  const { quietly } = outages;
  const patience = { clock: systemClock, logger, signal, limitMs: config.DATABASE_PATIENCE };
  const [target, book] = [targetOf(config), readAccounts(config)];
  const connections = openConnections(target, quietly);
  const { redis, bullQueues, waker } = connections;
  const { leaseMs } = timingOf(config);
  let metrics: Metrics | undefined;
  const stores = openStores({
    config,
    book,
    redis,
    clock: systemClock,
    random: systemRandom,
    quietly,
    traces,
    leaseMs,
    onCommit: (ms) => metrics?.committed(ms),
    process: processOf(options),
  });
  outages.watch({ postgres: () => stores.database.isThere, redis: () => redis.status === 'ready' });
  const seen = seenBy(config, stores, connections, [...book.keys()]);
  const jobs = queueJobs(bullQueues, connections.queueClient);
  metrics = metricsOf({ ...seen, ...stores, jobs, quietly });
  return {
    config,
    logger,
    quietly,
    clock: systemClock,
    random: systemRandom,
    target,
    book,
    fingerprints: fingerprintsOf(book),
    ...stores,
    ...seen,
    followers: followersOf(stores, quietly),
    bullQueues,
    jobs,
    wake: (queue) => waker.wake(queue),
    metrics,
    traces,
    watchdog: createWatchdog({ clock: systemClock, leaseMs }),
    patience,
    parts: [queuesPart(connections)],
  };
}

function processOf({ roles, giveUp }: ContainerOptions): StoreNeeds['process'] {
  const onFenced = (why: Fencing): void => giveUp(new Error(FENCED[why]));
  return { slot: hostname(), version: '', roles, onFenced };
}

function fingerprintsOf(book: AccountBook): Container['fingerprints'] {
  return new Map([...book].map(([name, account]) => [name, accountFingerprint(account)]));
}

/** Occasional checks, not run for each operation. */
function seenBy(
  { BALANCE_INTERVAL: everyMs }: Config,
  { balances, queries }: Pick<Stores, 'balances' | 'queries'>,
  { queueClient }: Connections,
  accounts: readonly string[],
) {
  const rows = () => balanceRows(balances, queries, accounts);
  return {
    balanceRows: rows,
    knownBalances: knownRows(rows, { everyMs, clock: systemClock }),
    // The other connection adds our key prefix.
    misplaced: () => misplacedJobs(queueClient),
  };
}

function followersOf({ events }: Pick<Stores, 'events'>, quietly: Container['quietly']): Followers {
  const onError = (error: unknown): void => quietly('reading events for those who follow', error);
  return new Followers({ events, clock: systemClock, onError });
}

type Counted = Pick<
  Container,
  | 'queries'
  | 'accounts'
  | 'auditVerification'
  | 'jobs'
  | 'quietly'
  | 'misplaced'
  | 'life'
  | 'diagnostics'
  | 'database'
> & {
  readonly knownBalances: () => Promise<BalanceRow[]>;
};

function metricsOf(counted: Counted): Metrics {
  const { queries, accounts, jobs, quietly, knownBalances, misplaced, auditVerification, life } = counted;
  const { diagnostics, database } = counted;
  const figures = queueFigures({ jobs, queries, clock: systemClock });
  return createMetrics({
    queries,
    diagnostics,
    accounts,
    balances: knownBalances,
    misplaced,
    audit: () => auditVerification.last(),
    jobCounts: (queue) => figures.counts(queue),
    oldestJobAt: (queue) => figures.oldestAt(queue),
    recovering: () => life.recovering() !== undefined,
    unwitnessed: () => life.isUnwitnessed,
    load: () => database.load,
    clock: systemClock,
    onError: (error) => quietly('metrics', error),
  });
}

interface Connections {
  readonly redis: Redis;
  /** Shared by all queues, so none of them closes it. */
  readonly queueClient: Redis;
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly waker: Waker;
}

function openConnections(target: RedisTarget, quietly: Container['quietly']): Connections {
  const onError = (error: Error): void => quietly('Redis connection', error);
  const redis = openCommands(target, { name: 'relais', onError });
  const queueClient = openForQueues(target, { name: 'relais-queues', onError });
  const place = { connection: queueClient, prefix: prefixOf(target) };
  const opened = queueNames.map((name) => [name, openQueue(queues[name], place)] as const);
  for (const [, queue] of opened) queue.on('error', onError);
  const bullQueues = Object.fromEntries(opened) as Record<AnyQueueName, Queue>;
  const ready = (): boolean => queueClient.status === 'ready';
  const onLost = (error: unknown): void => quietly('wake-up', error);
  return {
    redis,
    queueClient,
    bullQueues,
    waker: new Waker({ queues: bullQueues, ready, clock: systemClock, onLost }),
  };
}

/** The start does not wait for Redis: without Redis, work is found by polling. */
function queuesPart({ redis, queueClient, bullQueues, waker }: Connections): Part {
  return {
    name: 'the queues',
    start: async () => async () => {
      await waker.settled();
      await Promise.all(Object.values(bullQueues).map((queue) => queue.close()));
      await Promise.all([redis, queueClient].map(closeConnection));
    },
  };
}

export function targetOf(config: Config): RedisTarget {
  const { REDIS_SENTINELS: sentinels, REDIS_CLUSTER: cluster, REDIS_CA_FILE: ca } = config;
  const { REDIS_SENTINEL_NAME: sentinelName, REDIS_SENTINEL_USER: user, REDIS_SENTINEL_PASSWORD: password } = config;
  return {
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    ...(sentinels ? { sentinels, sentinelName } : {}),
    ...(cluster ? { cluster } : {}),
    ...(user === undefined ? {} : { sentinelUser: user }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(ca ? { ca: ca.holds } : {}),
  };
}

/** Derived from the time-outs and never configured, in ms. */
export interface Timing {
  /** A record's lease: twice the longest exchange, so that a slow attempt is never taken over. */
  readonly leaseMs: number;
  /**
   * BullMQ's lock on a job, renewed during the attempt. An attempt may make two exchanges, a token and a submit, or
   * wait for a permit first.
   */
  readonly lockMs: number;
  readonly drainMs: number;
}

const LEASE_MIN_MS = 2_000;

export function timingOf(config: Config): Timing {
  const exchangeMs = config.UPSTREAM_TIMEOUT + config.UPSTREAM_CONNECT_TIMEOUT;
  const leaseMs = Math.max(LEASE_MIN_MS, 2 * exchangeMs);
  return {
    leaseMs,
    lockMs: 2 * leaseMs,
    drainMs: config.DRAIN_TIMEOUT ?? exchangeMs + 5_000,
  };
}

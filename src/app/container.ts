/** What every role stands on: Redis, the records, the upstream client, the clock. Built once, handed to the parts. */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type AccountBook, accountFingerprint, readAccounts } from '../accounts.ts';
import type { Config } from '../config.ts';
import { Followers } from '../events/followers.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { ProcessorContext } from '../processors/context.ts';
import type { RecoveryDesk } from '../processors/recovery/desk.ts';
import type { Public } from '../lib/public.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import { createQuietly } from '../logger.ts';
import { type Metrics, createMetrics } from '../metrics/metrics.ts';
import type { Heartbeat } from '../operations/heartbeat.ts';
import { type Past, type PastForgetting } from '../operations/past.ts';
import type { WaitingForHistory } from '../operations/history.ts';
import { type AnyQueueName, queueNames, queues } from '../queues/index.ts';
import { openQueue, Waker } from '../queues/open.ts';
import { misplacedJobs } from '../queues/misplaced.ts';
import { queueFigures } from './queue-figures.ts';
import {
  type RedisTarget,
  closeConnection,
  openCommands,
  openForQueues,
  prefixOf,
  waitUntilReady,
  isAway,
} from '../redis/connections.ts';
import { type Durability, refuseWrongKind } from '../redis/durability.ts';
import { type BalanceRow, balanceRows, knownRows } from './balances.ts';
import type { Auditing } from './auditor.ts';
import { Outage } from './outage.ts';
import { type Part, type Patience, waitForRedis } from './parts.ts';
import { openRedisStore } from './redis-store.ts';
import type { Stores } from './stores.ts';
import { type Watchdog, createWatchdog } from './watchdog.ts';

export interface StoreParts extends Auditing {
  readonly roles: readonly string[];
  readonly giveUp: (error: Error) => void;
}

/** Whether what is written is kept, and what it may have lost. */
interface Kept {
  /** What has left Redis. Undefined, as below: this process has no history. */
  readonly past: Past | undefined;
  readonly forgetting: PastForgetting | undefined;
  /** Waits for the replicas that must hold a write; absent where there are none. */
  readonly fence: (() => Promise<boolean>) | undefined;
  readonly durability: () => Durability;
  readonly heartbeat: Pick<Heartbeat, 'recovering' | 'remember' | 'raise' | 'onChange'>;
  readonly recoveryDesk: (context: ProcessorContext) => RecoveryDesk;
  /** Started after the connections, before everything that accepts, sends or answers. */
  readonly partsOf: (container: Container, how: StoreParts) => readonly Part[];
  /** Why the store cannot be asked now, if so. */
  readonly away: () => Promise<string | undefined>;
}

export interface Container extends Stores, Kept {
  readonly config: Config;
  readonly logger: Logger;
  /** Logs an error that may come thousands of times a second once in a while, with how often it came. */
  readonly quietly: (message: string, error: unknown) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly target: RedisTarget;
  readonly redis: Redis;
  readonly book: AccountBook;
  readonly fingerprints: ReadonlyMap<string, string>;
  /** How many requests wait where nobody takes them. */
  readonly misplaced: () => Promise<number>;
  readonly balanceRows: () => Promise<BalanceRow[]>;
  readonly followers: Public<Followers>;
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
  /** Wakes a worker of a queue that is taken in bulk, for whatever is due. */
  readonly call: (queue: QueueName) => void;
  readonly metrics: Metrics;
  /** Absent: nobody asked for traces. */
  readonly traces: Traces | undefined;
  readonly watchdog: Watchdog;
  /** How long this process waits for Redis while it starts. */
  readonly patience: Patience;
  readonly parts: readonly Part[];
}

const START_WAIT_MS = 5_000;
/** What a store is opened with. */
export interface StoreNeeds {
  readonly config: Config;
  readonly book: AccountBook;
  readonly redis: Redis;
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly logger: Logger;
  readonly quietly: Container['quietly'];
  readonly traces: Traces | undefined;
  readonly wake: Container['wake'];
  readonly onFenced: Metrics['fenced'];
}

export interface OpenStore extends Kept {
  readonly stores: Stores;
  readonly history: (() => Promise<WaitingForHistory>) | undefined;
  /** Started before everything that reads or writes. */
  readonly parts: readonly Part[];
}

interface ContainerOptions {
  /** Fires when the process is to stop, also while it is still starting. */
  readonly signal?: AbortSignal | undefined;
  readonly traces?: Traces | undefined;
  readonly openStore?: (needs: StoreNeeds) => OpenStore;
}

export function createContainer(config: Config, logger: Logger, more: ContainerOptions = {}): Container {
  const { traces, signal, openStore = openRedisStore } = more;
  const quietly = quietlyOf(logger, () => connections.redis.status === 'ready');
  const patience = { clock: systemClock, logger, signal, limitMs: config.REDIS_PATIENCE };
  const [target, book] = [targetOf(config), readAccounts(config)];
  const connections = openConnections(target, quietly);
  const { redis, bullQueues, waker } = connections;
  const wake: Container['wake'] = (queue, id, rev) => waker.wake(queue, id, rev);
  const onFenced: Metrics['fenced'] = (...waited) => metrics.fenced(...waited);
  const store = openStore({ config, book, redis, bullQueues, logger, quietly, traces, wake, onFenced });
  const { stores, parts, history, ...kept } = store;
  const seen = seenBy(config, stores, connections, [...book.keys()]);
  const metrics = metricsOf({ ...seen, ...stores, ...kept, bullQueues, quietly, history });
  return {
    config,
    logger,
    quietly,
    clock: systemClock,
    random: systemRandom,
    target,
    redis,
    book,
    fingerprints: new Map([...book].map(([name, account]) => [name, accountFingerprint(account)])),
    ...stores,
    ...kept,
    ...seen,
    followers: followersOf(stores, quietly),
    bullQueues,
    wake,
    call: (queue) => waker.call(queue),
    metrics,
    traces,
    watchdog: createWatchdog({ clock: systemClock, leaseMs: timingOf(config).leaseMs }),
    patience,
    parts: [redisPart(connections, patience), ...parts],
  };
}

/** That Redis is away is told once, whatever fails for it. */
function quietlyOf(logger: Logger, isThere: () => boolean): Container['quietly'] {
  const outage = new Outage({ of: 'Redis', clock: systemClock, logger, isThere });
  const isTold = (error: unknown): boolean => error instanceof Error && isAway(error) && outage.failed(error.message);
  return createQuietly(logger, systemClock, isTold);
}

/** What is looked at now and then, and not with each operation. */
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
    misplaced: () => misplacedJobs(queueClient),
  };
}

function followersOf({ events }: Pick<Stores, 'events'>, quietly: Container['quietly']): Followers {
  const onError = (error: unknown): void => quietly('reading events for those who follow', error);
  return new Followers({ events, clock: systemClock, onError });
}

type Counted = Pick<
  Container,
  'queries' | 'accounts' | 'auditVerification' | 'bullQueues' | 'quietly' | 'misplaced' | 'durability' | 'heartbeat'
> & {
  readonly knownBalances: () => Promise<BalanceRow[]>;
  readonly history: (() => Promise<WaitingForHistory>) | undefined;
};

function metricsOf({
  queries,
  accounts,
  bullQueues,
  quietly,
  knownBalances,
  misplaced,
  history,
  auditVerification,
  ...kept
}: Counted): Metrics {
  const figures = queueFigures({ bullQueues, queries, clock: systemClock });
  return createMetrics({
    queries,
    accounts,
    balances: knownBalances,
    misplaced,
    history,
    audit: () => auditVerification.last(),
    jobCounts: (queue) => figures.counts(queue),
    oldestJobAt: (queue) => figures.oldestAt(queue),
    durable: () => kept.durability().durable,
    recovering: () => kept.heartbeat.recovering() !== undefined,
    memoryShare: () => kept.durability().usedMemoryShare,
    clock: systemClock,
    onError: (error) => quietly('metrics', error),
  });
}

interface Connections {
  readonly redis: Redis;
  /** The queues' own connection: what BullMQ does on it holds up no record. */
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
  return {
    redis,
    queueClient,
    bullQueues,
    waker: new Waker({
      queues: bullQueues,
      ready,
      clock: systemClock,
      onLost: (error) => quietly('wake-up', error),
    }),
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

/** First to start and last to stop: everybody else writes to it until the end. */
function redisPart({ redis, queueClient, bullQueues, waker }: Connections, patience: Patience): Part {
  const clients = [redis, queueClient];
  const { signal, limitMs = START_WAIT_MS } = patience;
  const waitMs = Math.min(START_WAIT_MS, limitMs);
  return {
    name: 'Redis',
    start: async () => {
      // A process that is told to stop does not wait for the end of a wait.
      const hangUp = (): void => clients.forEach((client) => client.disconnect());
      signal?.addEventListener('abort', hangUp);
      try {
        for (const client of clients) await waitForRedis(() => waitUntilReady(client, waitMs), patience);
        await waitForRedis(() => refuseWrongKind(redis), patience);
      } catch (error) {
        for (const client of clients) client.disconnect();
        throw error;
      } finally {
        signal?.removeEventListener('abort', hangUp);
      }
      return async () => {
        await waker.settled();
        await Promise.all(Object.values(bullQueues).map((queue) => queue.close()));
        for (const client of clients) await closeConnection(client);
      };
    },
  };
}

/** What is derived from the time-outs and never set by hand, in ms. */
export interface Timing {
  /** A record's lease: twice what one exchange may take, so that a slow one is never taken over. */
  readonly leaseMs: number;
  /**
   * BullMQ's lock on a job, renewed while the attempt goes on: one may make two exchanges, a token and a submit, or wait
   * for its turn first.
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

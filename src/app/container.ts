/** What every role stands on: Redis, the records, the upstream client, the clock. Built once, handed to the parts. */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type AccountBook, accountFingerprint, readAccounts } from '../accounts.ts';
import type { Config } from '../config.ts';
import { Followers } from '../events/followers.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import { type Clock, describeMs, systemClock, withDeadline } from '../lib/clock.ts';
import type { ProcessorContext } from '../processors/context.ts';
import type { RecoveryDesk } from '../processors/recovery/desk.ts';
import type { Public } from '../lib/public.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import { createQuietly } from '../logger.ts';
import { type Metrics, createMetrics } from '../metrics/metrics.ts';
import { Heartbeat, RECOVERING } from '../operations/heartbeat.ts';
import { HistoryForgetting } from '../history/forgetting.ts';
import { HistoryReader } from '../history/reader.ts';
import { type Past, type PastForgetting } from '../operations/past.ts';
import { type WaitingForHistory, waitingForHistory } from '../operations/history.ts';
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
  whyNotReady,
} from '../redis/connections.ts';
import {
  type Durability,
  checkDurability,
  refuseWrongKind,
  watchDurability,
  type Fence,
  createFence,
} from '../redis/durability.ts';
import { type BalanceRow, balanceRows, knownRows } from './balances.ts';
import { deploymentOf } from './deployment.ts';
import { Outage } from './outage.ts';
import { type Part, type Patience, waitForRedis } from './parts.ts';
import { recoveryDeskOf } from './recovery-desk.ts';
import { type Stores, redisStores } from './stores.ts';
import { type Watchdog, createWatchdog } from './watchdog.ts';

export interface Container extends Stores {
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
  /** What has left Redis. Undefined, as below: this process has no history. */
  readonly past: Past | undefined;
  readonly forgetting: PastForgetting | undefined;
  /** How many requests wait where nobody takes them. */
  readonly misplaced: () => Promise<number>;
  readonly balanceRows: () => Promise<BalanceRow[]>;
  readonly followers: Public<Followers>;
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
  /** Wakes a worker of a queue that is taken in bulk, for whatever is due. */
  readonly call: (queue: QueueName) => void;
  /** Waits for the replicas that must hold a write; absent where there are none. */
  readonly fence: (() => Promise<boolean>) | undefined;
  readonly durability: () => Durability;
  readonly heartbeat: Heartbeat;
  readonly metrics: Metrics;
  /** Absent: nobody asked for traces. */
  readonly traces: Traces | undefined;
  readonly watchdog: Watchdog;
  /** How long this process waits for Redis while it starts. */
  readonly patience: Patience;
  readonly recoveryDesk: (context: ProcessorContext) => RecoveryDesk;
  /** Why the store cannot be asked now, if so. */
  readonly away: () => Promise<string | undefined>;
  readonly parts: readonly Part[];
}

const START_WAIT_MS = 5_000;
const CHECK_EVERY_MS = 60_000;
const NOT_ASKED_YET: Durability = {
  durable: false,
  reasons: ['Redis has not been asked yet'],
  runId: '',
  version: '',
  usedMemoryShare: null,
};

interface ContainerOptions {
  /** Fires when the process is to stop, also while it is still starting. */
  readonly signal?: AbortSignal | undefined;
  readonly traces?: Traces | undefined;
}

export function createContainer(config: Config, logger: Logger, more: ContainerOptions = {}): Container {
  const quietly = quietlyOf(logger, () => connections.redis.status === 'ready');
  const patience = { clock: systemClock, logger, signal: more.signal, limitMs: config.REDIS_PATIENCE };
  const [target, book] = [targetOf(config), readAccounts(config)];
  const connections = openConnections(target, quietly);
  const { redis, bullQueues, waker } = connections;
  let durability = NOT_ASKED_YET;
  const asked = askedOf(config, pastOf(config, quietly));
  const fence = fenceOf(config, redis, (...waited) => metrics.fenced(...waited));
  const heartbeat = heartbeatOf({ config, book, redis, logger, quietly }, fence);
  const own = { config, book, redis, clock: systemClock, random: systemRandom, heartbeat, traces: more.traces };
  const stores = redisStores({
    ...own,
    ...asked,
    fence: fence?.pass,
    wake: (queue, id, rev) => waker.wake(queue, id, rev),
  });
  const seen = seenBy(config, stores, connections, [...book.keys()]);
  const metrics = metricsOf(
    { ...seen, ...stores, bullQueues, quietly, history: historyOf(config, redis) },
    { durability: () => durability, recovering: () => heartbeat.recovering() !== undefined },
  );
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
    ...seen,
    followers: followersOf(stores, quietly),
    bullQueues,
    wake: (queue, id, rev) => waker.wake(queue, id, rev),
    call: (queue) => waker.call(queue),
    durability: () => withFence(durability, fence),
    heartbeat,
    metrics,
    traces: more.traces,
    watchdog: createWatchdog({ clock: systemClock, leaseMs: timingOf(config).leaseMs }),
    fence: fence?.pass,
    ...asked,
    patience,
    recoveryDesk: (context) => recoveryDeskOf({ ...stores, ...asked, config, redis, heartbeat, bullQueues }, context),
    away: () => awayReason(redis, systemClock),
    parts: [
      redisPart(connections, patience),
      durabilityPart(config, redis, logger, (verdict) => (durability = verdict)),
    ],
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

function fenceOf(config: Config, redis: Redis, onWaited: Metrics['fenced']): Fence | undefined {
  const replicas = config.REDIS_WAIT_REPLICAS;
  if (replicas === 0) return undefined;
  const wait = (count: number, ms: number): Promise<number> => redis.wait(count, ms);
  return createFence({ wait, replicas, clock: systemClock, onWaited });
}

function followersOf({ events }: Pick<Stores, 'events'>, quietly: Container['quietly']): Followers {
  const onError = (error: unknown): void => quietly('reading events for those who follow', error);
  return new Followers({ events, clock: systemClock, onError });
}

function heartbeatOf(
  { config, book, redis, logger, quietly }: Pick<Container, 'config' | 'book' | 'redis' | 'logger' | 'quietly'>,
  fence: Fence | undefined,
): Heartbeat {
  const heartbeat = new Heartbeat({
    redis,
    random: systemRandom,
    fence: fence?.pass,
    ours: deploymentOf(config, book),
    silenceMs: config.SILENCE_LIMIT,
    onError: (error) => quietly('heartbeat', error),
  });
  heartbeat.onChange((state) => {
    if (state) logger.error({ recovery: state }, RECOVERING);
    else logger.info('the recovery is over');
  });
  return heartbeat;
}

/** A replica that has just missed a write is away, whatever Redis says about its connections. */
function withFence(seen: Durability, fence: Fence | undefined): Durability {
  const closed = fence?.closed();
  return closed === undefined ? seen : { ...seen, durable: false, reasons: [closed, ...seen.reasons] };
}

type Counted = Pick<
  Container,
  'queries' | 'accounts' | 'auditVerification' | 'bullQueues' | 'quietly' | 'misplaced'
> & {
  readonly knownBalances: () => Promise<BalanceRow[]>;
  readonly history: (() => Promise<WaitingForHistory>) | undefined;
};

function pastOf({ HISTORY_URL: url }: Config, quietly: Container['quietly']): Past | undefined {
  return url && new HistoryReader(url.reveal(), (error) => quietly('history', error));
}

/** What the processes that answer people ask of history. */
function askedOf({ HISTORY_URL: url }: Config, past: Past | undefined): Pick<Container, 'past' | 'forgetting'> {
  return { past, forgetting: url && new HistoryForgetting(url.reveal()) };
}

function historyOf({ HISTORY_URL: url }: Config, redis: Redis): Counted['history'] {
  return url && (() => waitingForHistory(redis));
}

function metricsOf(
  { queries, accounts, bullQueues, quietly, knownBalances, misplaced, history, auditVerification }: Counted,
  { durability, recovering }: Pick<Container, 'durability'> & { readonly recovering: () => boolean },
): Metrics {
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
    durable: () => durability().durable,
    recovering,
    memoryShare: () => durability().usedMemoryShare,
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

/** Probes are given a few seconds, and the next request does not wait for this one. */
const ANSWER_MS = 1_000;

/**
 * Why nothing can be asked of Redis now, if so. One that hangs keeps its connections, and they stay `ready`: only a
 * question tells. A refusal is an answer; why it refuses is among the other reasons.
 */
async function awayReason(redis: Redis, clock: Clock): Promise<string | undefined> {
  if (redis.status === 'ready' && !(await withDeadline(clock, ANSWER_MS, () => Promise.allSettled([redis.ping()]))))
    return `Redis has not answered within ${describeMs(ANSWER_MS)}: is it frozen, overloaded, or cut off?`;
  return whyNotReady(redis);
}

/** Money waits until the first look has said that what is answered is kept. */
function durabilityPart(config: Config, redis: Redis, logger: Logger, tell: (verdict: Durability) => void): Part {
  const options = { asserted: config.DURABILITY === 'asserted', replicas: config.REDIS_WAIT_REPLICAS };
  return {
    name: 'the durability check',
    start: async () => {
      let stop = (): void => undefined;
      await new Promise<void>((resolve) => {
        stop = watchDurability({
          redis,
          clock: systemClock,
          everyMs: CHECK_EVERY_MS,
          check: () => checkDurability(redis, options),
          onChange: (verdict) => {
            tell(verdict);
            resolve();
            const { durable, reasons, version } = verdict;
            if (durable) logger.info({ version, reasons }, 'Redis keeps what it answers');
            else logger.error({ version, reasons }, 'Redis is not durable: disbursements and texts wait');
          },
        });
      });
      return async () => stop();
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

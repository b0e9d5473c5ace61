/** What every role stands on: Redis, the records, the upstream client, the clock. Built once, handed to the parts. */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type AccountBook, accountFingerprint, readAccounts } from '../accounts.ts';
import type { Part } from '../app.ts';
import type { Config } from '../config.ts';
import { EventStream } from '../events/stream.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { createQuietly } from '../logger.ts';
import { type Metrics, createMetrics } from '../metrics/metrics.ts';
import { Accounts } from '../operations/accounts.ts';
import { Batches } from '../operations/batches.ts';
import { Campaigns } from '../operations/campaigns.ts';
import { Chunks } from '../operations/chunks.ts';
import type { QueueName } from '../operations/due-queues.ts';
import { publishLimits } from '../operations/limits.ts';
import { Operations } from '../operations/operations.ts';
import { Queries } from '../operations/queries.ts';
import { type AnyQueueName, queueNames, queues } from '../queues/index.ts';
import { openQueue } from '../queues/open.ts';
import { Waker } from '../queues/waker.ts';
import { type RedisTarget, closeConnection, openCommands, waitUntilReady } from '../redis/connections.ts';
import { type Durability, checkDurability } from '../redis/durability.ts';
import { watchDurability } from '../redis/durability-watch.ts';

export interface Foundation {
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
  readonly operations: Operations;
  readonly queries: Queries;
  readonly chunks: Chunks;
  readonly campaigns: Campaigns;
  readonly batches: Batches;
  readonly accounts: Accounts;
  readonly events: EventStream;
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
  /** Waits for the replicas that must hold a write; absent where there are none. */
  readonly fence: (() => Promise<boolean>) | undefined;
  readonly durability: () => Durability;
  readonly metrics: Metrics;
  readonly parts: readonly Part[];
}

const START_WAIT_MS = 10_000;
const CHECK_EVERY_MS = 60_000;
const NOT_ASKED_YET: Durability = {
  durable: false,
  reasons: ['Redis has not been asked yet'],
  runId: '',
  version: '',
  usedMemoryShare: null,
};

export function layFoundation(config: Config, logger: Logger): Foundation {
  const quietly = createQuietly(logger, systemClock);
  const target = targetOf(config);
  const connections = openConnections(target, quietly);
  const { redis, bullQueues, waker } = connections;
  const book = readAccounts(config);
  let durability = NOT_ASKED_YET;
  const queries = new Queries(redis);
  const accounts = new Accounts(redis);
  const metrics = metricsOf({ queries, accounts, bullQueues, quietly, durable: () => durability.durable });
  const fence = fenceOf(config, redis, metrics);
  const records = { redis, random: systemRandom, fence };
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
    operations: new Operations(records),
    queries,
    chunks: new Chunks(records),
    campaigns: new Campaigns(redis),
    batches: new Batches(redis, systemRandom),
    accounts,
    events: new EventStream(redis),
    bullQueues,
    wake: (queue, id, rev) => waker.wake(queue, id, rev),
    durability: () => durability,
    metrics,
    fence,
    parts: [redisPart(connections), durabilityPart(config, redis, logger, (verdict) => (durability = verdict))],
  };
}

const FENCE_WAIT_MS = 2_000;

function fenceOf(config: Config, redis: Redis, metrics: Metrics): Foundation['fence'] {
  const replicas = config.REDIS_WAIT_REPLICAS;
  if (replicas === 0) return undefined;
  return async () => {
    const startedMono = systemClock.monotonic();
    const reached = await redis.wait(replicas, FENCE_WAIT_MS);
    metrics.fenced(systemClock.monotonic() - startedMono);
    return reached >= replicas;
  };
}

function metricsOf({
  queries,
  accounts,
  bullQueues,
  quietly,
  durable,
}: Pick<Foundation, 'queries' | 'accounts' | 'bullQueues' | 'quietly'> & { durable: () => boolean }): Metrics {
  return createMetrics({
    queries,
    accounts,
    jobCounts: (queue) => bullQueues[queue].getJobCounts(),
    oldestJobAt: async (queue) => (await bullQueues[queue].getJobs(['waiting'], 0, 0, true))[0]?.timestamp,
    durable,
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

function openConnections(target: RedisTarget, quietly: Foundation['quietly']): Connections {
  const onError = (error: Error): void => quietly('Redis connection', error);
  const redis = openCommands(target, { name: 'relais', onError });
  const queueClient = openCommands(target, { name: 'relais-queues', onError });
  const opened = queueNames.map((name) => [name, openQueue(queues[name], queueClient)] as const);
  for (const [, queue] of opened) queue.on('error', onError);
  const bullQueues = Object.fromEntries(opened) as Record<AnyQueueName, Queue>;
  const ready = (): boolean => queueClient.status === 'ready';
  return {
    redis,
    queueClient,
    bullQueues,
    waker: new Waker(bullQueues, ready, (error) => quietly('wake-up', error)),
  };
}

export function targetOf(config: Config): RedisTarget {
  const sentinels = config.REDIS_SENTINELS?.split(',').map((address) => {
    const [host = '', port = '26379'] = address.trim().split(':');
    return { host, port: Number(port) };
  });
  return { url: config.REDIS_URL, ...(sentinels ? { sentinels } : {}) };
}

/** First to start and last to stop: everybody else writes to it until the end. */
function redisPart({ redis, queueClient, bullQueues, waker }: Connections): Part {
  const clients = [redis, queueClient];
  return {
    name: 'Redis',
    start: async () => {
      try {
        for (const client of clients) await waitUntilReady(client, START_WAIT_MS);
      } catch (error) {
        for (const client of clients) client.disconnect();
        throw error;
      }
      return async () => {
        await waker.settled();
        await Promise.all(Object.values(bullQueues).map((queue) => queue.close()));
        for (const client of clients) await closeConnection(client);
      };
    },
  };
}

/** Only roles that accept or pay publish: a process without these settings must not take the limits away. */
export function limitsPart({ config, redis }: Foundation): Part {
  return {
    name: 'the limits of money',
    start: async () => {
      await publishLimits(redis, config);
      return async () => undefined;
    },
  };
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

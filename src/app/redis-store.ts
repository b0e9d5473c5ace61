/** The store in Redis: what it is made of, and the checks that it keeps what it answers. */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { HistoryForgetting } from '../history/forgetting.ts';
import { HistoryReader } from '../history/reader.ts';
import { type Clock, describeMs, systemClock, withDeadline } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { Heartbeat, RECOVERING } from '../operations/heartbeat.ts';
import { waitingForHistory } from '../operations/history.ts';
import type { Past } from '../operations/past.ts';
import { whyNotReady } from '../redis/connections.ts';
import { type Durability, type Fence, checkDurability, createFence, watchDurability } from '../redis/durability.ts';
import { auditorPart } from './auditor.ts';
import { bookPart } from './book.ts';
import type { Container, OpenStore, StoreNeeds, StoreParts } from './container.ts';
import { deploymentOf, stampPart } from './deployment.ts';
import { heartbeatPart } from './heartbeat.ts';
import { historyPart } from './history.ts';
import { limitsPart } from './limits.ts';
import type { Part } from './parts.ts';
import { recoveryDeskOf } from './recovery-desk.ts';
import { redisStores } from './stores.ts';

export function openRedisStore(needs: StoreNeeds): OpenStore {
  const { config, book, redis, bullQueues, logger, quietly, onFenced, ...more } = needs;
  let durability = NOT_ASKED_YET;
  const asked = askedOf(config, pastOf(config, quietly));
  const fence = fenceOf(config, redis, onFenced);
  const heartbeat = heartbeatOf({ config, book, redis, logger, quietly }, fence);
  const own = { config, book, redis, clock: systemClock, random: systemRandom, heartbeat };
  const stores = redisStores({ ...own, ...asked, ...more, fence: fence?.pass });
  return {
    stores,
    ...asked,
    history: historyOf(config, redis),
    heartbeat,
    fence: fence?.pass,
    durability: () => withFence(durability, fence),
    recoveryDesk: (context) => recoveryDeskOf({ ...stores, ...asked, config, redis, heartbeat, bullQueues }, context),
    away: () => awayReason(redis, systemClock),
    partsOf: (container, how) => partsOf({ ...container, redis, heartbeat }, how),
    parts: [durabilityPart(config, redis, logger, (verdict) => (durability = verdict))],
  };
}

const CHECK_EVERY_MS = 60_000;
const NOT_ASKED_YET: Durability = {
  durable: false,
  reasons: ['Redis has not been asked yet'],
  runId: '',
  version: '',
  usedMemoryShare: null,
};

type RedisContainer = Container & { readonly redis: Redis; readonly heartbeat: Heartbeat };

function partsOf(container: RedisContainer, { roles, giveUp, ...auditing }: StoreParts): readonly Part[] {
  const stamp = stampPart(container, giveUp);
  const isOf = (...some: readonly string[]): boolean => some.some((role) => roles.includes(role));
  return [
    // Before anything is written: these may be the keys of another deployment.
    stamp,
    heartbeatPart(container, stamp.again),
    ...(isOf('worker', 'api') ? [limitsPart(container, roles, auditing)] : []),
    bookPart(container),
    ...(isOf('history') ? [historyPart(container)] : []),
    ...(isOf('api') ? [auditorPart(container, auditing)] : []),
  ];
}

function fenceOf(config: Config, redis: Redis, onWaited: Metrics['fenced']): Fence | undefined {
  const replicas = config.REDIS_WAIT_REPLICAS;
  if (replicas === 0) return undefined;
  const wait = (count: number, ms: number): Promise<number> => redis.wait(count, ms);
  return createFence({ wait, replicas, clock: systemClock, onWaited });
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

function pastOf({ HISTORY_URL: url }: Config, quietly: Container['quietly']): Past | undefined {
  return url && new HistoryReader(url.reveal(), (error) => quietly('history', error));
}

/** What the processes that answer people ask of history. */
function askedOf({ HISTORY_URL: url }: Config, past: Past | undefined): Pick<Container, 'past' | 'forgetting'> {
  return { past, forgetting: url && new HistoryForgetting(url.reveal()) };
}

function historyOf({ HISTORY_URL: url }: Config, redis: Redis): OpenStore['history'] {
  return url && (() => waitingForHistory(redis));
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

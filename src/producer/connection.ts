/**
 * How a call of the library reaches Redis: patiently, together with the others of its turn, and only while what it
 * writes would be kept.
 *
 * Redis is asked until it answers, for so long and no longer. Whatever is asked here must be safe to ask twice: the
 * answer to the first time may have been lost on the way.
 */
import type { Redis } from 'ioredis';
import { type Clock, retryUntilDeadline, within, describeMs } from '../lib/clock.ts';
import { readStamp } from '../operations/stamp.ts';
import { howAway, waitUntilReady, batchPerTick, type RedisTarget } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';
import { type Durability, MEMORY_SHARE_MAX, checkDurability } from '../redis/durability.ts';
import { Unconfirmed, NotDurableError, OtherDeployment } from './errors.ts';

export interface Deadline {
  readonly redis: Redis;
  readonly clock: Clock;
  /** For the whole call, reconnecting included. */
  readonly limitMs: number;
  /** Told whenever something may stand that was asked for, and nobody knows: the answer to it was lost. */
  readonly onDoubt: () => void;
}

/** Between two tries on a connection that is there: Redis said "not now" (it loads, or changes its primary). */
const PAUSE_MS = 100;

/** Throws `Unconfirmed` when the time is over; an error that has nothing to do with Redis being away goes through. */
export async function untilConfirmed<T>(deadline: Deadline, ask: () => Promise<T>): Promise<T> {
  const { redis, clock, limitMs, onDoubt } = deadline;
  let doubted = false;
  let last: unknown = new NoAnswer('there was no time to ask Redis');
  const again = (error: unknown): boolean => {
    const away = howAwayOf(error);
    if (away === 'maybe done') {
      doubted = true;
      onDoubt();
    }
    last = error;
    // A client that was closed never comes back.
    return away !== undefined && redis.status !== 'end';
  };
  const tryOnce = async (leftMs: number): Promise<T> => {
    if (leftMs <= 0) throw last;
    const endsMono = clock.monotonic() + leftMs;
    await waitUntilReady(redis, leftMs, clock);
    const ms = Math.max(0, endsMono - clock.monotonic());
    const late = () => new NoAnswer(`Redis is connected and did not answer for ${describeMs(ms)}`);
    return within({ clock, ms, late }, ask());
  };
  try {
    return await retryUntilDeadline(tryOnce, { clock, limitMs, pauseMs: PAUSE_MS, again });
  } catch (error) {
    if (howAwayOf(error) === undefined) throw error;
    throw new Unconfirmed(doubted ? 'unknown' : 'no', error);
  }
}

/** A server that hangs answers nothing and refuses nothing. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

function howAwayOf(error: unknown): ReturnType<typeof howAway> {
  return error instanceof NoAnswer ? 'maybe done' : howAway(error);
}

/**
 * A Redis whose scripts are asked patiently, and each time only `after` has let them. What is accepted is accepted by
 * scripts, and those are safe to ask twice.
 */
export function patientScripts(patience: Deadline, after: () => Promise<void>): RecordHost {
  const { redis, onDoubt } = patience;
  const asked = (ask: () => Promise<unknown>) =>
    untilConfirmed(patience, async () => {
      await after();
      return ask();
    });
  return {
    evalsha: (...call) => asked(() => redis.evalsha(...call)),
    eval: (...call) => asked(() => redis.eval(...call)),
    // Read again what a script wrote; that is no new request, so nothing has to let it. What cannot be read stands all
    // the same.
    hmget: async (key, ...fields) => {
      try {
        return await untilConfirmed(patience, () => redis.hmget(key, ...fields));
      } catch (error) {
        onDoubt();
        throw error;
      }
    },
    hgetall: (key) => untilConfirmed(patience, () => redis.hgetall(key)),
    // What a library never asks for: it takes no record to work on.
    scard: (key) => redis.scard(key),
    sadd: (key, ...members) => redis.sadd(key, ...members),
    pipeline: () => redis.pipeline(),
    on: (event, tell) => redis.on(event, tell),
  };
}

type Fence = () => Promise<boolean>;

interface Waiting {
  readonly resolve: (reached: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One wait for the replicas for all writes of a turn: every caller has its write behind it, so a wait that begins
 * afterwards covers them all.
 */
export function sharedFence(fence: Fence): Fence {
  const ask = batchPerTick<Waiting>(undefined, async (waiting) => {
    try {
      const reached = await fence();
      for (const { resolve } of waiting) resolve(reached);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  });
  return () => new Promise((resolve, reject) => ask({ resolve, reject }));
}

interface DurabilityGuardOptions {
  readonly redis: Redis;
  readonly clock: Clock;
  /** The operator answers for what cannot be seen: nothing is asked. */
  readonly asserted: boolean;
  /** How many replicas the workers wait for (REDIS_WAIT_REPLICAS). */
  readonly replicas: number;
}

const GOOD_FOR_MS = 60_000;
const BAD_FOR_MS = 1_000;
/** Asks Redis, once a minute and after each reconnect, whether what it answers survives a loss of power. */
export class DurabilityGuard {
  readonly #options: DurabilityGuardOptions;
  #asked: Promise<Durability> | undefined;
  #askAgainMono = 0;

  constructor(options: DurabilityGuardOptions) {
    this.#options = options;
    // What answers after a reconnect may be another server.
    options.redis.on('ready', () => (this.#asked = undefined));
  }

  /** Throws `NotDurableError` with the reasons, each with its remedy. */
  async require(): Promise<void> {
    if (this.#options.asserted) return;
    const { durable, reasons, usedMemoryShare } = await this.#verdict();
    if (!durable) throw new NotDurableError(reasons);
    if (usedMemoryShare !== null && usedMemoryShare > MEMORY_SHARE_MAX) {
      throw new NotDurableError([
        `it uses ${Math.round(usedMemoryShare * 100)} % of its maxmemory: give it more, or wait`,
      ]);
    }
  }

  async #verdict(): Promise<Durability> {
    const { redis, clock, replicas } = this.#options;
    if (this.#asked && clock.monotonic() < this.#askAgainMono) return this.#asked;
    const asking = checkDurability(redis, { asserted: false, replicas });
    this.#asked = asking;
    this.#askAgainMono = Number.POSITIVE_INFINITY;
    try {
      const verdict = await asking;
      this.#askAgainMono = clock.monotonic() + (verdict.durable ? GOOD_FOR_MS : BAD_FOR_MS);
      return verdict;
    } catch (error) {
      if (this.#asked === asking) this.#asked = undefined;
      throw error;
    }
  }
}

interface Asker {
  readonly redis: Redis;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly environment: string;
}

/** Between two looks while no process of the workers has said yet whose these keys are. */
const AGAIN_MS = 1_000;

/**
 * Asks once, and after each reconnect, whose these keys are; throws `OtherDeployment` where they are not of this
 * environment. A producer writes no stamp of its own: it knows neither the service nor its accounts.
 */
export function sameDeployment({ redis, clock, environment }: Asker): () => Promise<void> {
  let ours = false;
  let askAgainMono = 0;
  // What answers after a reconnect may be another server.
  redis.on('ready', () => {
    ours = false;
    askAgainMono = 0;
  });
  return async () => {
    if (ours || clock.monotonic() < askAgainMono) return;
    const stamp = await readStamp(redis);
    if (stamp === undefined) askAgainMono = clock.monotonic() + AGAIN_MS;
    else if (stamp.environment === environment) ours = true;
    else throw new OtherDeployment({ ours: environment, theirs: stamp.environment });
  };
}

/** A host and a port, as BullMQ's own `connection` has them. */
export interface RedisHost {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  /** What all keys of the deployment begin with, as the workers have it in REDIS_PREFIX. Default: `{relais}`. */
  readonly prefix?: string;
  /** Speak TLS; with `ca` (PEM) where Node.js does not know the authority that signed the certificate of Redis. */
  readonly tls?: boolean | { readonly ca?: string };
}

/**
 * `redis://…` or `rediss://…`; or that as `url`, with the sentinels, with the nodes of the cluster, with the workers' REDIS_PREFIX or with what the workers have in REDIS_CA_FILE as
 * `ca` (PEM); or host and port. The same Redis that the workers use.
 */
export type RedisPlace = string | RedisTarget | RedisHost;

export function targetOf(place: RedisPlace): RedisTarget {
  if (typeof place === 'string') return { url: place };
  if ('url' in place) return place;
  const { host = '127.0.0.1', port = 6379, username = '', password = '', db = 0, tls = false, prefix } = place;
  const url = new URL(`${tls ? 'rediss' : 'redis'}://${host.includes(':') ? `[${host}]` : host}:${port}/${db}`);
  url.username = encodeURIComponent(username);
  url.password = encodeURIComponent(password);
  const ca = typeof tls === 'object' ? tls.ca : undefined;
  return { url: url.href, ...(ca === undefined ? {} : { ca }), ...(prefix === undefined ? {} : { prefix }) };
}

/**
 * Requests per key and second, all processes together. The bucket is in Redis; each process takes a few tokens at a
 * time and spends them here, so that a busy caller does not cost a synced write for each of its requests.
 *
 * How many at a time follows demand: one, then twice as many each time they were soon used up, at most a tenth of the
 * rate. What is not spent in a moment is forgotten: a key may get less than its rate by that, and never more.
 */
import type { Redis } from 'ioredis';
import type { Response } from 'express';
import type { Clock } from '../lib/clock.ts';
import { keys } from '../operations/keys.ts';
import { tokenBucket } from '../redis/scripts/generated/scripts.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem } from './problem.ts';

const MICROSECONDS = 1_000_000;
const SPEND_WITHIN_MS = 200;
/** The most that one process takes at a time, of one second's tokens. */
const MOST_AT_ONCE = 0.1;

interface Purse {
  tokens: number;
  /** On the monotonic clock; what is left then is forgotten. */
  goodUntilMono: number;
  /** The bucket was empty: nobody asks Redis before this. */
  emptyUntilMono: number;
  /** How many were taken the last time. */
  size: number;
  refilling: Promise<void> | undefined;
}

interface AllowanceOptions {
  readonly redis: Redis;
  readonly clock: Clock;
  /** More than 0. */
  readonly ratePerSecond: number;
}

/** Tokens of this process, for every name. */
export class Allowance {
  readonly #options: AllowanceOptions;
  readonly #most: number;
  readonly #purses = new Map<string, Purse>();

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#most = Math.max(1, Math.floor(options.ratePerSecond * MOST_AT_ONCE));
  }

  /** 0: go on. Otherwise the ms until it is worth asking again. Rejects when Redis is away. */
  take(name: string): number | Promise<number> {
    const purse = this.#purseOf(name);
    return this.#takeHere(purse) ?? this.#takeElsewhere(name, purse);
  }

  /** Undefined: Redis has to be asked. */
  #takeHere(purse: Purse): number | undefined {
    const now = this.#options.clock.monotonic();
    if (purse.tokens > 0 && now < purse.goodUntilMono) {
      purse.tokens -= 1;
      return 0;
    }
    return now < purse.emptyUntilMono ? Math.ceil(purse.emptyUntilMono - now) : undefined;
  }

  async #takeElsewhere(name: string, purse: Purse): Promise<number> {
    for (;;) {
      purse.refilling ??= this.#refill(name, purse).finally(() => (purse.refilling = undefined));
      await purse.refilling;
      const answer = this.#takeHere(purse);
      if (answer !== undefined) return answer;
    }
  }

  /** There are as many names as there are keys, so nothing has to be forgotten. */
  #purseOf(name: string): Purse {
    const known = this.#purses.get(name);
    if (known) return known;
    const purse = { tokens: 0, goodUntilMono: 0, emptyUntilMono: 0, size: 1, refilling: undefined };
    this.#purses.set(name, purse);
    return purse;
  }

  async #refill(name: string, purse: Purse): Promise<void> {
    const { redis, clock, ratePerSecond } = this.#options;
    const spentSoon = purse.tokens === 0 && clock.monotonic() < purse.goodUntilMono;
    const size = spentSoon ? Math.min(purse.size * 2, this.#most) : 1;
    // One second's tokens may go at once, and nothing is reserved.
    const rate = { everyUs: MICROSECONDS / ratePerSecond, burst: ratePerSecond, longestUs: 0 };
    const { taken, waitMs } = await tokenBucket(redis, { buckets: [keys.requestRate(name)], ...rate, wanted: size });
    const now = clock.monotonic();
    purse.tokens = taken;
    purse.size = size;
    purse.goodUntilMono = now + SPEND_WITHIN_MS;
    purse.emptyUntilMono = taken > 0 ? 0 : now + waitMs;
  }
}

/** Throws or rejects with the refusal; a promise only when Redis has to be asked. */
export type LimitRate = (key: ApiKey, response: Response) => void | Promise<void>;

/** One request is one token, however much it carries: bulk is slowed by its own back-pressure. */
export function limitRate(options: AllowanceOptions): LimitRate {
  const { ratePerSecond } = options;
  if (ratePerSecond === 0) return () => undefined;
  const allowance = new Allowance(options);
  const policy = `"key";q=${ratePerSecond};w=1`;
  const obey = (response: Response, waitMs: number): void => {
    response.set('RateLimit-Policy', policy);
    if (waitMs === 0) return;
    response.set('Retry-After', String(Math.ceil(waitMs / 1_000)));
    throw new ApiProblem('too-many-requests', `This key may ask ${ratePerSecond} times a second (API_RATE).`);
  };
  return ({ name }, response) => {
    const waitMs = allowance.take(name);
    return typeof waitMs === 'number' ? obey(response, waitMs) : waitMs.then((ms) => obey(response, ms));
  };
}

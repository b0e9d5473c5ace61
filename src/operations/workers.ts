/** Which workers are here, so that what is handed out is enough for all of them. */
import type { Redis } from 'ioredis';
import type { Random } from '../lib/random.ts';
import { keys } from './keys.ts';
import { present } from './scripts/generated/scripts.ts';

/** A worker says so each second or so; one that has been silent for so long is not here any more. */
const SILENT_MS = 10_000;

/** How many workers have said lately that they are here. */
export async function workersHere(redis: Redis): Promise<number> {
  const [[seconds], all] = await Promise.all([redis.time(), redis.hgetall(keys.workers)]);
  const heardSince = Number(seconds) * 1_000 - SILENT_MS;
  return Object.values(all).filter((said) => Number(said.split(' ')[0]) > heardSince).length;
}

export class Workers {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #slots: number;
  readonly #now: (() => number) | undefined;
  #all: number;

  /** `slots`: how many requests this worker may have in flight. `now` gives the time instead of Redis, for tests. */
  constructor(
    redis: Redis,
    { slots, random, now }: { readonly slots: number; readonly random: Random; readonly now?: () => number },
  ) {
    this.#redis = redis;
    this.#name = random.hex(4);
    this.#slots = slots;
    this.#now = now;
    this.#all = slots;
  }

  /** How many times as many slots all of them have together as this one has, when it last said that it is here. */
  get times(): number {
    return Math.max(1, this.#all / this.#slots);
  }

  async say(): Promise<void> {
    this.#all = await present(this.#redis, {
      workers: keys.workers,
      now: this.#now?.(),
      name: this.#name,
      slots: this.#slots,
      silentMs: SILENT_MS,
    });
  }

  async leave(): Promise<void> {
    await this.#redis.hdel(keys.workers, this.#name);
  }
}

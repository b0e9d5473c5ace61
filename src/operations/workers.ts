/** Which workers are here, so that what is handed out is enough for all of them. */
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import type { Random } from '../lib/random.ts';
import { timeOf } from '../redis/clock.ts';
import { keys } from './keys.ts';
import { present } from './scripts/generated/scripts.ts';

/** A worker says so each second or so; one that has been silent for so long is not here any more. */
const SILENT_MS = 10_000;

export interface WorkerHere {
  /** Its machine and process, so that a person finds it, and a word that no other worker has. */
  readonly name: string;
  /** How many requests it may have in flight. */
  readonly slots: number;
}

/** The workers that have said lately that they are here, by name. */
export async function workersHere(redis: Redis): Promise<readonly WorkerHere[]> {
  const [now, all] = await Promise.all([timeOf(redis), redis.hgetall(keys.workers)]);
  const heardSince = now - SILENT_MS;
  return Object.entries(all)
    .flatMap(([name, said]) => {
      const [at = 0, slots = 0] = said.split(' ').map(Number);
      return at > heardSince ? [{ name, slots }] : [];
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const LONGEST_PLACE = 80;

/** Of this process: the name of its machine, or of its container, and its number there. */
const thisPlace = (): string => `${hostname()}:${process.pid}`;

export class Workers {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #slots: number;
  readonly #now: (() => number) | undefined;
  #all: number;

  /** `slots`: how many requests this worker may have in flight. `now` gives the time instead of Redis, for tests. */
  constructor(
    redis: Redis,
    {
      slots,
      random,
      place = thisPlace(),
      now,
    }: { readonly slots: number; readonly random: Random; readonly place?: string; readonly now?: () => number },
  ) {
    this.#redis = redis;
    // Whatever a machine is called, it is shown on a terminal.
    this.#name = `${place.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, LONGEST_PLACE)} ${random.hex(4)}`;
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

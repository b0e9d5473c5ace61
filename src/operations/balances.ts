/** What the accounts had left, and how full Redis was, as one worker for all saw it now and then. A week of it is kept. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { answersOf, maybe, text } from '../redis/scripts.ts';
import { keys } from './keys.ts';

const balancesSchema = z.object({ at: z.number(), balances: z.record(z.string(), z.number().nullable()) });
const memorySchema = z.object({ at: z.number(), used: z.number(), max: z.number() });

/** XOF by country, as the service said at that time (ms); null: it could not be read. */
export type Seen = z.output<typeof balancesSchema>;

/** Bytes; `max` is 0 where Redis has no limit. */
export type Memory = z.output<typeof memorySchema>;

/** At ten minutes each, a week. */
const KEPT = 1_008;
/** What grew within less than that says nothing about days. */
const SHORTEST_MS = 3_600_000;
const DAY_MS = 86_400_000;

export class Balances {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** True for the one that is to look in this span of time. */
  async isMyTurn(everyMs: number): Promise<boolean> {
    return (await this.#redis.set(keys.balanceTurn, '1', 'PX', everyMs, 'NX')) === 'OK';
  }

  async note(account: string, seen: Seen): Promise<void> {
    await this.#keep(keys.balances(account), seen);
  }

  async noteMemory(memory: Memory): Promise<void> {
    await this.#keep(keys.memory, memory);
  }

  async #keep(key: string, line: Seen | Memory): Promise<void> {
    await this.#redis
      .multi()
      .lpush(key, JSON.stringify(line))
      .ltrim(key, 0, KEPT - 1)
      .exec();
  }

  /** What each account had left when it was last looked at. One that was never looked at is absent. */
  async latest(accounts: readonly string[]): Promise<{ readonly account: string; readonly seen: Seen }[]> {
    if (accounts.length === 0) return [];
    const pipeline = this.#redis.pipeline();
    for (const account of accounts) pipeline.lindex(keys.balances(account), 0);
    const lines = await answersOf(pipeline, maybe(text));
    return lines.flatMap((line, at) => {
      const account = accounts[at];
      return line === undefined || account === undefined
        ? []
        : [{ account, seen: balancesSchema.parse(JSON.parse(line)) }];
    });
  }

  /** The newest and the oldest look at the memory of Redis that is kept. */
  async memory(): Promise<{ readonly newest: Memory; readonly oldest: Memory } | undefined> {
    const pipeline = this.#redis.pipeline().lindex(keys.memory, 0).lindex(keys.memory, -1);
    const [newest, oldest] = await answersOf(pipeline, maybe(text));
    if (newest === undefined || oldest === undefined) return undefined;
    return { newest: memorySchema.parse(JSON.parse(newest)), oldest: memorySchema.parse(JSON.parse(oldest)) };
  }
}

/**
 * In how many days Redis uses this share of its memory, if it goes on to grow as it has; null where it has no limit,
 * does not grow, or was not looked at for long enough.
 */
export function daysUntilFull(
  looks: { readonly newest: Memory; readonly oldest: Memory } | undefined,
  share: number,
): number | null {
  if (!looks || looks.newest.max === 0) return null;
  const { newest, oldest } = looks;
  const left = newest.max * share - newest.used;
  if (left <= 0) return 0;
  const [grown, ms] = [newest.used - oldest.used, newest.at - oldest.at];
  if (grown <= 0 || ms < SHORTEST_MS) return null;
  return Math.round((left / grown) * (ms / DAY_MS) * 10) / 10;
}

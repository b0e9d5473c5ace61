/** What the accounts had left, and how full Redis was, as one worker for all saw it now and then. */
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

/** At ten minutes each, five weeks of what the accounts had: a month can be closed. */
const BALANCES_KEPT = 5_040;
/** And a week of the memory. */
const MEMORY_KEPT = 1_008;
const AT_ONCE = 500;
/** What grew within less than that says nothing about days. */
const SHORTEST_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface Look {
  readonly account: string;
  readonly seen: Seen;
}

/** Times are ms since the epoch, and their ends belong to them. */
export interface LooksAsked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Where a page ended. */
export const looksCursor = /^(\d{1,16})\.([\w-]{1,64})$/;

type PlaceOfLook = { readonly account: string; readonly seen: Pick<Seen, 'at'> };

/** What two accounts had left at the same moment is told apart by their names. */
const isBelow = (one: PlaceOfLook, other: PlaceOfLook): boolean =>
  one.seen.at < other.seen.at || (one.seen.at === other.seen.at && one.account > other.account);

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
    await this.#keep(keys.balances(account), seen, BALANCES_KEPT);
  }

  async noteMemory(memory: Memory): Promise<void> {
    await this.#keep(keys.memory, memory, MEMORY_KEPT);
  }

  async #keep(key: string, line: Seen | Memory, kept: number): Promise<void> {
    await this.#redis
      .multi()
      .lpush(key, JSON.stringify(line))
      .ltrim(key, 0, kept - 1)
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

  /** What they had left when it was looked at, the newest first, and where to go on. */
  async history(
    accounts: readonly string[],
    { limit, ...page }: LooksAsked,
  ): Promise<{ readonly items: readonly Look[]; readonly next?: string }> {
    const all = await Promise.all(accounts.map((account) => this.#looks(account, { ...page, limit: limit + 1 })));
    const newest = all.flat().sort((a, b) => (isBelow(a, b) ? 1 : -1));
    const items = newest.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(last && newest.length > limit ? { next: `${last.seen.at}.${last.account}` } : {}) };
  }

  /** Looks come in the order of time, so it is over where one is too old. */
  async #looks(account: string, { from = 0, to, after, limit }: LooksAsked): Promise<Look[]> {
    const [, at, name] = looksCursor.exec(after ?? '') ?? [];
    const end = at === undefined || name === undefined ? undefined : { account: name, seen: { at: Number(at) } };
    const found: Look[] = [];
    for (let first = 0; found.length < limit; first += AT_ONCE) {
      const lines = await this.#redis.lrange(keys.balances(account), first, first + AT_ONCE - 1);
      const looks = lines.map((line): Look => ({ account, seen: balancesSchema.parse(JSON.parse(line)) }));
      const isWanted = (look: Look): boolean =>
        look.seen.at >= from && (to === undefined || look.seen.at <= to) && (!end || isBelow(look, end));
      found.push(...looks.filter(isWanted));
      const oldest = looks.at(-1);
      if (lines.length < AT_ONCE || (oldest && oldest.seen.at < from)) break;
    }
    return found.slice(0, limit);
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

/**
 * What waits for history, in Redis: the scripts that end something note it, in the step in which it ends, once history
 * is kept here. What had ended before that is found by looking through the keys once.
 */
import type { Redis } from 'ioredis';
import { isKept, kinds, statesOf } from '../kinds/index.ts';
import { timeOf } from '../redis/clock.ts';
import { answersOf, fieldsRead, list, maybe, text } from '../redis/scripts.ts';
import { type Act, told } from './audit.ts';
import { HISTORY_FIELD, keys, LEFT_FIELD } from './keys.ts';
import type { Fields } from './record.ts';
import { entryOf, linesSetAside, type SetAside } from './set-aside.ts';
import { campaignOfSlice } from './slices.ts';
import { goOnWithout, keepInHistory, noteLeaving, takeHistoryTurn } from './scripts/generated/scripts.ts';

/** The process that had the turn may have ended: another takes it after so long. */
const TURN_MS = 30_000;
/** What nobody could read, and what history did not take, is tried again after so long. */
const AGAIN_MS = 3_600_000;
/** Nothing has ended for so long: there is time to copy. */
const QUIET_MS = 1_000;
/** A quarter of an hour raises an alert. */
const LATE_MS = 300_000;
const LOOKED_AT_ONCE = 1_000;
/** While more than this waits, nothing is added of what had ended before. */
const WAITING_MOST = 20_000;

const DAY_MS = 86_400_000;
const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

const OP = keys.record('');

export interface WaitingForHistory {
  readonly count: number;
  /** Since when the first of them waits, ms since the epoch. */
  readonly since?: number;
  /** How many of them history did not take. */
  readonly setAside: number;
  readonly missing?: Missing;
}

/** What neither Redis nor history has any more: it had left, and then an older copy of history was put back. */
export interface Missing {
  /** Of each kind so many at most. */
  readonly count: Readonly<Record<string, number>>;
  /** They changed last between these, ms since the epoch. */
  readonly from: number;
  readonly to: number;
  /** When it was noticed. */
  readonly since: number;
}

/** How many, at most. */
export function missingOf(missing: Missing | undefined): number {
  return Object.values(missing?.count ?? {}).reduce((sum, many) => sum + many, 0);
}

/** How far looking through the keys has come; the same Redis and the same process only. */
interface Sweep {
  cursor: string;
}

export class HistoryDesk {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #givenTime: (() => number) | undefined;
  #sweep: Sweep = { cursor: '0' };

  /** `name`: of this process, told apart from all others. `now`: instead of the time of Redis, for tests. */
  constructor(redis: Redis, name: string, now?: () => number) {
    this.#redis = redis;
    this.#name = name;
    this.#givenTime = now;
  }

  /** Whether this is the process that writes now. From the first turn on, what ends is noted. */
  async isMyTurn(): Promise<boolean> {
    const turn = await takeHistoryTurn(this.#redis, {
      turn: keys.historyTurn,
      history: keys.history,
      counts: kinds.map(keys.counts),
      name: this.#name,
      forMs: TURN_MS,
    });
    return turn.is === 'mine';
  }

  async release(): Promise<void> {
    if ((await this.#redis.get(keys.historyTurn)) === this.#name) await this.#redis.del(keys.historyTurn);
  }

  /** Ids of what waits longest, and when they were taken. */
  async next(most: number): Promise<{ readonly ids: readonly string[]; readonly at: number }> {
    const at = await this.#now();
    return { ids: await this.#redis.zrangebyscore(keys.historyWaiting, '-inf', at, 'LIMIT', 0, most), at };
  }

  /**
   * Whether what waits is to be copied without a pause. While more ends, sending and paying need the machine more than
   * history does, which is asked about what is over by now: until something has waited for long.
   */
  async mayGoOn(): Promise<boolean> {
    const at = await this.#now();
    const [, first] = await this.#redis.zrangebyscore(keys.historyWaiting, '-inf', at, 'WITHSCORES', 'LIMIT', 0, 1);
    const [, last] = await this.#redis.zrevrangebyscore(keys.historyWaiting, at, '-inf', 'WITHSCORES', 'LIMIT', 0, 1);
    return at - Number(last ?? 0) > QUIET_MS || at - Number(first ?? 0) > LATE_MS;
  }

  /** Records as they are kept, in this order; a record that is gone has no fields. */
  async read(ids: readonly string[]): Promise<readonly Fields[]> {
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hgetall(keys.record(id));
    return answersOf(pipeline, fieldsRead);
  }

  /** Of each slice among them what the file had beside number and values, a line for each recipient. */
  async own(ids: readonly string[]): Promise<readonly (readonly string[])[]> {
    const pipeline = this.#redis.pipeline();
    const slices = ids.filter((id) => campaignOfSlice(id) !== '');
    for (const id of slices) pipeline.lrange(keys.own(id), 0, -1);
    const lines = slices.length === 0 ? [] : await answersOf(pipeline, list(text));
    const of = new Map(slices.map((id, at) => [id, lines[at] ?? []]));
    return ids.map((id) => of.get(id) ?? []);
  }

  /** What history has by now. `unread`: nobody could read them. How many wait no longer. */
  async areKept(
    kept: readonly { readonly id: string; readonly rev: number }[],
    unread: readonly string[],
    setAside: readonly (SetAside & { readonly rev: number })[] = [],
  ): Promise<number> {
    return keepInHistory(this.#redis, {
      waiting: keys.historyWaiting,
      aside: keys.historyAside,
      againInMs: AGAIN_MS,
      kept: kept.map((one) => ({ ...one, record: keys.record(one.id) })),
      setAside: setAside.map((one) => ({
        asideRecord: keys.record(one.id),
        asideId: one.id,
        asideRev: one.rev,
        entry: entryOf(one),
      })),
      unread,
    });
  }

  /** Of the lines of streams among them, how they stand there. */
  async lines(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return linesSetAside(this.#redis, ids);
  }

  /** What was set aside is tried at once: PostgreSQL, or the program, may be another by now. */
  async tryAgain(): Promise<void> {
    const at = await this.#now();
    const ids = await this.#redis.hkeys(keys.historyAside);
    for (let from = 0; from < ids.length; from += LOOKED_AT_ONCE) {
      const some = ids.slice(from, from + LOOKED_AT_ONCE);
      await this.#redis.zadd(keys.historyWaiting, 'XX', ...some.flatMap((id) => [at, id]));
    }
  }

  /** Of each whether it waits to be copied. */
  async wait(ids: readonly string[]): Promise<readonly boolean[]> {
    if (ids.length === 0) return [];
    return (await this.#redis.zmscore(keys.historyWaiting, ...ids)).map((score) => score !== null);
  }

  /** History does not have them as they are: they wait again. */
  async copyAnew(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const at = await this.#now();
    await this.#redis.zadd(keys.historyWaiting, 'NX', ...ids.flatMap((id) => [at, id]));
  }

  /**
   * Looks through some of the keys for what had ended before history was kept. True once all were looked through. What
   * a store has is known by its name and by how far it had come: another one, or an older copy, has to be given all.
   */
  async sweep(store: string): Promise<boolean> {
    if ((await this.#redis.hget(keys.history, 'swept')) === store) return true;
    if ((await this.#redis.zcard(keys.historyWaiting)) > WAITING_MOST) return false;
    const [next, names] = await this.#scan(this.#sweep.cursor);
    const ended = await this.#ended(names);
    const at = await this.#now();
    if (ended.length > 0) await this.#redis.zadd(keys.historyWaiting, 'NX', ...ended.flatMap((id) => [at, id]));
    this.#sweep.cursor = next;
    if (next !== '0') return false;
    await this.#redis.hset(keys.history, 'swept', store);
    return true;
  }

  /** Redis may be another by now, in which a place in the middle means nothing. */
  beginAnew(): void {
    this.#sweep = { cursor: '0' };
  }

  /** A number for what is written next. */
  async nextPass(): Promise<number> {
    return this.#redis.hincrby(keys.history, 'pass', 1);
  }

  /** The mark: how far history was once read back. */
  async mark(): Promise<number> {
    return Number((await this.#redis.hget(keys.history, 'kept')) ?? 0);
  }

  async raiseMark(pass: number): Promise<void> {
    await this.#redis.hset(keys.history, 'kept', pass);
  }

  /** Numbers that history has seen are given to nothing else. */
  async countFrom(pass: number): Promise<void> {
    const given = Number((await this.#redis.hget(keys.history, 'pass')) ?? 0);
    if (given < pass) await this.#redis.hset(keys.history, 'pass', pass);
  }

  /** All that Redis has is given to history again. */
  async copyAllAnew(): Promise<void> {
    this.beginAnew();
    await this.#redis.hdel(keys.history, 'swept');
  }

  /** These are about to leave: noted before they do, so that what an older copy of history lacks can be said. */
  async leaving(leaving: readonly { readonly kind: string; readonly updatedAt: number }[]): Promise<void> {
    if (leaving.length === 0) return;
    const counts = new Map<string, number>();
    for (const { kind, updatedAt } of leaving) {
      const field = `${kind}:${dayOf(updatedAt)}`;
      counts.set(field, (counts.get(field) ?? 0) + 1);
    }
    await noteLeaving(this.#redis, {
      left: keys.historyLeft,
      to: Math.max(...leaving.map(({ updatedAt }) => updatedAt)),
      days: [...counts].map(([day, count]) => ({ day, count })),
    });
  }

  /** What has left of what last changed at that time or later; a day is counted whole. */
  async leftSince(from: number): Promise<Missing | undefined> {
    const { to = '0', ...days } = await this.#redis.hgetall(keys.historyLeft);
    if (to === '0' || Number(to) < from) return undefined;
    const count: Record<string, number> = {};
    for (const [name, many] of Object.entries(days)) {
      const [kind = '', day = ''] = name.split(':');
      if (Number(day) >= dayOf(from)) count[kind] = (count[kind] ?? 0) + Number(many);
    }
    return { count, from, to: Number(to), since: await this.#now() };
  }

  /** For all who ask what is missing in the history that is connected. */
  async tellMissing(missing: Missing | undefined): Promise<void> {
    if (missing === undefined) await this.#redis.hdel(keys.history, 'missing', 'accepted');
    else await this.#redis.hset(keys.history, 'missing', JSON.stringify(missing));
  }

  /** What leaves from now on is in this store. */
  async goOnWith(store: string): Promise<void> {
    if ((await this.#redis.exists(keys.trimmed)) === 1) await this.#redis.hset(keys.trimmed, 'store', store);
    await this.tellMissing(undefined);
  }

  /** The person who goes on without what is missing. */
  async acceptedBy(): Promise<string | undefined> {
    return (await this.#redis.hget(keys.history, 'accepted')) ?? undefined;
  }

  async #scan(cursor: string): Promise<[next: string, ids: readonly string[]]> {
    const { keyPrefix = '' } = this.#redis.options;
    const pattern = `${keyPrefix}${OP}*`;
    const [next, names] = await this.#redis.scan(cursor, 'MATCH', pattern, 'COUNT', LOOKED_AT_ONCE);
    // Nothing was looked through of which some is at another node.
    await this.#redis.exists(keys.nothing);
    return [next, names.map((name) => name.slice(keyPrefix.length + OP.length))];
  }

  /** Which of them history takes: single messages by themselves, and of slices those of a campaign. */
  async #ended(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hmget(keys.record(id), 'kind', 'state', 'campaign');
    const read = await answersOf(pipeline, list(maybe(text)));
    return ids.filter((_, at) => {
      const [name, state = '', campaign = ''] = read[at] ?? [];
      const kind = kinds.find((one) => one === name);
      // What is damaged stays where it is: it is told of elsewhere.
      if (kind === undefined || !statesOf(kind).some((known) => known === state)) return false;
      return isKept(kind, state) && (kind !== 'slice' || campaign !== '');
    });
  }

  async #now(): Promise<number> {
    return this.#givenTime ? this.#givenTime() : timeOf(this.#redis);
  }
}

/** What waits, and since when. */
export async function waitingForHistory(redis: Redis): Promise<WaitingForHistory> {
  const [count, [, since], setAside, missing] = await Promise.all([
    redis.zcard(keys.historyWaiting),
    redis.zrange(keys.historyWaiting, '0', '0', 'WITHSCORES'),
    redis.hlen(keys.historyAside),
    missingInHistory(redis),
  ]);
  return { count, setAside, ...(since === undefined ? {} : { since: Number(since) }), ...(missing && { missing }) };
}

export interface HistoryStanding extends WaitingForHistory {
  /** Of each kind how often one left Redis. */
  readonly left: Readonly<Record<string, number>>;
}

/** Undefined: none is kept. */
export async function historyStanding(redis: Redis): Promise<HistoryStanding | undefined> {
  const [kept, waiting, trimmed] = await Promise.all([
    redis.hget(keys.counts('disbursement'), HISTORY_FIELD),
    waitingForHistory(redis),
    redis.hgetall(keys.trimmed),
  ]);
  if (kept !== '1') return undefined;
  const left = Object.entries(trimmed).filter(([name]) => name.startsWith(LEFT_FIELD));
  return {
    ...waiting,
    left: Object.fromEntries(left.map(([name, many]) => [name.slice(LEFT_FIELD.length), Number(many)])),
  };
}

/** Undefined: the history that was connected last lacks nothing that left Redis. */
export async function missingInHistory(redis: Redis): Promise<Missing | undefined> {
  const kept = await redis.hget(keys.history, 'missing');
  return kept === null ? undefined : (JSON.parse(kept) as Missing);
}

/** History is to go on without what is missing. False: nothing is. */
export function acceptMissing(redis: Redis, by: string, act?: Act): Promise<boolean> {
  return goOnWithout(redis, { history: keys.history, by, ...told(act) });
}

/**
 * What waits for history, in Redis: the scripts that end something note it, in the step in which it ends, once history
 * is kept here. What had ended before that is found by looking through the keys once.
 */
import type { Redis } from 'ioredis';
import { isKept, kinds, statesOf } from '../kinds/index.ts';
import { answersOf, fieldsRead, list, maybe, text } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import type { Fields } from './record.ts';
import { keepInHistory, takeHistoryTurn } from './scripts/generated/scripts.ts';

/** The process that had the turn may have ended: another takes it after so long. */
const TURN_MS = 30_000;
/** What nobody could read is read again after so long. */
const UNREAD_AGAIN_MS = 3_600_000;
const LOOKED_AT_ONCE = 1_000;
/** While more than this waits, nothing is added of what had ended before. */
const WAITING_MOST = 20_000;

const OP = keys.record('');

export interface WaitingForHistory {
  readonly count: number;
  /** Since when the first of them waits, ms since the epoch. */
  readonly since?: number;
}

/** How far looking through the keys has come; the same Redis and the same process only. */
interface Sweep {
  cursor: string;
}

export class HistoryDesk {
  readonly #redis: Redis;
  readonly #name: string;
  #sweep: Sweep = { cursor: '0' };

  /** `name`: of this process, told apart from all others. */
  constructor(redis: Redis, name: string) {
    this.#redis = redis;
    this.#name = name;
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

  async letGo(): Promise<void> {
    if ((await this.#redis.get(keys.historyTurn)) === this.#name) await this.#redis.del(keys.historyTurn);
  }

  /** Ids of what waits longest. */
  async next(most: number): Promise<readonly string[]> {
    return this.#redis.zrangebyscore(keys.historyWaiting, '-inf', await this.#now(), 'LIMIT', 0, most);
  }

  /** Records as they are kept, in this order; a record that is gone has no fields. */
  async read(ids: readonly string[]): Promise<readonly Fields[]> {
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hgetall(keys.record(id));
    return answersOf(pipeline, fieldsRead);
  }

  /** What history has by now. `unread`: nobody could read them. */
  async areKept(
    kept: readonly { readonly id: string; readonly rev: number }[],
    unread: readonly string[],
  ): Promise<void> {
    await keepInHistory(this.#redis, {
      waiting: keys.historyWaiting,
      againInMs: UNREAD_AGAIN_MS,
      kept: kept.map((one) => ({ ...one, record: keys.record(one.id) })),
      unread,
    });
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

  /** A number for what is written next, and the last one that was known to be kept. */
  async nextPass(): Promise<number> {
    return this.#redis.hincrby(keys.history, 'pass', 1);
  }

  async notePass(pass: number): Promise<void> {
    await this.#redis.hset(keys.history, 'kept', pass);
  }

  /** The store is behind what was once read back from it: everything is given to it anew. */
  async isBehind(pass: number): Promise<boolean> {
    const behind = pass < Number((await this.#redis.hget(keys.history, 'kept')) ?? 0);
    if (behind) await this.#redis.hdel(keys.history, 'swept', 'kept');
    return behind;
  }

  async #scan(cursor: string): Promise<[next: string, ids: readonly string[]]> {
    const { keyPrefix = '' } = this.#redis.options;
    const pattern = `${keyPrefix}${OP}*`;
    const [next, names] = await this.#redis.scan(cursor, 'MATCH', pattern, 'COUNT', LOOKED_AT_ONCE);
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
    const [seconds = 0, micros = 0] = (await this.#redis.time()).map(Number);
    return seconds * 1_000 + Math.floor(micros / 1_000);
  }
}

/** What waits, and since when. */
export async function waitingForHistory(redis: Redis): Promise<WaitingForHistory> {
  const [count, [, since]] = await Promise.all([
    redis.zcard(keys.historyWaiting),
    redis.zrange(keys.historyWaiting, '0', '0', 'WITHSCORES'),
  ]);
  return { count, ...(since === undefined ? {} : { since: Number(since) }) };
}

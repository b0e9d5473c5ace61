/** Reading what we know. Nothing here changes anything. */
import type { Redis } from 'ioredis';
import { isFinal } from '../kinds/states.ts';
import { type Kind, kinds, subjects } from '../kinds/index.ts';
import { dueQueues, type QueueName } from '../kinds/due-queues.ts';
import { EVENT_FIELD, flightField, keys } from './keys.ts';
import type { Fields, RecordAt, RecordOf } from './record.ts';
import { type ReviewKind, type ReviewPage, listReview } from './review.ts';
import { noteUnreadable, readStored, UnreadableRecord } from './unreadable.ts';

export interface Page {
  /** The last id of the page before; absent: from the beginning. */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly state?: string | undefined;
}

const FLIGHT = 'flight:';

export class Queries {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async read<K extends Kind>(kind: K, id: string): Promise<RecordAt<K> | undefined> {
    const fields: Fields = await this.#redis.hgetall(keys.record(id));
    if (fields['kind'] !== kind) return undefined;
    const read = readStored(kind, id, fields);
    if (!(read instanceof UnreadableRecord)) return read;
    await noteUnreadable(this.#redis, [id]);
    throw read;
  }

  /** How many records somebody met that cannot be read. */
  async unreadable(): Promise<number> {
    return this.#redis.scard(keys.unreadable);
  }

  /** Undefined also for what is kept as a record and is no operation, as an endpoint is. */
  async kindOf(id: string): Promise<Kind | undefined> {
    const stored = await this.#redis.hget(keys.record(id), 'kind');
    return kinds.find((kind) => kind === stored);
  }

  /** The operation that a caller's reference names, whichever identity it was accepted under. */
  async idOfReference(kind: Kind, account: string, reference: string): Promise<string | undefined> {
    return (await this.#redis.get(keys.reference(account, kind, reference))) ?? undefined;
  }

  /**
   * Records in the order they were accepted, and the id to continue after. A state that is not final has its own
   * set; for a final one the whole order is walked, a bounded number of steps a call, so a page may be short.
   */
  async page<K extends Kind>(
    kind: K,
    { after, limit, state }: Page,
  ): Promise<{ items: (RecordAt<K> | UnreadableRecord)[]; next?: string }> {
    const walked = state !== undefined && isFinal(kind, state);
    const set = state === undefined || walked ? keys.index(kind) : keys.state(kind, state);
    const rank = after ? await this.#redis.zrank(set, after) : null;
    const start = rank === null ? 0 : rank + 1;
    const steps = walked ? limit * 10 : limit;
    const ids = await this.#redis.zrange(set, String(start), String(start + steps - 1));
    const records = await readMany(this.#redis, kind, ids);
    const isMeant = (record: RecordAt<K> | UnreadableRecord): boolean =>
      record instanceof UnreadableRecord ? !walked : state === undefined || record.state === state;
    const items = records.filter(isMeant).slice(0, limit);
    const last = items.length === limit ? items.at(-1)?.id : ids.at(-1);
    return { items, ...(ids.length === steps && last ? { next: last } : {}) };
  }

  /** What waits for a person, whatever its kind, the oldest first, and where to go on. */
  async review(page: ReviewPage): Promise<{ items: (RecordOf[ReviewKind] | UnreadableRecord)[]; next?: string }> {
    const { waiting, next } = await listReview(this.#redis, page);
    const records = await Promise.all(
      waiting.map(async ({ kind, id }) => (await readMany(this.#redis, kind, [id]))[0]),
    );
    // One that somebody has resolved between the two readings no longer waits.
    const items = records.filter((record) => record instanceof UnreadableRecord || record?.state === 'needs_review');
    return { items: items.flatMap((record) => record ?? []), ...(next ? { next } : {}) };
  }

  /** How many operations of a kind stand in each state, and for how many XOF. */
  async counts(kind: Kind): Promise<{ count: Record<string, number>; xof: Record<string, number> }> {
    const all = await this.#redis.hgetall(keys.counts(kind));
    const count: Record<string, number> = {};
    const xof: Record<string, number> = {};
    for (const [name, value] of Object.entries(all)) {
      if (name.startsWith(EVENT_FIELD) || name.startsWith(FLIGHT)) continue;
      if (name.startsWith('xof:')) xof[name.slice(4)] = Number(value);
      else count[name] = Number(value);
    }
    return { count, xof };
  }

  /** XOF of an account's disbursements that have still to leave or are on their way, by withdraw mode. */
  async inFlight(account: string): Promise<Readonly<Record<string, number>>> {
    const ofAccount = flightField(account);
    const all = Object.entries(await this.#redis.hgetall(keys.counts('disbursement')));
    const own = all.filter(([name]) => name.startsWith(ofAccount));
    return Object.fromEntries(own.map(([name, xof]) => [name.slice(ofAccount.length), Number(xof)]));
  }

  /** What was last posted to us about an operation, redacted. */
  async lastCallback(id: string): Promise<string | undefined> {
    return (await this.#redis.get(keys.callback(id))) ?? undefined;
  }

  /** How many recipients and messages have ever been sent, failed, unknown or expired. Only grows. */
  async outcomes(): Promise<Readonly<Record<string, number>>> {
    const counted = await this.#redis.hgetall(keys.counts('outcome'));
    return Object.fromEntries(Object.entries(counted).map(([outcome, count]) => [outcome, Number(count)]));
  }

  /** How many events of each type were ever emitted. Only grows; what EVENTS_KEEP forgets stays counted. */
  async eventsEmitted(): Promise<Readonly<Record<string, number>>> {
    const hashes = await Promise.all(
      Object.keys(subjects).map((subject) => this.#redis.hgetall(keys.counts(subject))),
    );
    const counted = hashes.flatMap((fields) => Object.entries(fields));
    const events = counted.filter(([name]) => name.startsWith(EVENT_FIELD));
    return Object.fromEntries(events.map(([name, count]) => [name.slice(EVENT_FIELD.length), Number(count)]));
  }

  /** When the operation that has been longest in a state entered it, ms since the epoch. */
  async oldestIn(kind: Kind, state: string): Promise<number | undefined> {
    const [, score] = await this.#redis.zrange(keys.state(kind, state), '0', '0', 'WITHSCORES');
    return score === undefined ? undefined : Number(score);
  }

  /** When an operation is looked at next, ms since the epoch. Undefined: nothing is due. */
  async dueAt(queue: QueueName, id: string): Promise<number | undefined> {
    const score = await this.#redis.zscore(keys.due(queue), id);
    return score === null ? undefined : Number(score);
  }

  /** How many ids wait in each due set, and since when the most overdue one does. */
  async backlog(): Promise<{ queue: QueueName; due: number; oldestDueAt?: number }[]> {
    return Promise.all(
      dueQueues.map(async (queue) => {
        const [, score] = await this.#redis.zrange(keys.due(queue), '0', '0', 'WITHSCORES');
        const due = await this.#redis.zcard(keys.due(queue));
        return { queue, due, ...(score === undefined ? {} : { oldestDueAt: Number(score) }) };
      }),
    );
  }
}

async function readMany<K extends Kind>(
  redis: Redis,
  kind: K,
  ids: readonly string[],
): Promise<(RecordAt<K> | UnreadableRecord)[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hgetall(keys.record(id));
  const answers = (await pipeline.exec()) ?? [];
  const records = answers.map(([, fields], index) => readStored(kind, ids[index] ?? '', fields as Fields));
  const unreadable = records.filter((record) => record instanceof UnreadableRecord);
  await noteUnreadable(
    redis,
    unreadable.map(({ id }) => id),
  );
  return records;
}

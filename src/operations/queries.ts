/** Reading what we know. Nothing here changes anything. */
import type { Redis } from 'ioredis';
import { isFinal } from '../kinds/states.ts';
import { type Kind, kinds, subjects } from '../kinds/index.ts';
import { dueQueues, type QueueName } from '../kinds/due-queues.ts';
import { answersOf, fieldsRead } from '../redis/scripts.ts';
import { DOUBT_FIELD, EVENT_FIELD, FLIGHT_FIELD, flightField, keys, UNSENT_FIELD, UNSENT_XOF_FIELD } from './keys.ts';
import { type Fields, type RecordAt, type RecordOf, noteUnreadable, readStored, UnreadableRecord } from './record.ts';
import { type ReviewKind, type ReviewPage, listReview, placeOf as placeInReview } from './review.ts';

/** They hold together, and their ends belong to them. */
export interface Filters {
  readonly state?: string | undefined;
  /** Only of these; absent: of all. */
  readonly accounts?: readonly string[] | undefined;
  /** ms since the epoch. */
  readonly createdFrom?: number | undefined;
  readonly createdTo?: number | undefined;
  /** Whole XOF. */
  readonly amountMin?: number | undefined;
  readonly amountMax?: number | undefined;
}

export interface Page extends Filters {
  /** `next` of the page before; absent: from the newest on. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Where a page ended: an id alone would be of no use once its record has left the state that was asked for. */
export const pageCursor = /^(\d{1,16})\.([\w.-]{1,80})$/;

/** How many times as many as a page has are looked at, where a filter has no index of its own. */
const ROUNDS = 10;

/** Fields of the counts that say something else than how many there are in a state. */
const NOT_OF_A_STATE = [EVENT_FIELD, FLIGHT_FIELD, UNSENT_FIELD, UNSENT_XOF_FIELD, DOUBT_FIELD];

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
   * Records, the newest first, and where to go on. A state that is not final has its own set, in the order in which
   * they entered it; for what has none the whole order is walked, a bounded number of steps a call, so a page may be
   * short.
   */
  async page<K extends Kind>(
    kind: K,
    { after, limit, ...filters }: Page,
  ): Promise<{ items: (RecordAt<K> | UnreadableRecord)[]; next?: string }> {
    const { state, createdFrom = 0, createdTo } = filters;
    const walked = state !== undefined && isFinal(kind, state);
    const set = state === undefined || walked ? keys.index(kind) : keys.state(kind, state);
    const byCreation = set === keys.index(kind);
    // Of which account a record is that cannot be read may be unreadable too, and so is all else.
    const meets = (record: RecordAt<K> | UnreadableRecord): boolean =>
      record instanceof UnreadableRecord ? mayBeMeant(record, filters, walked) : isMeant(record, filters);
    const items: (RecordAt<K> | UnreadableRecord)[] = [];
    let place = placeOf(after) ?? (byCreation && createdTo !== undefined ? lastAt(createdTo) : undefined);
    for (let round = 0; round < ROUNDS; round += 1) {
      const places = await this.#placesBelow(set, place, limit);
      const records = await readMany(
        this.#redis,
        kind,
        places.map(({ id }) => id),
      );
      for (const [index, record] of records.entries()) {
        if (meets(record)) items.push(record);
        place = places[index];
        if (items.length === limit) break;
      }
      const isPast = byCreation && place !== undefined && place.score < createdFrom;
      const isOver = isPast || (places.length < limit && place === places.at(-1));
      if (isOver) return { items };
      if (items.length === limit) break;
    }
    const isMore = (await this.#placesBelow(set, place, 1)).length > 0;
    return { items, ...(place && isMore ? { next: `${place.score}.${place.id}` } : {}) };
  }

  /** Those of one moment are told apart by their ids, as Redis does, so the one at the place itself may be gone. */
  async #placesBelow(set: string, place: Place | undefined, count: number): Promise<Place[]> {
    if (place === undefined) return placesIn(await this.#redis.zrevrange(set, 0, count - 1, 'WITHSCORES'));
    const { score } = place;
    const [above, beside] = await Promise.all([
      this.#redis.zcount(set, `(${score}`, '+inf'),
      this.#redis.zcount(set, score, score),
    ]);
    const found = placesIn(await this.#redis.zrevrange(set, above, above + beside + count - 1, 'WITHSCORES'));
    return found.filter((one) => isBelow(one, place)).slice(0, count);
  }

  /** What waits for a person, whatever its kind, the oldest first, and where to go on. Throws NoSuchPlace. */
  async review({ accounts, ...page }: ReviewPage & Pick<Page, 'accounts'>): Promise<{
    items: (RecordOf[ReviewKind] | UnreadableRecord)[];
    next?: string;
  }> {
    const items: (RecordOf[ReviewKind] | UnreadableRecord)[] = [];
    let { after } = page;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { waiting, next } = await listReview(this.#redis, { ...page, after });
      const records = await Promise.all(waiting.map(({ kind, id }) => readMany(this.#redis, kind, [id])));
      for (const [index, [record]] of records.entries()) {
        if (items.length === page.limit) return { items, ...(after ? { next: after } : {}) };
        const place = waiting[index];
        after = place && placeInReview(place);
        // One that somebody has resolved between the two readings no longer waits.
        const waits = record instanceof UnreadableRecord || record?.state === 'needs_review';
        if (record && waits && (!accounts || accounts.includes(record.account ?? ''))) items.push(record);
      }
      if (next === undefined) return { items };
      after = next;
      if (items.length === page.limit) break;
    }
    return { items, ...(after ? { next: after } : {}) };
  }

  /** How many operations of a kind stand in each state, and for how many XOF. */
  async counts(kind: Kind): Promise<{ count: Record<string, number>; xof: Record<string, number> }> {
    const all = await this.#redis.hgetall(keys.counts(kind));
    const count: Record<string, number> = {};
    const xof: Record<string, number> = {};
    for (const [name, value] of Object.entries(all)) {
      if (NOT_OF_A_STATE.some((field) => name.startsWith(field))) continue;
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

  /** How many ids of a queue are due by then, how many later, and since when the first one is. */
  async dueIn(
    queue: QueueName,
    at: number,
  ): Promise<{ readonly now: number; readonly later: number; readonly oldestAt?: number }> {
    const [now, all, [, score]] = await Promise.all([
      this.#redis.zcount(keys.due(queue), '-inf', at),
      this.#redis.zcard(keys.due(queue)),
      this.#redis.zrange(keys.due(queue), '0', '0', 'WITHSCORES'),
    ]);
    return { now, later: Math.max(0, all - now), ...(now > 0 ? { oldestAt: Number(score) } : {}) };
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

/** What of a record filters ask about. */
interface Listable {
  readonly state: string;
  readonly account: string;
  readonly createdAt: number;
  readonly fields: Fields;
}

/** Whether the record is one of those that a list is to have. */
export function isMeant(record: Listable, filters: Filters): boolean {
  const { state, accounts, createdFrom = 0, createdTo = Number.POSITIVE_INFINITY } = filters;
  if (state !== undefined && record.state !== state) return false;
  if (accounts && !accounts.includes(record.account)) return false;
  return record.createdAt >= createdFrom && record.createdAt <= createdTo && isWithin(amountOf(record), filters);
}

function isWithin(xof: number | undefined, { amountMin, amountMax }: Filters): boolean {
  if (amountMin === undefined && amountMax === undefined) return true;
  return xof !== undefined && xof >= (amountMin ?? 0) && xof <= (amountMax ?? Number.POSITIVE_INFINITY);
}

/** What it moves, or is to move. */
function amountOf({ fields }: Listable): number | undefined {
  const amount = fields['amount'] ?? fields['totalAmount'] ?? fields['askedAmount'];
  return amount === undefined ? undefined : Number(amount);
}

/** It is listed where nothing is asked that only a record that can be read would answer. */
function mayBeMeant({ account }: UnreadableRecord, filters: Filters, walked: boolean): boolean {
  const { accounts, createdFrom, createdTo, amountMin, amountMax } = filters;
  const more = [createdFrom, createdTo, amountMin, amountMax].some((end) => end !== undefined);
  return !walked && !more && (!accounts || accounts.includes(account ?? ''));
}

interface Place {
  readonly id: string;
  readonly score: number;
}

function placeOf(cursor: string | undefined): Place | undefined {
  const [, score, id] = pageCursor.exec(cursor ?? '') ?? [];
  return score === undefined || id === undefined ? undefined : { id, score: Number(score) };
}

function placesIn(flat: readonly string[]): Place[] {
  return flat.flatMap((id, index) => (index % 2 === 0 ? [{ id, score: Number(flat[index + 1]) }] : []));
}

/** Above every id of that moment. */
const lastAt = (ms: number): Place => ({ id: '~', score: ms });

const isBelow = (one: Place, other: Place): boolean =>
  one.score < other.score || (one.score === other.score && one.id < other.id);

async function readMany<K extends Kind>(
  redis: Redis,
  kind: K,
  ids: readonly string[],
): Promise<(RecordAt<K> | UnreadableRecord)[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hgetall(keys.record(id));
  const answers = await answersOf(pipeline, fieldsRead);
  const records = answers.map((fields, index) => readStored(kind, ids[index] ?? '', fields));
  const unreadable = records.filter((record) => record instanceof UnreadableRecord);
  await noteUnreadable(
    redis,
    unreadable.map(({ id }) => id),
  );
  return records;
}

/** Reading what we know. Nothing here changes anything. */
import type { Redis } from 'ioredis';
import { type Kind, kindOf, kinds, subjects } from '../kinds/index.ts';
import { dueQueues, type QueueName } from '../kinds/due-queues.ts';
import {
  DOUBT_FIELD,
  EVENT_FIELD,
  FLIGHT_FIELD,
  flightField,
  HISTORY_FIELD,
  keys,
  UNSENT_FIELD,
  UNSENT_XOF_FIELD,
} from './keys.ts';
import { idOf, type Named, type NamePlace, Names } from './places.ts';
import { STAGED_FOR_S } from './campaigns.ts';
import { type Filters, type Page, type PageOf, areMeant, pageOf, readMany, walkOfName } from './lists.ts';
import {
  type Fields,
  type RecordAt,
  type RecordBase,
  type RecordOf,
  countUnreadable,
  noteUnreadable,
  readStored,
  UnreadableRecord,
} from './record.ts';
import {
  fieldsLeft,
  type Gathered,
  type InHand,
  joined,
  type PastRead,
  type RecipientLeft,
  soughtInPast,
} from './past.ts';
import { type ReviewKind, type ReviewPage, listReview, placeOf as placeInReview } from './review.ts';

/** How many times as many as a page has are looked at, where a filter has no index of its own. */
const ROUNDS = 10;

/** Of one name, for one search: of other accounts may be as many. */
const NAMED_MOST = 1_000;

/** One for each account. */
const REFERRED_MOST = 500;

/** Fields of the counts that say something else than how many there are in a state. */
const NOT_OF_A_STATE = [EVENT_FIELD, FLIGHT_FIELD, UNSENT_FIELD, UNSENT_XOF_FIELD, DOUBT_FIELD, HISTORY_FIELD];

/** Filters with names in clear; an operation has all of them. */
export type NamedFilters = Omit<Filters, 'named'> & { readonly named?: readonly Named[] | undefined };
export type NamedPage = Omit<Page, 'named'> & Pick<NamedFilters, 'named'>;

/** A word that a user looks for, and the names that it can be. */
export interface Wanted {
  readonly word: string;
  readonly ids: readonly string[];
  readonly named: readonly Named[];
}

export interface RecentAsked {
  readonly phones: readonly string[];
  readonly accounts: readonly string[] | undefined;
  readonly states: readonly string[];
  /** ms since the epoch. */
  readonly since: number;
  /** Its own payments are left out. */
  readonly batch: string;
}

/** Payments to one phone number; whole XOF. */
export interface RecentPayments {
  readonly count: number;
  readonly xof: number;
  readonly last: Pick<RecordOf['disbursement'], 'id' | 'amount' | 'state' | 'createdAt'>;
}

/** At most so many payments to one number are added up. */
const RECENT_MOST = 100;
/** So many numbers are looked up beside each other. */
const RECENT_AT_ONCE = 50;

const isReadable = <T>(record: T | UnreadableRecord | undefined): record is T =>
  record !== undefined && !(record instanceof UnreadableRecord);

export class Queries {
  readonly #redis: Redis;
  readonly #past: PastRead | undefined;

  /** `past` absent: what has left Redis is not there. */
  constructor(redis: Redis, past?: PastRead) {
    this.#redis = redis;
    this.#past = past;
  }

  async read<K extends Kind>(kind: K, id: string): Promise<RecordAt<K> | undefined> {
    const near: Fields = await this.#redis.hgetall(keys.record(id));
    const fields = near['kind'] === undefined ? await fieldsLeft(this.#redis, this.#past, id) : near;
    if (fields['kind'] !== kind) return undefined;
    const read = readStored(kind, id, fields);
    if (!(read instanceof UnreadableRecord)) return read;
    await noteUnreadable(this.#redis, [id]);
    throw read;
  }

  /** People of a campaign that left, from history. */
  async recipientsLeft(group: Parameters<PastRead['recipientsOf']>[0]): Promise<readonly RecipientLeft[]> {
    return (await this.#past?.recipientsOf(group)) ?? [];
  }

  /** How many records somebody met that this version still cannot read. */
  async unreadable(): Promise<number> {
    return countUnreadable(this.#redis);
  }

  /** Uploads that were begun and do not count: they are under way, or their process has died. */
  async unfinishedUploads(at: number): Promise<number> {
    return this.#redis.zcount(keys.stagedUploads, `(${at - STAGED_FOR_S * 1_000}`, '+inf');
  }

  /** Undefined also for what is kept as a record and is no operation, as an endpoint is. */
  async kindOf(id: string): Promise<Kind | undefined> {
    const near = await this.#redis.hget(keys.record(id), 'kind');
    const stored = near ?? (await fieldsLeft(this.#redis, this.#past, id))['kind'];
    return kinds.find((kind) => kind === stored);
  }

  /** Of every account that was ever asked to do something, whether or not there still is one. */
  async accounts(): Promise<string[]> {
    return this.#redis.smembers(keys.accounts);
  }

  /** The operation that a caller's reference names, whichever identity it was accepted under. */
  async idOfReference(kind: Kind, account: string, reference: string): Promise<string | undefined> {
    return (await this.#redis.get(keys.reference(account, kind, reference))) ?? undefined;
  }

  /** Records, the newest first, and where to go on: a page may be short, or empty, and still lead on. */
  async page<K extends Kind>(kind: K, asked: NamedPage): Promise<PageOf<K>> {
    const page = await this.#placed(asked);
    const near = await pageOf(this.#redis, kind, page);
    return joined({ redis: this.#redis, past: this.#past }, kind, page, near);
  }

  /** Those that a reference names, by their identities or by the reference itself; there is one page of them. */
  async referred<K extends Kind>(
    kind: K,
    ids: readonly string[],
    { reference, ...asked }: NamedFilters & { readonly reference: string },
  ): Promise<PageOf<K>> {
    const filters = await this.#placed(asked);
    const there = (await readMany(this.#redis, kind, [...new Set(ids)])).filter(isReadable);
    const meant = await areMeant(this.#redis, kind, there, filters);
    const rows = there
      .filter((_, at) => meant[at])
      .map((record) => ({ place: { score: record.createdAt, member: record.id }, record }));
    const page = { ...filters, reference, limit: REFERRED_MOST };
    const { next: _none, ...found } = await joined({ redis: this.#redis, past: this.#past }, kind, page, {
      rows: rows.toSorted((a, b) => b.record.createdAt - a.record.createdAt),
      end: undefined,
    });
    return found;
  }

  /** Those of them that there are, and that can be read. */
  async readable<K extends Kind>(kind: K, ids: readonly string[]): Promise<RecordAt<K>[]> {
    const records = await Promise.all(
      ids.map((id) =>
        this.read(kind, id).catch((error: unknown) => {
          if (error instanceof UnreadableRecord) return undefined;
          throw error;
        }),
      ),
    );
    return records.filter((record) => record !== undefined);
  }

  /** What somebody has in hand, of every kind. `ids`: those that the word may stand for. */
  async sought(
    { ids, word, named: names }: Wanted,
    { accounts, limit }: { readonly accounts: readonly string[] | undefined; readonly limit: number },
  ): Promise<Gathered> {
    const inHand: InHand = { word, places: await Names.of({ redis: this.#redis }).placesOf(names) };
    const own = (await this.#readableHere(ids)).filter(({ id, reference }) => id === word || reference === word);
    const named = await Promise.all(inHand.places.map((place) => this.named(place, { accounts, limit })));
    const among = accounts ?? (await this.accounts());
    const past = await soughtInPast({ redis: this.#redis, past: this.#past }, inHand, { accounts: among, limit });
    return { ...past, items: [...own, ...named.flat(), ...past.items] };
  }

  /** What Redis has under this name, of every kind, the newest first. */
  async named(
    place: NamePlace,
    { accounts, limit }: { readonly accounts: readonly string[] | undefined; readonly limit: number },
  ): Promise<RecordBase[]> {
    const found: RecordBase[] = [];
    const walk = walkOfName(this.#redis, place, limit);
    for (let looked = 0; found.length < limit && looked < NAMED_MOST; looked += limit) {
      const records = await this.#readableHere((await walk.next(limit, () => true)).map(idOf));
      found.push(...records.filter(({ account }) => !accounts || accounts.includes(account)));
      if (walk.isOver) break;
    }
    return found;
  }

  /** Payments since then, by phone number. A number without any is not among them. */
  async recentPayments({ phones, ...asked }: RecentAsked): Promise<ReadonlyMap<string, RecentPayments>> {
    const found = new Map<string, RecentPayments>();
    for (let from = 0; from < phones.length; from += RECENT_AT_ONCE) {
      const some = phones.slice(from, from + RECENT_AT_ONCE);
      const paid = await Promise.all(some.map((phone) => this.#recentTo(phone, asked)));
      for (const [at, one] of paid.entries()) if (one) found.set(some[at] ?? '', one);
    }
    return found;
  }

  async #recentTo(
    phone: string,
    { since, batch, accounts, states }: Omit<RecentAsked, 'phones'>,
  ): Promise<RecentPayments | undefined> {
    const page = { accounts, states, createdFrom: since, named: [['phone', phone] as const], limit: RECENT_MOST };
    const { items } = await this.page('disbursement', page);
    const paid = items.filter(isReadable).filter((one) => one.batch !== batch);
    const [last] = paid;
    return last && { count: paid.length, xof: paid.reduce((all, { amount }) => all + amount, 0), last };
  }

  async #placed<F extends NamedFilters>({ named = [], ...filters }: F): Promise<Omit<F, 'named'> & Filters> {
    const places = await Names.of({ redis: this.#redis }).placesOf(named);
    return { ...filters, ...(places.length > 0 ? { named: places } : {}) };
  }

  /** Those of them that Redis has, and that can be read. */
  async #readableHere(ids: readonly string[]): Promise<RecordBase[]> {
    const found = await Promise.all(
      kinds.map(
        async (kind): Promise<readonly (RecordBase | UnreadableRecord | undefined)[]> =>
          readMany(
            this.#redis,
            kind,
            ids.filter((id) => kindOf(id) === kind),
          ),
      ),
    );
    return found.flat().filter(isReadable);
  }

  /** What waits for a person, whatever its kind, the oldest first, and where to go on. Throws NoSuchPlace. */
  async review({ accounts, ...page }: ReviewPage & Pick<Filters, 'accounts'>): Promise<{
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

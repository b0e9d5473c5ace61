/**
 * A page of a list: the newest first, whatever is asked for, and as dear at its end as at its beginning. Sets that
 * stand side by side or one name in the index (`places.ts`), are walked downwards from a place, a bounded
 * number of steps a page. What no set and no member tells is asked of the records.
 */
import type { ChainableCommander, Redis } from 'ioredis';
import { type Kind, asDeclared, isFinal, statesOf } from '../kinds/index.ts';
import { type Place, isBelow, placeOf } from '../lib/list-cursor.ts';
import { answersOf, fieldsRead, list, maybe, text } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import {
  amountAt,
  amountOf,
  areFew,
  idOf,
  type NamePlace,
  type SoughtPlace,
  boundOf,
  momentOf,
  placeUnder,
} from './places.ts';
import { type Fields, type RecordAt, noteUnreadable, readStored, UnreadableRecord } from './record.ts';

/** They hold together, and their ends belong to them. */
export interface Filters {
  /** Only in one of these. */
  readonly states?: readonly string[] | undefined;
  /** Only of these; absent: of all. */
  readonly accounts?: readonly string[] | undefined;
  /** ms since the epoch. */
  readonly createdFrom?: number | undefined;
  readonly createdTo?: number | undefined;
  /** Whole XOF. */
  readonly amountMin?: number | undefined;
  readonly amountMax?: number | undefined;
  /** Only what has all these names; the one that the fewest have comes first. */
  readonly named?: readonly SoughtPlace[] | undefined;
}

export interface Page extends Filters {
  /** `next` of the page before; absent: from the newest on. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface PageOf<K extends Kind> {
  readonly items: (RecordAt<K> | UnreadableRecord)[];
  readonly next?: string;
  /** History could not be asked, so what has left Redis is not among them. */
  readonly incomplete?: true;
}

/** A record where a list has it. */
export interface Listed<K extends Kind> {
  readonly place: Place;
  readonly record: RecordAt<K> | UnreadableRecord;
}

/** What was found, the newest first, of all that stands above `end`; absent: of everything. */
export interface Found<K extends Kind> {
  readonly rows: readonly Listed<K>[];
  readonly end: Place | undefined;
}

/**
 * So much is asked for one page, a set counted as one place more: three milliseconds of Redis. Then the page is cut,
 * and leads on. Of many sets some places of each are fetched to find one, so what is looked at would count too little.
 */
const ASKED_MOST = 4_000;
const RECORDS_MOST = 300;
const AT_ONCE_MOST = 1_000;
const AT_ONCE_LEAST = 16;
const UNDER_WAY_MOST = 500;
/** Of so many sets a page is no longer fetched at once. */
const MANY_SETS = 100;

export async function pageOf<K extends Kind>(redis: Redis, kind: K, page: Page): Promise<Found<K>> {
  const { after, limit } = page;
  const walk = new Walk(redis, await sourcesOf(redis, kind, page), { from: placeOf(after), limit });
  const rows: Listed<K>[] = [];
  // One more than the page has: whether there is one tells whether the page is the last.
  for (let looked = 0; rows.length <= limit && looked < Math.max(RECORDS_MOST, limit + 1); ) {
    const places = await walk.next(limit + 1 - rows.length, (place) => mayPass(kind, place, page));
    if (places.length === 0) break;
    looked += places.length;
    const records = await readMany(redis, kind, places.map(idOf));
    const meant = await areMeant(redis, kind, records, page);
    for (const [index, place] of places.entries()) {
      const record = records[index];
      if (record && meant[index]) rows.push({ place, record });
    }
  }
  const end = rows.length > limit ? rows[limit - 1]?.place : walk.isOver ? undefined : walk.last;
  return { rows: rows.slice(0, limit), end };
}

/** Everything that has this name, whatever its kind. */
export function walkOfName(redis: Redis, place: NamePlace, limit: number): Walk {
  return new Walk(redis, [sourceOfName(place, {})], { from: undefined, limit });
}

/** One set that is walked. */
interface Source {
  /** Asks for so many places below one, those of its moment included. */
  readonly ask: (asked: ChainableCommander, below: Place | undefined, count: number) => void;
  readonly read: (answer: readonly string[]) => Place[];
  /** All of it, where that is known already. */
  readonly known?: readonly Place[];
}

async function sourcesOf(redis: Redis, kind: Kind, filters: Filters): Promise<Source[]> {
  const [name] = filters.named ?? [];
  if (name) return [sourceOfName(name, filters)];
  if (areFew(kind)) return [await sourceOfFew(redis, kind, filters)];
  const { accounts = await redis.smembers(keys.accounts), states = statesOf(kind) } = filters;
  return accounts.flatMap((account) =>
    [...new Set(states)].map((state) => sourceOfSet(keys.listed(kind, account, state), filters)),
  );
}

/**
 * Of a kind of which there are few, fewer still are under way: they stand in the sets of their states, in the order in
 * which they came to them.
 */
async function sourceOfFew(redis: Redis, kind: Kind, filters: Filters): Promise<Source> {
  const all = sourceOfSet(keys.index(kind), filters);
  const states = filters.states ?? [];
  if (states.length === 0 || states.some((state) => isFinal(kind, state))) return all;
  const ids = await Promise.all(
    states.map((state) => redis.zrange(keys.state(kind, state), '0', String(UNDER_WAY_MOST))),
  );
  const open = ids.flat();
  if (open.length > UNDER_WAY_MOST) return all;
  const created = open.length === 0 ? [] : await redis.zmscore(keys.index(kind), open);
  return { ...all, known: open.map((member, at) => ({ member, score: Number(created[at] ?? 0) })) };
}

function sourceOfSet(set: string, { createdFrom, createdTo }: Filters): Source {
  return {
    ask: (asked, below, count) => {
      const to = Math.min(below?.score ?? Number.POSITIVE_INFINITY, createdTo ?? Number.POSITIVE_INFINITY);
      const max = to === Number.POSITIVE_INFINITY ? '+inf' : to;
      asked.zrevrangebyscore(set, max, createdFrom ?? '-inf', 'WITHSCORES', 'LIMIT', 0, count);
    },
    read: (flat) => flat.flatMap((member, at) => (at % 2 === 0 ? [{ member, score: Number(flat[at + 1]) }] : [])),
  };
}

function sourceOfName({ bucket, head }: NamePlace, { createdFrom, createdTo }: Filters): Source {
  const last = createdTo === undefined ? undefined : { score: createdTo + 1, member: '' };
  const least = createdFrom === undefined ? `[${head}` : `[${head}${momentOf(createdFrom)}`;
  return {
    ask: (asked, below, count) => {
      const from = below && last && isBelow(last, below) ? last : (below ?? last);
      asked.zrange(bucket, boundOf(head, from), least, 'BYLEX', 'REV', 'LIMIT', 0, count);
    },
    read: (members) => members.map((member) => placeUnder(member, head)),
  };
}

interface Stream {
  readonly source: Source;
  /** What was fetched and not taken yet, the newest last. */
  places: Place[];
  /** The last that was fetched, and how many of its moment. */
  last: Place | undefined;
  ties: number;
  isOver: boolean;
  count: number;
}

const isDry = ({ places, isOver }: Stream): boolean => places.length === 0 && !isOver;

/** Several sets as one, from a place downwards. */
class Walk {
  /** The last that was looked at. */
  last: Place | undefined;
  isOver = false;
  readonly #redis: Redis;
  readonly #streams: readonly Stream[];
  #asked = 0;
  #seen = 0;

  constructor(
    redis: Redis,
    sources: readonly Source[],
    { from, limit }: { readonly from: Place | undefined; readonly limit: number },
  ) {
    this.#redis = redis;
    this.last = from;
    const count = sources.length > MANY_SETS ? Math.min(limit + 1, AT_ONCE_LEAST) : limit + 1;
    const begun = { last: from, ties: 0, isOver: false, count };
    this.#streams = sources.map((source) => {
      const { known } = source;
      if (known === undefined) return { ...begun, source, places: [] };
      const below = known.filter((place) => from === undefined || isBelow(place, from));
      return { ...begun, source, isOver: true, places: below.toSorted((a, b) => (isBelow(a, b) ? -1 : 1)) };
    });
  }

  async next(count: number, passes: (place: Place) => boolean): Promise<Place[]> {
    const found: Place[] = [];
    while (found.length < count) {
      const dry = this.#streams.filter(isDry);
      if (dry.length > 0 && this.#seen > 0 && this.#asked >= ASKED_MOST) break;
      if (dry.length > 0) await this.#refill(dry);
      if (dry.some(isDry)) continue;
      const place = this.#newest()?.places.pop();
      this.isOver = place === undefined;
      if (place === undefined) break;
      this.#seen += 1;
      // One that has moved between two sets meanwhile may stand in both.
      const isNew = this.last === undefined || isBelow(place, this.last);
      if (isNew) this.last = place;
      if (isNew && passes(place)) found.push(place);
    }
    return found;
  }

  /** In one step, so that nothing moves between two sets meanwhile and is seen in neither. */
  async #refill(dry: readonly Stream[]): Promise<void> {
    const asked = this.#redis.multi();
    for (const { source, last, count, ties } of dry) source.ask(asked, last, count + ties);
    const answers = await answersOf(asked, list(text));
    for (const [at, stream] of dry.entries()) {
      const fetched = stream.source.read(answers[at] ?? []);
      this.#asked += 1 + fetched.length;
      take(stream, fetched);
    }
  }

  #newest(): Stream | undefined {
    let newest: Stream | undefined;
    let head: Place | undefined;
    for (const stream of this.#streams) {
      const place = stream.places.at(-1);
      if (place === undefined || (head && isBelow(place, head))) continue;
      [newest, head] = [stream, place];
    }
    return newest;
  }
}

/** Those of the moment at which it stood were fetched once more: by their names alone it is told which were seen. */
function take(stream: Stream, fetched: readonly Place[]): void {
  const { last, count, ties } = stream;
  const places = last ? fetched.filter((place) => isBelow(place, last)) : fetched;
  const end = fetched.at(-1);
  stream.isOver = fetched.length < count + ties;
  stream.places = places.toReversed();
  stream.ties = end ? fetched.filter(({ score }) => score === end.score).length : 0;
  stream.last = places.at(-1) ?? last;
  stream.count = Math.min(AT_ONCE_MOST, count * 4);
}

/** What can be told without the record. */
function mayPass(kind: Kind, place: Place, { amountMin, amountMax }: Filters): boolean {
  if (!idOf(place).startsWith(`${asDeclared(kind).prefix}_`)) return false;
  const amount = amountAt(place);
  return amount === undefined || isWithin(amount, { amountMin, amountMax });
}

/** What is asked about a record. */
interface Listable {
  readonly id: string;
  readonly state: string;
  readonly account: string;
  readonly createdAt: number;
  readonly fields: Fields;
}

/** Which of them a list is to have. */
export async function areMeant(
  redis: Redis,
  kind: Kind,
  records: readonly (Listable | UnreadableRecord | undefined)[],
  filters: Filters,
): Promise<boolean[]> {
  const bySet = !areFew(kind) && filters.named === undefined;
  const meant = records.map((record) => {
    if (record === undefined) return false;
    // Of which account one is that cannot be read may be unreadable too, and so is all else: the set tells it.
    if (record instanceof UnreadableRecord) return bySet || mayBeMeant(record, filters);
    return isMeant(record, filters);
  });
  for (const name of filters.named ?? []) {
    const have = await areNamed(redis, name, records);
    for (const [at, has] of have.entries()) meant[at] &&= has;
  }
  return meant;
}

function isMeant(record: Listable, filters: Filters): boolean {
  const { states, accounts, createdFrom = 0, createdTo = Number.POSITIVE_INFINITY } = filters;
  if (states !== undefined && !states.includes(record.state)) return false;
  if (accounts && !accounts.includes(record.account)) return false;
  const isInTime = record.createdAt >= createdFrom && record.createdAt <= createdTo;
  return isInTime && isWithin(amountOf(record.fields), filters);
}

function isWithin(xof: number | undefined, { amountMin, amountMax }: Filters): boolean {
  if (amountMin === undefined && amountMax === undefined) return true;
  return xof !== undefined && xof >= (amountMin ?? 0) && xof <= (amountMax ?? Number.POSITIVE_INFINITY);
}

/** It is listed where nothing is asked that only a record that can be read would answer. */
function mayBeMeant({ account }: UnreadableRecord, filters: Filters): boolean {
  const { states, accounts, createdFrom, createdTo, amountMin, amountMax } = filters;
  const more = [states, createdFrom, createdTo, amountMin, amountMax].some((asked) => asked !== undefined);
  return !more && (!accounts || accounts.includes(account ?? ''));
}

async function areNamed(
  redis: Redis,
  { bucket, head }: NamePlace,
  records: readonly (Listable | UnreadableRecord | undefined)[],
): Promise<boolean[]> {
  if (records.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const record of records) {
    const moment = record && 'createdAt' in record ? momentOf(record.createdAt) : '';
    pipeline.zscore(bucket, `${head}${moment}${record?.id ?? ''}`);
  }
  const scores = await answersOf(pipeline, maybe(text));
  return scores.map((score) => score !== undefined);
}

/** One that Redis does not have is undefined: it may have left meanwhile. */
export async function readMany<K extends Kind>(
  redis: Redis,
  kind: K,
  ids: readonly string[],
): Promise<(RecordAt<K> | UnreadableRecord | undefined)[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hgetall(keys.record(id));
  const answers = await answersOf(pipeline, fieldsRead);
  const records = answers.map((fields, index) =>
    Object.keys(fields).length === 0 ? undefined : readStored(kind, ids[index] ?? '', fields),
  );
  const unreadable = records.filter((record) => record instanceof UnreadableRecord);
  await noteUnreadable(
    redis,
    unreadable.map(({ id }) => id),
  );
  return records;
}

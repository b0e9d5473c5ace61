/** What history alone has, read where Redis has none: by an id, and as the rest of a page. */
import type { Redis } from 'ioredis';
import { type Kind, isFinal, statesOf } from '../kinds/index.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { cursorOf, isBelow, type Place, placeOf } from '../lib/list-cursor.ts';
import type { Act } from './audit.ts';
import type { BatchRow } from '../kinds/batch-rows.ts';
import { areMeant, type Filters, type Found, type Listed, type Page, type PageOf, readMany } from './lists.ts';
import { idOf, type SoughtPlace } from './places.ts';
import { type Fields, type RecordBase, readStored, UnreadableRecord } from './record.ts';
import { stubsLeft } from './stubs.ts';
import { kindsLeft, trimmedKinds } from './trimming.ts';

/** What is asked of history for a page. They hold together. */
export interface PastAsked extends Omit<Filters, 'named'> {
  /** Undefined: all, those too that only another version knows. */
  readonly states?: readonly string[];
  /** All of these, in clear. */
  readonly names?: readonly string[] | undefined;
  /** One of these. */
  readonly anyOf?: { readonly word: string; readonly names: readonly string[] } | undefined;
  readonly reference?: string | undefined;
  /** Only what stands below; of its moment, what is before it by its id. */
  readonly below?: { readonly at: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface PastRow {
  readonly id: string;
  readonly createdAt: number;
  readonly fields: Fields;
  /** There is a later row of the same operation. */
  readonly isOlder: boolean;
}

/** What has left Redis, where somebody can ask for it. */
export interface Past {
  /** The database that it is, by its name; undefined: nothing was ever written there. Throws HistoryAway. */
  store(): Promise<string | undefined>;
  /** What was done from that time on (ms), of these acts, each target once. Throws HistoryAway. */
  actsFrom(from: number, acts: readonly string[]): Promise<readonly LostAct[]>;
  /** The same, line by line, in the order of the audit. Throws HistoryAway. */
  actsAfter(from: number, acts: readonly string[], page: PastActPage): Promise<readonly PastAct[]>;
  /** What callers were told from that time on (ms), in the order of the stream. Throws HistoryAway. */
  eventsFrom(from: number, page: PastEventPage): Promise<readonly PastEvent[]>;
  /** Of these operations, from that time on (ms), each once and in its order. Throws HistoryAway. */
  eventsOf(operations: readonly string[], from: number): Promise<readonly PastEvent[]>;
  /** The record as it left. Throws HistoryAway. */
  fieldsOf(id: string): Promise<Fields | undefined>;
  /** Those of them that it has; `createdAt`: only of acceptances of these times (ms). Throws HistoryAway. */
  recordsOf(kind: Kind, ids: readonly string[], createdAt?: readonly number[]): Promise<ReadonlyMap<string, Fields>>;
  /** The newest first, of those that are over. Throws HistoryAway. */
  page(kind: Kind, asked: PastAsked): Promise<readonly PastRow[]>;
  /** The people of a slice, or those who were left out of an upload, in their order. Throws HistoryAway. */
  recipientsOf(group: GroupLeft): Promise<readonly RecipientLeft[]>;
  /** The rows of a batch, in their order. Throws HistoryAway. */
  batchRowsOf(group: GroupLeft): Promise<readonly BatchRowLeft[]>;
}

export interface LostAct {
  readonly act: string;
  readonly target: string;
}

interface PastActPage {
  /** Only those behind this one. */
  readonly after: Pick<PastAct, 'place' | 'at'> | undefined;
  readonly limit: number;
}

export interface PastAct {
  readonly place: string;
  /** ms since the epoch. */
  readonly at: number;
  readonly target: string;
}

interface PastEventPage {
  /** Only those behind this one. */
  readonly after: Pick<PastEvent, 'place' | 'at'> | undefined;
  readonly limit: number;
}

/** What callers were told, as history has it. */
export interface PastEvent {
  readonly place: string;
  /** ms since the epoch. */
  readonly at: number;
  readonly type: string;
  readonly operation: string;
  readonly sequence: number;
  /** JSON. */
  readonly data: string;
}

interface GroupLeft {
  /** Id of the slice, of the upload, or of the batch. */
  readonly of: string;
  /** When its campaign was made, or the batch. */
  readonly createdAt: number;
  /** Absent: all of them. */
  readonly from?: number;
  readonly limit?: number;
}

/** Somebody in a campaign that history alone has. */
export interface RecipientLeft {
  /** Which of its slice, or of those who were left out of its upload. */
  readonly place: number;
  /** Of the slice, when they stood so. */
  readonly rev: number;
  readonly row: number;
  readonly to: string;
  readonly state: RecipientState;
  readonly values: readonly string[];
  /** What else the file had, in the order of its columns. */
  readonly own: readonly string[];
  readonly code?: string;
  readonly reason?: string;
  /** ms since the epoch. */
  readonly sentAt?: number;
  readonly resent?: number;
}

/** A row of a batch that history alone has. */
export interface BatchRowLeft {
  readonly row: BatchRow;
  /** Why acceptance refused it. */
  readonly reason?: string | undefined;
}

/** Enough to tell most numbers apart by: what does not have those of a person has not their number. */
export const LAST_DIGITS = 6;

/** A person that is forgotten, as history has them. */
export interface PersonInPast {
  readonly phone: string;
  /** Says which written numbers are this one, for what was kept as it was written. */
  readonly reads: (written: string) => boolean;
  /** By what their operations are found there. */
  readonly name: string;
  /** What stands in the place of the number. */
  readonly becomes: string;
  /** In the step in which something of them goes. */
  readonly told: (facts: Act['facts']) => Promise<void>;
}

export interface Forgotten {
  readonly messages: number;
  readonly recipients: number;
  /** Where to go on; absent: that was all. */
  readonly next?: string;
}

export interface PastForgetting {
  /** A bounded part of it; `after`: where the last one left off. Throws HistoryAway. */
  forget(person: PersonInPast, after: string): Promise<Forgotten>;
}

/** It is there, and cannot be read now. */
export class HistoryAway extends Error {
  override readonly name = 'HistoryAway';
}

/** What is asked of it where records and lists are read. */
export type PastRead = Pick<Past, 'fieldsOf' | 'page' | 'recipientsOf'>;

const notAskedHere = (): Promise<never> =>
  Promise.reject(new HistoryAway('history has it, and cannot be asked by this process: give it HISTORY_URL'));

/** Of a process without HISTORY_URL: what another one took out of Redis is not denied by it. */
export const pastOfOthers: PastRead = {
  fieldsOf: notAskedHere,
  page: notAskedHere,
  // Their campaign was read before, so it had not left.
  recipientsOf: async () => [],
};

/** Of a record that Redis does not have. Only what is known to have left may not be answered without history. */
export async function fieldsLeft(redis: Redis, past: PastRead | undefined, id: string): Promise<Fields> {
  if (past === undefined) return {};
  try {
    return (await past.fieldsOf(id)) ?? {};
  } catch (error) {
    const [stub] = error instanceof HistoryAway ? await stubsLeft(redis, [id]) : [];
    if (!(error instanceof HistoryAway) || stub !== undefined) throw error;
    return {};
  }
}

interface Both {
  readonly redis: Redis;
  /** Absent: what has left Redis is not there. */
  readonly past: PastRead | undefined;
}

export interface JoinedPage extends Page {
  readonly reference?: string | undefined;
}

/**
 * A page of both. Redis was read before: what leaves it meanwhile was still there, and what had left is in history.
 * Where both have one, it is as Redis has it.
 */
export async function joined<K extends Kind>(
  { redis, past }: Both,
  kind: K,
  page: JoinedPage,
  near: Found<K>,
): Promise<PageOf<K>> {
  const states = statesLeft(kind, page.states);
  if (past === undefined || states.length === 0) return pageFrom(near, page);
  if ((await kindsLeft(redis)).every((one) => one !== kind)) return pageFrom(near, page);
  try {
    const far = await pastOf({ redis, past }, kind, { ...page, states }, near);
    return pageFrom(together(near, far), page);
  } catch (error) {
    if (!(error instanceof HistoryAway)) throw error;
    return { ...pageFrom(near, page), incomplete: true };
  }
}

/** Those of them in which operations leave Redis. */
function statesLeft(kind: Kind, asked: readonly string[] | undefined): string[] {
  if (trimmedKinds.every((one) => one !== kind)) return [];
  return statesOf(kind).filter((state) => isFinal(kind, state) && (asked?.includes(state) ?? true));
}

/** What somebody has in hand: an id, a reference, or one of the names. */
export interface InHand {
  readonly word: string;
  readonly places: readonly SoughtPlace[];
}

export interface Gathered {
  readonly items: RecordBase[];
  readonly incomplete?: true;
}

/** What history alone has of it, the newest first of each kind. */
export async function soughtInPast(
  { redis, past }: Both,
  { word, places }: InHand,
  { accounts, limit }: { readonly accounts: readonly string[]; readonly limit: number },
): Promise<Gathered> {
  if (past === undefined) return { items: [] };
  const left = await kindsLeft(redis);
  const anyOf = { word, names: places.map(({ inHistory }) => inHistory) };
  try {
    const all = await Promise.all(
      left.map(async (kind) => {
        const rows = await past.page(kind, { states: statesLeft(kind, undefined), anyOf, accounts, limit });
        const ids = rows.map(({ id }) => id);
        const there = await readMany(redis, kind, ids);
        // What Redis has is found there, or is to be found by that name no more.
        return rows.flatMap((row, at): RecordBase[] => {
          const record = there[at] || row.isOlder ? undefined : readStored<Kind>(kind, row.id, row.fields);
          return record === undefined || record instanceof UnreadableRecord ? [] : [record];
        });
      }),
    );
    return { items: all.flat() };
  } catch (error) {
    if (error instanceof HistoryAway) return { items: [], incomplete: true };
    throw error;
  }
}

async function pastOf<K extends Kind>(
  { redis, past }: { readonly redis: Redis; readonly past: PastRead },
  kind: K,
  { named = [], after, limit, ...filters }: JoinedPage & { readonly states: readonly string[] },
  near: Found<K>,
): Promise<Found<K>> {
  const place = placeOf(after);
  const below = place && { at: place.score, id: idOf(place) };
  const names = named.map(({ inHistory }) => inHistory);
  const rows = await past.page(kind, { ...filters, names, below, limit: limit + 1 });
  const end = rows.length > limit ? rows.at(-1) : undefined;
  const known = new Set(near.rows.map(({ record }) => record.id));
  const far = rows.filter(({ id, isOlder }) => !isOlder && !known.has(id));
  const there = await readMany(
    redis,
    kind,
    far.map(({ id }) => id),
  );
  const meant = await areMeant(redis, kind, there, { ...filters, named });
  const found = far.flatMap((row, at): Listed<K>[] => {
    const record = there[at];
    if (record === undefined) return [{ place: placeIn(row), record: readStored(kind, row.id, row.fields) }];
    // It has come back, or never left: its place is where Redis has it.
    const isHere = record instanceof UnreadableRecord || record.createdAt === row.createdAt;
    return meant[at] && isHere ? [{ place: placeIn(row), record }] : [];
  });
  return { rows: found, end: end && placeIn(end) };
}

const placeIn = ({ id, createdAt }: PastRow): Place => ({ score: createdAt, member: id });

/** By the id alone: history does not have what else Redis has in a member. */
const bare = (place: Place): Place => ({ score: place.score, member: idOf(place) });

function together<K extends Kind>(near: Found<K>, far: Found<K>): Found<K> {
  const ends = [near.end, far.end].flatMap((place) => (place ? [bare(place)] : []));
  const end = ends.reduce<Place | undefined>((high, one) => (high && isBelow(one, high) ? high : one), undefined);
  const rows = [...near.rows, ...far.rows]
    .map(({ place, record }) => ({ place: bare(place), record }))
    .filter(({ place }) => end === undefined || !isBelow(place, end))
    .toSorted((a, b) => (isBelow(a.place, b.place) ? 1 : -1));
  return { rows, end };
}

function pageFrom<K extends Kind>({ rows, end }: Found<K>, { limit }: Pick<Page, 'limit'>): PageOf<K> {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? shown.at(-1)?.place : end;
  return { items: shown.map(({ record }) => record), ...(next ? { next: cursorOf(next) } : {}) };
}

/**
 * What history has leaves Redis: found through the lists, taken out by a script that compares it with what was read,
 * and written again where somebody says something about it afterwards.
 */
import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { QueueName } from '../kinds/due-queues.ts';
import { type KindOfMoney, isFinal, lookQueueOf, type StateOf, statesOf } from '../kinds/index.ts';
import { timeOf } from '../redis/clock.ts';
import { answersOf, fieldsRead } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import type { Recalled } from './nudging.ts';
import { areFew, listedAt, type Named, memberOf, Names, namedIn } from './places.ts';
import {
  type Fields,
  isUnreadable,
  noteUnreadable,
  type RecordBase,
  readStored,
  UnreadableRecord,
} from './record.ts';
import { bringBack, forgetStubs, trim, trimSlice } from './scripts/generated/scripts.ts';
import { messageIn, unpackItems } from './slice-form.ts';
import { readSlice, type SliceRecord } from './slices.ts';
import { letterOfState, stubAt, stubBuckets } from './stubs.ts';

/** Where each kind that leaves would be looked at, its slices included. */
const lookedAt = {
  disbursement: [lookQueueOf('disbursement')],
  direct_credit: ['direct-credit'],
  invoice: [lookQueueOf('invoice')],
  payment_request: [lookQueueOf('payment_request')],
  message: [],
  campaign: ['campaign', 'sms-batch', 'status-poll'],
  batch: ['batch'],
} as const satisfies Readonly<Record<KindOfMoney | 'message' | 'campaign' | 'batch', readonly QueueName[]>>;

export type TrimmedKind = keyof typeof lookedAt;
// Of the keys of an object TypeScript knows no more than that they are texts.
export const trimmedKinds = Object.keys(lookedAt) as readonly TrimmedKind[];

/** Those of which one has left. */
export async function kindsLeft(redis: Redis): Promise<TrimmedKind[]> {
  const furthest = await redis.hmget(keys.trimmed, ...trimmedKinds);
  return trimmedKinds.filter((_kind, at) => furthest[at] !== null);
}

const SLICES_LOOKED_AT = ['sms-batch', 'sms-otp', 'status-poll'] as const satisfies readonly QueueName[];

const DAY_MS = 86_400_000;
const BUCKETS_AT_ONCE = 500;

/** A record as it stands in Redis, word by word, and as it reads. */
export interface Standing {
  readonly record: RecordBase<TrimmedKind>;
  readonly stored: Fields;
}

/** What leaves with a campaign or a batch, as it was compared with what history has of it. */
export interface Parts {
  readonly slices?: readonly { readonly id: string; readonly rev: number }[];
  /** Packed rows: of a campaign, those of its uploads that were left out. */
  readonly lists: readonly { readonly list: string; readonly length: number }[];
  /** Nothing in them is ever written over. */
  readonly hashes?: readonly { readonly hash: string; readonly size: number }[];
}

const NO_PARTS: Parts = { lists: [] };

/** How far a list was walked: up to a time of acceptance, and past so many that were accepted in that very moment. */
export interface ListPlace {
  readonly at: number;
  readonly past: number;
}

/** One list of a kind in which some of what is over stands. */
export interface FinalList {
  readonly kind: TrimmedKind;
  readonly set: string;
}

export interface TrimmingOptions {
  readonly redis: Redis;
  /** How long the identity of what left is taken. */
  readonly keepMs: number;
  /** The person that it is about, as the index has them. */
  readonly payeeOf: (record: RecordBase<TrimmedKind>) => string | undefined;
  /** Gives the time instead of Redis, for tests that turn the clock by hand. */
  readonly now?: () => number;
}

export class Trimming {
  readonly #options: TrimmingOptions;
  readonly #names: Names;
  #bucket = 0;

  constructor(options: TrimmingOptions) {
    this.#options = options;
    this.#names = Names.of({ redis: options.redis });
  }

  async now(): Promise<number> {
    const { now, redis } = this.#options;
    return now ? now() : timeOf(redis);
  }

  /** The one database that has what left, by its name. False: this is another one, and nothing more leaves. */
  async isOf(store: string): Promise<boolean> {
    const { redis } = this.#options;
    await redis.hsetnx(keys.trimmed, 'store', store);
    return (await redis.hget(keys.trimmed, 'store')) === store;
  }

  /** Whether anything has left yet. */
  async hasBegun(): Promise<boolean> {
    return (await this.#options.redis.exists(keys.trimmed)) === 1;
  }

  async lists(kind: TrimmedKind): Promise<FinalList[]> {
    if (areFew(kind)) return [{ kind, set: keys.index(kind) }];
    const accounts = await this.#options.redis.smembers(keys.accounts);
    const states = statesOf(kind).filter((state) => mayLeave(kind, state));
    return accounts.flatMap((account) => states.map((state) => ({ kind, set: keys.listed(kind, account, state) })));
  }

  /** What stands in a list from a place on, up to a time of acceptance, the oldest first; `next`: behind all of it. */
  async standing(
    { kind, set }: FinalList,
    { from, to, most }: { readonly from: ListPlace; readonly to: number; readonly most: number },
  ): Promise<{ readonly items: Standing[]; readonly next: ListPlace | undefined }> {
    const { redis } = this.#options;
    const places = await redis.zrangebyscore(set, from.at, to, 'WITHSCORES', 'LIMIT', from.past, most);
    const ids = places.filter((_, at) => at % 2 === 0).map((member) => member.split('.', 1)[0] ?? member);
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.hgetall(keys.record(id));
    const read = ids.length === 0 ? [] : await answersOf(pipeline, fieldsRead);
    const items = ids.flatMap((id, at): Standing[] => {
      const stored = read[at] ?? {};
      const record = readStored(kind, id, stored);
      return record instanceof UnreadableRecord || !mayLeave(kind, record.state) ? [] : [{ record, stored }];
    });
    return { items, next: behind(from, places) };
  }

  /** Takes it out, if it is as it was read. The caller has seen that history has it so. */
  async take(
    { record, stored }: Standing,
    { slices = [], lists, hashes = [] }: Parts = NO_PARTS,
  ): Promise<'trimmed' | 'changed' | 'gone'> {
    const { kind, id, account, state } = record;
    const answer = await trim(this.#options.redis, {
      record: keys.record(id),
      ...stubAt(id),
      waiting: keys.historyWaiting,
      due: lookedAt[kind].map(keys.due),
      listed: listedAt(kind, account, state),
      callback: keys.callback(id),
      mapping: mappingOf(record),
      named: kind === 'batch' ? keys.batchOf(account, stored['contentHash'] ?? '') : undefined,
      trimmed: keys.trimmed,
      beside: kind === 'campaign' ? [keys.parked(id), keys.keptFile(id)] : [],
      now: this.#options.now?.(),
      id,
      kind,
      digest: digestOf(stored),
      letter: letterOfState[state] ?? '',
      keepDays: Math.ceil(this.#options.keepMs / DAY_MS),
      member: areFew(kind) ? id : memberOf(id, record.fields),
      over: slicesAreOverIn(record.state),
      slices: slices.map((one) => ({
        slice: keys.record(one.id),
        own: keys.own(one.id),
        sliceId: one.id,
        rev: one.rev,
      })),
      lists,
      hashes,
      names: await this.#names.placesOf(this.#namesOf(record)),
    });
    return answer.is;
  }

  /** Some of their messages are about to leave: noted before they do, since none of them leads to a slice after that. */
  async noteSlices(ids: ReadonlySet<string>): Promise<void> {
    if (ids.size > 0) await this.#options.redis.sadd(keys.slicesLeaving, ...ids);
  }

  /**
   * Takes those slices of single messages out that are over, and of whose messages none is there any more. One that a
   * message still leads to is noted again when that leaves; one that is still worked on is looked at again.
   */
  async takeSlices(): Promise<void> {
    const { redis, now } = this.#options;
    for (const id of await redis.smembers(keys.slicesLeaving)) {
      const stored: Fields = await redis.hgetall(keys.record(id));
      const slice = sliceOf(stored);
      if (slice !== undefined) {
        const { rev, items, rows } = slice;
        const messages = unpackItems({ items, rows }).map((item) => keys.record(messageIn(item).id));
        const due = SLICES_LOOKED_AT.map(keys.due);
        const isTaken =
          slice.state === 'settled' &&
          (await trimSlice(redis, { slice: keys.record(id), due, messages, now: now?.(), id, rev }));
        if (!isTaken && !(await this.#isAny(messages))) continue;
      }
      await redis.srem(keys.slicesLeaving, id);
    }
  }

  async #isAny(names: readonly string[]): Promise<boolean> {
    return names.length > 0 && (await this.#options.redis.exists(...names)) > 0;
  }

  /** What was said about records that history alone has. */
  async recalled(): Promise<(readonly [id: string, said: Recalled])[]> {
    const all = await this.#options.redis.hgetall(keys.recalled);
    return Object.entries(all).map(([id, said]) => [id, JSON.parse(said) as Recalled] as const);
  }

  /** Writes it again as it left, for what was said about it to be noted. `isFound`: what it is still found by. */
  async bringBack(record: RecordBase<TrimmedKind>, isFound: (name: Named) => boolean = () => true): Promise<boolean> {
    const { kind, id, account, state, createdAt } = record;
    return bringBack(this.#options.redis, {
      record: keys.record(id),
      ...stubAt(id),
      mapping: mappingOf(record),
      listed: listedAt(kind, account, state),
      id,
      created: createdAt,
      member: memberOf(id, record.fields),
      names: await this.#names.placesOf(this.#namesOf(record).filter(isFound)),
      fields: record.fields,
    });
  }

  /** History has it, in words that this version cannot read. */
  async cannotBeRead(id: string): Promise<void> {
    await noteUnreadable(this.#options.redis, [id]);
  }

  /** Nothing more is to be said about it. */
  async heard(id: string): Promise<void> {
    await this.#options.redis.hdel(keys.recalled, id);
  }

  /** Looks through some of the stubs for those whose day is over, each time the next. */
  async forgetStubs(): Promise<number> {
    const buckets = stubBuckets(this.#bucket, BUCKETS_AT_ONCE);
    this.#bucket = buckets.next;
    const { redis, now } = this.#options;
    const gone = await Promise.all(
      buckets.names.map((name) => forgetStubs(redis, { stubs: keys.stubs(name), now: now?.() })),
    );
    return gone.reduce((sum, count) => sum + count, 0);
  }

  #namesOf(record: RecordBase<TrimmedKind>): Named[] {
    const payee = this.#options.payeeOf(record);
    return [...(payee === undefined ? [] : [['phone', payee] as const]), ...namedIn(record.kind, record.fields)];
  }
}

/** The place behind a page, of members and scores in turns. */
function behind(from: ListPlace, page: readonly string[]): ListPlace | undefined {
  const last = page.at(-1);
  if (last === undefined) return undefined;
  const ofLast = page.filter((score, at) => at % 2 === 1 && score === last).length;
  return { at: Number(last), past: ofLast + (Number(last) === from.at ? from.past : 0) };
}

/** The states of slices that nobody is sent to from any more, in a campaign that is over. */
export function slicesAreOverIn(campaignState: string): readonly StateOf<'slice'>[] {
  return campaignState === 'cancelled' ? ['settled', 'queued'] : ['settled'];
}

/** Where a reference that is not the identity itself leads to the record. */
const mappingOf = ({ account, kind, reference }: RecordBase<TrimmedKind>): string | undefined =>
  reference === undefined ? undefined : keys.reference(account, kind, reference);

const mayLeave = (kind: TrimmedKind, state: string): boolean =>
  isFinal(kind, state) && letterOfState[state] !== undefined;

/** Undefined: it is none, or cannot be read. */
export function sliceOf(stored: Fields): SliceRecord | undefined {
  if (stored['kind'] !== 'slice') return undefined;
  try {
    return readSlice(stored);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** As the script makes it. */
function digestOf(stored: Fields): string {
  const words = Object.entries(stored).flat();
  return hash('sha1', words.map((word) => `${Buffer.byteLength(word)}:${word}`).join(''));
}

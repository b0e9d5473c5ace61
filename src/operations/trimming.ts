/**
 * What history has leaves Redis: found through the lists, taken out by a script that compares it with what was read,
 * and written again where somebody says something about it afterwards.
 */
import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type Kind, isFinal, lookQueueOf, statesOf } from '../kinds/index.ts';
import { answersOf, fieldsRead } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import type { Recalled } from './operations.ts';
import { type Named, memberOf, Names, namedIn } from './places.ts';
import { type Fields, type RecordBase, readStored, UnreadableRecord } from './record.ts';
import { bringBack, forgetStubs, trim } from './scripts/generated/scripts.ts';
import { letterOfState, stubAt, stubBuckets } from './stubs.ts';

/** The kinds of which there are many, and that nothing but callers and people ask for once they are over. */
export const trimmedKinds = ['disbursement', 'direct_credit', 'message'] as const satisfies readonly Kind[];
export type TrimmedKind = (typeof trimmedKinds)[number];

const DAY_MS = 86_400_000;
const BUCKETS_AT_ONCE = 500;

/** A record as it stands in Redis, word by word, and as it reads. */
export interface Standing {
  readonly record: RecordBase<TrimmedKind>;
  readonly stored: Fields;
}

/** One list of a kind, account and final state. */
export interface FinalList {
  readonly kind: TrimmedKind;
  readonly account: string;
  readonly state: string;
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
    if (this.#options.now) return this.#options.now();
    const [seconds = 0, micros = 0] = (await this.#options.redis.time()).map(Number);
    return seconds * 1_000 + Math.floor(micros / 1_000);
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
    const accounts = await this.#options.redis.smembers(keys.accounts);
    const states = statesOf(kind).filter((state) => isFinal(kind, state) && letterOfState[state] !== undefined);
    return accounts.flatMap((account) => states.map((state) => ({ kind, account, state })));
  }

  /** What stands in a list from one time of acceptance on, up to another, the oldest first. */
  async standing(
    { kind, account, state }: FinalList,
    { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
  ): Promise<{ readonly items: Standing[]; readonly last: number | undefined }> {
    const { redis } = this.#options;
    const places = await redis.zrangebyscore(
      keys.listed(kind, account, state),
      from,
      to,
      'WITHSCORES',
      'LIMIT',
      0,
      most,
    );
    const ids = places.filter((_, at) => at % 2 === 0).map((member) => member.split('.', 1)[0] ?? member);
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.hgetall(keys.record(id));
    const read = ids.length === 0 ? [] : await answersOf(pipeline, fieldsRead);
    const items = ids.flatMap((id, at): Standing[] => {
      const stored = read[at] ?? {};
      const record = readStored(kind, id, stored);
      return record instanceof UnreadableRecord || record.state !== state ? [] : [{ record, stored }];
    });
    return { items, last: places.length === 0 ? undefined : Number(places.at(-1)) };
  }

  /** Takes it out, if it is as it was read. The caller has seen that history has it so. */
  async take({ record, stored }: Standing): Promise<'trimmed' | 'changed' | 'gone'> {
    const { kind, id, account, state, reference } = record;
    const answer = await trim(this.#options.redis, {
      record: keys.record(id),
      ...stubAt(id),
      waiting: keys.historyWaiting,
      due: keys.due(kind === 'disbursement' ? lookQueueOf(kind) : 'none'),
      listed: keys.listed(kind, account, state),
      callback: keys.callback(id),
      mapping: reference === undefined ? undefined : keys.reference(account, kind, reference),
      trimmed: keys.trimmed,
      now: this.#options.now?.(),
      id,
      kind,
      digest: digestOf(stored),
      letter: letterOfState[state] ?? '',
      keepDays: Math.ceil(this.#options.keepMs / DAY_MS),
      member: memberOf(id, record.fields),
      names: await this.#names.placesOf(this.#namesOf(record)),
    });
    return answer.is;
  }

  /** What was said about records that history alone has. */
  async recalled(): Promise<(readonly [id: string, said: Recalled])[]> {
    const all = await this.#options.redis.hgetall(keys.recalled);
    return Object.entries(all).map(([id, said]) => [id, JSON.parse(said) as Recalled] as const);
  }

  /** Writes it again as it left, for what was said about it to be noted. */
  async bringBack(record: RecordBase<TrimmedKind>): Promise<boolean> {
    const { kind, id, account, state, createdAt } = record;
    return bringBack(this.#options.redis, {
      record: keys.record(id),
      ...stubAt(id),
      listed: keys.listed(kind, account, state),
      recalled: keys.recalled,
      id,
      created: createdAt,
      member: memberOf(id, record.fields),
      names: await this.#names.placesOf(this.#namesOf(record)),
      fields: record.fields,
    });
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

/** As the script makes it. */
function digestOf(stored: Fields): string {
  const words = Object.entries(stored).flat();
  return hash('sha1', words.map((word) => `${Buffer.byteLength(word)}:${word}`).join(''));
}

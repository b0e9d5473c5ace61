/**
 * How operations stand in lists. Each has one place: in the sorted set of its account and state, by the time at which
 * it was asked for. So a list of any accounts and states is a few sets walked side by side, and costs the same at any
 * depth; and nothing is kept twice. The member holds the amount, so that a filter by amount reads no record in vain.
 */
import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type SoughtName, soughtNames } from '../kinds/fields.ts';
import { type Kind, asDeclared } from '../kinds/index.ts';
import type { Place } from '../lib/list-cursor.ts';
import { systemRandom } from '../lib/random.ts';
import { answersOf, maybe, type ScriptHost, text } from '../redis/scripts.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { type Act, told } from './audit.ts';
import { keys } from './keys.ts';
import type { Fields } from './record.ts';
import { forgetName as forgetNameIn, nameKey } from './scripts/generated/scripts.ts';

/** So few that a list of them reads each: they stand in one set. */
const FEW: ReadonlySet<Kind> = new Set(['campaign', 'batch']);

export function areFew(kind: Kind): boolean {
  return FEW.has(kind);
}

/** Where one that has just come to a state is found. */
export function listedAt(kind: Kind, account: string, state: string): string {
  return areFew(kind) ? keys.index(kind) : keys.listed(kind, account, state);
}

/** What it moves, or is to move: said when it was asked for, and never changed. One of them, by its kind. */
export const AMOUNT_FIELDS = ['amount', 'totalAmount', 'askedAmount'] as const;

export function amountOf(fields: Readonly<Record<string, string | number>> | Fields): number | undefined {
  const [amount] = AMOUNT_FIELDS.flatMap((name) => fields[name] ?? []);
  return amount === undefined ? undefined : Number(amount);
}

export function memberOf(id: string, fields: Readonly<Record<string, string | number>>): string {
  const amount = amountOf(fields);
  return amount === undefined ? id : `${id}.${amount}`;
}

/** Of a time in base 36 (ms), until 2059. */
export const MOMENT_DIGITS = 8;

interface New {
  readonly kind: Kind;
  readonly id: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** Where those that are accepted are found, as the script takes it. */
export function listedNew(kind: Kind, account: string, state: string) {
  return {
    listed: listedAt(kind, account, state),
    listedAwaiting: listedAt(kind, account, 'awaiting_approval'),
    accounts: keys.accounts,
  };
}

/** How one of them stands there. */
export function memberOfNew({ kind, id, fields }: New): string {
  return areFew(kind) ? id : memberOf(id, fields);
}

export function idOf({ member }: Place): string {
  const [id = member] = member.split('.', 1);
  return id;
}

export function amountAt({ member }: Place): number | undefined {
  const dot = member.indexOf('.');
  return dot < 0 ? undefined : Number(member.slice(dot + 1));
}

/**
 * By what operations are found besides their ids: telephone numbers, and what the service calls them. The index holds
 * no name, only keyed hashes of them, so that it tells nobody who was paid. The bucket of a name is a sorted set
 * without scores, in which everything about one name stands side by side, the oldest first.
 */

/** Where one name is kept: a sorted set, and how its members begin there. */
export interface NamePlace {
  readonly bucket: string;
  readonly head: string;
}

/** Where a name is sought. */
export interface SoughtPlace extends NamePlace {
  /** The same name where history has it, in clear. */
  readonly inHistory: string;
}

export type Named = readonly [name: SoughtName, value: string];

/** The same name where history has it, in clear. */
export const nameInHistory = ([name, value]: Named): string => `${soughtNames[name]}:${value}`;

/** 18 bits choose the bucket, so that ten million names leave each of them small enough for Redis to pack it. */
const BUCKET_LETTERS = 3;
/** 42 more tell the names in it apart. */
const HASH_LETTERS = 7;
const KEY_BYTES = 16;
/** Behind all that follows a head. */
const END = '~';

const known = new WeakMap<ScriptHost, Names>();

interface NamesOptions {
  readonly redis: ScriptHost & { readonly on?: (event: 'close', tell: () => void) => unknown };
  /** What this process remembers of Redis. Absent: nothing. */
  readonly heartbeat?: Guard | undefined;
  /** In the place of the script, for a double. */
  readonly nameKey?: typeof nameKey | undefined;
}

export class Names {
  readonly #options: NamesOptions;
  #key: Promise<string> | undefined;

  private constructor(options: NamesOptions) {
    this.#options = options;
    const { redis } = options;
    // Another server may answer the next time.
    redis.on?.('close', () => (this.#key = undefined));
  }

  /** One for a connection: all who write through it share what they know. */
  static of(options: NamesOptions): Names {
    const names = known.get(options.redis) ?? new Names(options);
    known.set(options.redis, names);
    return names;
  }

  async placesOf(named: readonly Named[]): Promise<SoughtPlace[]> {
    if (named.length === 0) return [];
    const key = await this.#theKey();
    return named.map((one) => {
      const [name, value] = one;
      const { bucket, head } = placeIn(key, value);
      return { bucket, head: `${head}${soughtNames[name]}`, inHistory: nameInHistory(one) };
    });
  }

  /** Of the value, whatever it is the name of. */
  async placeOf(value: string): Promise<NamePlace> {
    return placeIn(await this.#theKey(), value);
  }

  #theKey(): Promise<string> {
    this.#key ??= this.#readKey().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  /** Made once for a Redis, by the process that needs it first. */
  async #readKey(): Promise<string> {
    const { redis, heartbeat = NO_MEMORY, nameKey: ask = nameKey } = this.#options;
    // A secret: no seed chooses it.
    const offered = systemRandom.hex(KEY_BYTES);
    const memory = heartbeat.remembered();
    const { key } = await ask(redis, { held: keys.nameKey, heartbeat: keys.heartbeat, offered, memory });
    // Nothing is accepted there, so nothing is ever written under this one.
    if (key === undefined) this.#key = undefined;
    return key ?? offered;
  }
}

interface FoundBy {
  readonly id: string;
  readonly createdAt: number;
  readonly name: Named;
}

/** Of each operation, whether it is found by that name. */
export async function areFound(redis: Redis, asked: readonly FoundBy[]): Promise<boolean[]> {
  if (asked.length === 0) return [];
  const places = await Names.of({ redis }).placesOf(asked.map(({ name }) => name));
  const pipeline = redis.pipeline();
  for (const [at, { bucket, head }] of places.entries()) {
    const { id = '', createdAt = 0 } = asked[at] ?? {};
    pipeline.zscore(bucket, `${head}${momentOf(createdAt)}${id}`);
  }
  return (await answersOf(pipeline, maybe(text))).map((score) => score !== undefined);
}

const FORGOTTEN_AT_ONCE = 1_000;

/** Takes the name out of the index, whichever operation has it: nothing is found by it any more. */
export async function forgetName(redis: Redis, { bucket, head }: NamePlace, act?: Act): Promise<void> {
  const asked = { bucket, ...told(act), head, stop: `${head}${END}`, most: FORGOTTEN_AT_ONCE };
  while ((await forgetNameIn(redis, asked)) === FORGOTTEN_AT_ONCE);
}

function placeIn(key: string, value: string): NamePlace {
  const hash = createHmac('sha256', key).update(value).digest('base64url');
  const at = (from: number, count: number): string => hash.slice(from, from + count);
  return { bucket: keys.names(at(0, BUCKET_LETTERS)), head: at(BUCKET_LETTERS, HASH_LETTERS) };
}

type Sought = readonly (readonly [field: string, name: SoughtName])[];
const knownSought = new Map<Kind, Sought>();

/** Asked for at each change of a record, and never another. */
function fieldsSought(kind: Kind): Sought {
  const remembered = knownSought.get(kind);
  if (remembered) return remembered;
  const sought = Object.entries(asDeclared(kind).fields).flatMap(([field, { sought: name }]) =>
    name ? [[field, name] as const] : [],
  );
  knownSought.set(kind, sought);
  return sought;
}

/** Names among the fields that are written. What the record had already was named in the step that wrote it. */
export function namedIn(
  kind: Kind,
  written: Readonly<Record<string, unknown>>,
  had: Readonly<Record<string, unknown>> = {},
): Named[] {
  return fieldsSought(kind).flatMap(([field, name]): Named[] => {
    const value = written[field];
    return typeof value === 'string' && value !== '' && value !== had[field] ? [[name, value]] : [];
  });
}

/** Which names the operations of a kind are found by. */
export function namesOf(kind: Kind): ReadonlySet<SoughtName> {
  return new Set(fieldsSought(kind).map(([, name]) => name));
}

/** Below that place, of all that stands under a head; as ZRANGE BYLEX has it. */
export function boundOf(head: string, below: Place | undefined): string {
  return below ? `(${head}${momentOf(below.score)}${below.member}` : `(${head}${END}`;
}

export function placeUnder(member: string, head: string): Place {
  const rest = member.slice(head.length);
  return { score: Number.parseInt(rest.slice(0, MOMENT_DIGITS), 36), member: rest.slice(MOMENT_DIGITS) };
}

export const momentOf = (ms: number): string => ms.toString(36).padStart(MOMENT_DIGITS, '0');

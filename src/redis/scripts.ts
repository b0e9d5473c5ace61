/**
 * The one way in which a Lua script is called. Each script is a `.lua` file whose head says what it takes and answers;
 * the functions in the `generated/` folders are made from it, and they come by here.
 */
import { createHash } from 'node:crypto';
import type { ChainableCommander } from 'ioredis';

export interface Script {
  readonly name: string;
  readonly lua: string;
  readonly sha: string;
}

export type Word = string | number;

/** Where a script can be sent: a connection, or something that stands before one. */
export interface ScriptHost {
  evalsha(sha: string, keys: number, ...words: Word[]): Promise<unknown>;
  eval(lua: string, keys: number, ...words: Word[]): Promise<unknown>;
}

/** What records are kept with, so much of a connection and no more. */
export interface RecordHost extends ScriptHost {
  hgetall(key: string): Promise<Record<string, string>>;
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>;
  scard(key: string): Promise<number>;
  sadd(key: string, ...members: string[]): Promise<number>;
  pipeline(): ChainableCommander;
  on(event: 'close', tell: () => void): unknown;
}

export function defineScript(name: string, lua: string): Script {
  return { name, lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/**
 * Every key that the script touches is in `keys`. It is sent in full only when this Redis has not seen it; in a
 * pipeline too, since each call is answered for itself.
 */
export async function runScript(
  redis: ScriptHost,
  script: Script,
  keys: readonly string[],
  words: readonly Word[],
): Promise<unknown> {
  try {
    return await redis.evalsha(script.sha, keys.length, ...keys, ...words).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(script.lua, keys.length, ...keys, ...words);
    });
  } catch (error) {
    throw named(error, script);
  }
}

/** What Redis refuses is told with the name of the script: its own words speak of a digest. */
function named(error: unknown, { name }: Script): unknown {
  const tail = ` (script ${name})`;
  if (error instanceof Error && error.name === 'ReplyError' && !error.message.endsWith(tail)) error.message += tail;
  return error;
}

/** A list, with how many there are before it. */
export const counted = (list: readonly Word[]): readonly Word[] => [list.length, ...list];

/** Names and values in turn, with how many words there are before them. */
export function pairs(record: Readonly<Record<string, Word>>): readonly Word[] {
  const words: Word[] = [0];
  for (const [name, value] of Object.entries(record)) words.push(name, value);
  words[0] = words.length - 1;
  return words;
}

/** Reads one value of an answer, or throws: what a script answers and what its head says are not the same. */
export type Read<T> = (value: unknown) => T;

export function unexpected(value: unknown): never {
  throw new Error(`a script answered what its head does not say: ${JSON.stringify(value)}`);
}

export const items: Read<readonly unknown[]> = (value) => (Array.isArray(value) ? value : unexpected(value));

export const text: Read<string> = (value) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : unexpected(value);

/** Lua answers a number as a whole one; what was read from a key is still text. */
export function number(value: unknown): number {
  const read = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : unexpected(value);
}

export const flag: Read<boolean> = (value) => number(value) === 1;

/** Nothing, or the empty text: it is not there. */
export const optional = <T>(read: Read<T>, value: unknown): T | undefined =>
  value === null || value === undefined || value === '' ? undefined : read(value);

export const list =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value) =>
    items(value).map(read);

/** What may be missing where Redis answers a list of values. */
export const maybe =
  <T>(read: Read<T>): Read<T | undefined> =>
  (value) =>
    optional(read, value);

/** Nothing is looked at: what counts is that it was done. */
export const ignored: Read<undefined> = () => undefined;

/** A hash as the client gives it: an object of texts. */
export function fieldsRead(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return unexpected(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, text(one)]));
}

interface Pipeline {
  exec(): Promise<readonly (readonly [error: Error | null, answer: unknown])[] | null>;
}

/** A pipeline answers command by command; one that failed must not pass for an answer. */
export async function answersOf<T>(pipeline: Pipeline, read: Read<T>): Promise<T[]> {
  return ((await pipeline.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return read(answer);
  });
}

/** Fields and values in turn. */
export function hash(value: unknown): Readonly<Record<string, string>> {
  const flat = items(value);
  const record: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) record[text(flat[at])] = text(flat[at + 1]);
  return record;
}

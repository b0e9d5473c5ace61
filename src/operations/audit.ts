/**
 * Who did what: one line for each act that changes something through a door, written in the same script as the act.
 * Each line's hash is made of the hash before it, so that a line that was changed by hand is found; that all of them
 * were made anew is found by the seals of the processes (`audit-seal.ts`).
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { keys } from './keys.ts';
import { noteAct } from './scripts/generated/scripts.ts';

/** What a door knows of an act before it is done. */
export interface Act {
  /** The name of the key, or what else acted. */
  readonly by: string;
  /** The person behind the key, or the service; empty: nobody has said. */
  readonly person: string;
  readonly role: string;
  readonly door: 'api' | 'settings';
  readonly requestId: string;
  readonly act: string;
  readonly target: string;
  /** What else is told of it, beside what the script knows. Never a number of a person, a text or a secret. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

const NOBODY = { audit: [], act: [] } as const;
const STREAM = [keys.audit, keys.auditLast];

/** As the scripts take it; an act that is none writes no line. */
export function told(act: Act | undefined): { readonly audit: readonly string[]; readonly act: readonly string[] } {
  return act === undefined ? NOBODY : { audit: STREAM, act: wordsOf(act) };
}

function wordsOf({ by, person, role, door, requestId, act, target, facts = {} }: Act): readonly string[] {
  return [by, person, role, door, requestId, act, target, JSON.stringify(facts).slice(1, -1)];
}

/** Where several acts may come in one step. */
export function toldTogether(acts: readonly Act[]) {
  return { audit: acts.length > 0 ? STREAM : [], acts: acts.map((act) => ({ words: wordsOf(act) })) };
}

/** One line, as it is kept. */
export interface AuditLine {
  readonly id: string;
  /** The words that its hash is made of, in this order, and then the hash. */
  readonly words: Readonly<Record<AuditWord, string>>;
}

export const auditWords = [
  'at',
  'by',
  'person',
  'role',
  'door',
  'requestId',
  'act',
  'target',
  'before',
  'after',
] as const;
type AuditWord = (typeof auditWords)[number] | 'hash';

/** As in `lib/audit.lua`: each word with its length before it, after the hash of the line before. */
export function hashOfLine({ words }: AuditLine, before: string): string {
  const parts = auditWords.map((name) => `${Buffer.byteLength(words[name])}:${words[name]}`);
  return createHash('sha1')
    .update([before, ...parts].join(' '))
    .digest('hex');
}

function readLine([id, flat]: readonly [string, readonly string[]]): AuditLine {
  const word = (name: string): string => {
    const at = flat.findIndex((one, place) => place % 2 === 0 && one === name);
    return at === -1 ? '' : (flat[at + 1] ?? '');
  };
  const words = Object.fromEntries([...auditWords, 'hash'].map((name) => [name, word(name)]));
  return { id, words: words as Record<AuditWord, string> };
}

/** Where the stream ends, by the word of the last act. */
export interface LastLine {
  readonly id: string;
  readonly hash: string;
}

export class Audit {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** For an act that is no script of ours: told in a step of its own, after it. */
  async tell(act: Act): Promise<void> {
    await noteAct(this.#redis, told(act));
  }

  /** Newest first. */
  async page({ before, limit }: { readonly before?: string | undefined; readonly limit: number }) {
    const from = before === undefined ? '+' : `(${before}`;
    return (await this.#redis.xrevrange(keys.audit, from, '-', 'COUNT', limit)).map(readLine);
  }

  /** Oldest first, those after one and up to another. */
  async after(place: string, upto: string, most: number): Promise<readonly AuditLine[]> {
    return (await this.#redis.xrange(keys.audit, `(${place}`, upto, 'COUNT', most)).map(readLine);
  }

  async last(): Promise<LastLine | undefined> {
    const [id, hash] = (await this.#redis.get(keys.auditLast))?.split(' ') ?? [];
    return id && hash ? { id, hash } : undefined;
  }
}

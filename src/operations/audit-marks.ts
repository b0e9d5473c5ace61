/**
 * The mark of a line: a MAC of what the door said of the act, with a key that is not in Redis. The hash of a line says
 * that it was not changed; its mark says that a process of ours asked for it, and for it once.
 */
import { createHmac } from 'node:crypto';
import type { Random } from '../lib/random.ts';
import { type Secret, sameSecret } from '../lib/secret.ts';

/** Of what a door knows of an act before it is done, in the order in which scripts take it; the facts are last. */
export type Sign = (words: readonly string[]) => string;

/** What a line says of its act, as the door said it before. */
export interface Asked {
  /** By, person, role, door, request and act. */
  readonly words: readonly string[];
  readonly target: string;
  readonly after: string;
}

/**
 * Which process, its how manieth, how many characters at the end of `after` are the facts of the door, and whether the
 * script was to say the target (`-`); then the MAC.
 */
const MARK = /^([0-9a-f]+)\.(\d+)\.(\d+)(-?)\.([\w-]+)$/;
/** Of two with one name each line of the later would be one that was put there twice. */
const NAME_BYTES = 8;
/** Of base64url: 96 bits. */
const LETTERS = 16;

/** Undefined: there is no secret, so nobody could tell a mark from any text. */
export function auditSigner([secret]: readonly Secret[], random: Random): Sign | undefined {
  if (secret === undefined) return undefined;
  const process = random.hex(NAME_BYTES);
  let count = 0;
  return (words) => {
    count += 1;
    const [facts = '', target = ''] = words.toReversed();
    const name = `${process}.${count}.${facts.length}${target === '' ? '-' : ''}`;
    return `${name}.${macOf(name, words, secret)}`;
  };
}

export function isMarked(mark: string, { words, target, after }: Asked, secrets: readonly Secret[]): boolean {
  const [, process = '', count = '', length = '', open = '', mac = ''] = MARK.exec(mark) ?? [];
  // Before the last bracket.
  const facts = length === '0' ? '' : after.slice(0, -1).slice(-Number(length));
  const said = [...words, open === '' ? target : '', facts];
  const name = `${process}.${count}.${length}${open}`;
  return mac !== '' && secrets.some((secret) => sameSecret(macOf(name, said, secret), mac));
}

/** Each mark is of one line. */
export class SeenMarks {
  readonly #seen = new Map<string, Set<number>>();

  /** Whether this one was seen before. */
  again(mark: string): boolean {
    const [, process, count] = MARK.exec(mark) ?? [];
    if (process === undefined) return false;
    const counts = this.#seen.get(process) ?? new Set();
    const was = counts.has(Number(count));
    counts.add(Number(count));
    this.#seen.set(process, counts);
    return was;
  }
}

function macOf(name: string, said: readonly string[], secret: Secret): string {
  return createHmac('sha256', `relais act ${secret.reveal()}`)
    .update(JSON.stringify([name, ...said]))
    .digest('base64url')
    .slice(0, LETTERS);
}

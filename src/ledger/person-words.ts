/** Finds a phone number in stored values, and replaces it. */
import { createHash } from 'node:crypto';
import { plainText } from '../lib/letters.ts';
import { digitsOf } from '../lib/phone.ts';
import { numberingsOf, numbersOf, subscriberOf } from '../lib/renumbering.ts';

const NAME_CHARACTERS = 12;
const TAIL_DIGITS = 6;

export interface PersonWords {
  /** All phone numbers of the person, E.164. */
  readonly numbers: readonly string[];
  /** The last digits: a text without them does not contain the number. */
  readonly tail: string;
  /** The replacement for every number of the person. */
  readonly name: string;
  /** Whether a cell of a file is or contains the number, in any format. */
  readonly isIn: (cell: string) => boolean;
  /** The value with each number replaced; the same value if it contains none. */
  without<T>(value: T): T;
}

/** `reads`: whether a written number is this number. */
export function wordsOf(phone: string, reads: (written: string) => boolean): PersonWords {
  const digits = digitsOf(phone);
  const name = `purged-${createHash('sha256').update(subscriberOf(digits)).digest('base64url').slice(0, NAME_CHARACTERS)}`;
  const written = numberingsOf(digits).map((one) => one.split('').join('[\\s().-]{0,2}'));
  const pattern = `\\+?(?:${written.join('|')})`;
  const [one, all] = [new RegExp(pattern), new RegExp(pattern, 'g')];
  const textWithout = (text: string): string => {
    const plain = plainText(text);
    return one.test(plain) ? plain.replace(all, name) : text;
  };
  return {
    numbers: numbersOf(phone),
    tail: digits.slice(-TAIL_DIGITS),
    name,
    isIn: (cell) => reads(cell) || one.test(plainText(cell)),
    without: (value) => mapped(value, textWithout),
  };
}

/** A JSON value with changed texts; the same value if none changes. */
function mapped<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, member]) => [key, mapped(member as unknown, change)] as const);
  if (changed.every(([, member], at) => member === entries[at]?.[1])) return value;
  return (Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed)) as T;
}

/**
 * How the recipients of a chunk are packed: one JSON array a recipient, joined by commas, so that one more can be
 * appended without reading the others.
 *
 *   campaign   [row, digits, value, value, …]      the values of the template's variables, in the template's order
 *   messages   [id, to, from, text, expires at]
 */
import type { StateOf } from '../kinds/index.ts';
import { type RecipientState, outcomeLetters } from '../kinds/recipient.ts';

export interface CampaignItem {
  readonly row: number;
  /** E.164, with the plus sign. */
  readonly to: string;
  /** Kept beside the items, once for all where it is the same. */
  readonly country?: string;
  readonly values: readonly string[];
}

export interface MessageItem {
  readonly id: string;
  readonly to: string;
  /** '' for the account's own sender. */
  readonly from: string;
  readonly text: string;
  /** ms since the epoch; 0: never. */
  readonly expiresAt: number;
}

/** Upstream takes 1 to 50 in one request (interface: Limits). */
export const RECIPIENTS_PER_REQUEST = 50;

/** What stands in the place of a number whose person was forgotten begins so. */
export const PURGED = 'purged-';

export function isPurged(to: string): boolean {
  return to.startsWith(PURGED);
}

// The plus sign is left out: it is always there, and a million of them are a megabyte.
export function packCampaignItem({ row, to, values }: CampaignItem): string {
  return JSON.stringify([row, isPurged(to) ? to : to.slice(1), ...values]);
}

function packMessageItem({ id, to, from, text, expiresAt }: MessageItem): string {
  return JSON.stringify([id, to, from, text, expiresAt]);
}

export function unpackCampaignItems(packed: string): CampaignItem[] {
  const items = JSON.parse(`[${packed}]`) as [number, string, ...string[]][];
  return items.map((item) => {
    const [row, digits] = item;
    return { row, to: isPurged(digits) ? digits : `+${digits}`, values: item.slice(2) as string[] };
  });
}

export function unpackMessageItems(packed: string): MessageItem[] {
  const rows = JSON.parse(`[${packed}]`) as [string, string, string, string, number][];
  return rows.map(([id, to, from, text, expiresAt]) => ({ id, to, from, text, expiresAt }));
}

/** What a recipient is when nothing else was written down: it follows from the state of the chunk. */
export const impliedState = {
  queued: 'queued',
  sending: 'sending',
  refused: 'sending',
  unknown: 'unknown',
  settled: 'unknown',
} as const satisfies Record<StateOf<'chunk'>, RecipientState>;

const stateOfLetter = Object.fromEntries(
  Object.entries(outcomeLetters).map(([state, letter]) => [letter, state as RecipientState]),
) as Readonly<Record<string, RecipientState>>;

export function packOutcome(states: readonly RecipientState[]): string {
  let letters = '';
  for (const state of states) letters += outcomeLetters[state];
  return letters;
}

/** The state of each recipient: what was written down, else what follows from the state of the chunk. */
export function unpackOutcome(outcome: string, count: number, otherwise: RecipientState): RecipientState[] {
  const states = repeated(otherwise, count);
  for (let index = Math.min(count, outcome.length) - 1; index >= 0; index -= 1) {
    states[index] = stateOfLetter[outcome.charAt(index)] ?? otherwise;
  }
  return states;
}

function repeated<T>(value: T, count: number): T[] {
  const all: T[] = [];
  for (let index = 0; index < count; index += 1) all.push(value);
  return all;
}

/** Upstream's codes by position. Mostly all are the same, and then one is kept for all. */
export function packCodes(codes: Readonly<Record<number, string>>, count: number): string {
  const given = Object.values(codes);
  const [first] = given;
  if (first === undefined) return '';
  const same = given.length === count && given.every((code) => code === first);
  return JSON.stringify(same ? { all: first } : codes);
}

export function unpackCodes(packed: string, count: number): Record<number, string> {
  if (packed === '') return {};
  const { all, ...codes } = JSON.parse(packed) as { all?: string } & Record<number, string>;
  return all === undefined ? codes : Object.assign({}, repeated(all, count));
}

/** The messages of a chunk without what they said: for one-time passwords, once they are over. */
export function forgetTexts(packed: string): string {
  return unpackMessageItems(packed)
    .map((item) => packMessageItem({ ...item, text: '' }))
    .join(',');
}

const NOT_SENT: ReadonlySet<RecipientState> = new Set(['failed', 'expired', 'skipped']);

/** More than so often is no longer told apart: one digit is there for it. */
const MOST_AGAIN = 9;

/** How often each recipient was sent to again after a doubt: a digit for each, or nothing where nobody was. */
export function packAgain(times: readonly number[]): string {
  return times.some((count) => count > 0) ? times.map((count) => Math.min(MOST_AGAIN, count)).join('') : '';
}

export function unpackAgain(packed: string, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Number(packed.charAt(index) || 0));
}

/** Whoever was in doubt before and may have got it is not reported as not sent to, whatever became of the last time. */
export function orDoubt(
  states: readonly RecipientState[],
  { again, count }: { readonly again: string; readonly count: number },
): RecipientState[] {
  if (again === '') return [...states];
  const times = unpackAgain(again, count);
  return states.map((state, index) => (NOT_SENT.has(state) && (times[index] ?? 0) > 0 ? 'unknown' : state));
}

/** The countries of the recipients: mostly one for all of them, else `SN*3,CI*47`. */
export function packCountries(countries: readonly string[]): string {
  const runs: [string, number][] = [];
  for (const country of countries) {
    const last = runs.at(-1);
    if (last?.[0] === country) last[1] += 1;
    else runs.push([country, 1]);
  }
  const [first] = runs;
  if (runs.length <= 1) return first?.[0] ?? '';
  return runs.map(([country, times]) => `${country}*${times}`).join(',');
}

export function unpackCountries(packed: string, count: number): string[] {
  if (!packed.includes('*')) return repeated(packed, count);
  return packed.split(',').flatMap((run) => {
    const [country = '', times = '1'] = run.split('*');
    return Array.from({ length: Number(times) }, () => country);
  });
}

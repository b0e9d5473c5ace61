/**
 * How a slice of a campaign is stored: up to a thousand recipients in one record, and what became of them as one field
 * a request.
 *
 *   items   a line a recipient: digits, then the values of the variables, between tabs; of a single message its id,
 *           sender, time and text
 *   r0, r1  a request: state, from, letters, at, code, looks, due     letters: one where all are alike, `.` for nobody
 *
 * A request is written when it is about to leave and once more when it is over. A recipient that is sent to again
 * stands in a later one, and the last one that names it wins: nothing else says where a recipient is.
 */
import { type RecipientState, outcomeLetters } from '../kinds/recipient.ts';
import { isPurged } from './recipient-items.ts';

export interface SliceItem {
  readonly row: number;
  /** E.164, with the plus sign. */
  readonly to: string;
  readonly values: readonly string[];
}

export type Letter = (typeof outcomeLetters)[RecipientState];

/** `waiting` has not left; `refused` is asked about before its people go out again. */
type RequestState = 'waiting' | 'going' | 'doubt' | 'refused' | 'over';

export interface Request {
  readonly number: number;
  readonly is: RequestState;
  /** A larger one was refused for the sake of somebody in it. */
  readonly part: boolean;
  /** The first position it is about. */
  readonly from: number;
  /** One letter for each position from there on; `.` for those that it is not about. */
  readonly letters: string;
  /** When its intent was written, or when it was opened, by the clock of Redis, ms since the epoch. */
  readonly at: number;
  /** Upstream's code: one where all have the same, else one for each, in order. */
  readonly codes: readonly string[];
  readonly looks: number;
  /** When it is looked at next, where it is in doubt. */
  readonly dueAt: number;
}

export const NOBODY = '.';

const stateLetters = { waiting: 'w', going: 'g', doubt: 'u', refused: 'r', over: 'd' } as const;
const stateOfLetter = Object.fromEntries(
  Object.entries(stateLetters).map(([state, letter]) => [letter, state as RequestState]),
) as Readonly<Record<string, RequestState>>;

export const recipientStateOf = Object.fromEntries(
  Object.entries(outcomeLetters).map(([state, letter]) => [letter, state as RecipientState]),
) as Readonly<Record<Letter, RecipientState>>;

const PART = '+';
const NO_CODE = '-';

export function packRequest({ is, part, from, letters, at, codes, looks, dueAt }: Omit<Request, 'number'>): string {
  const [first = NOBODY] = letters;
  const alike = letters === first.repeat(letters.length);
  const named = codes.some((code) => code !== '') ? codes.map((code) => code || NO_CODE).join(' ') : '';
  return [
    stateLetters[is] + (part ? PART : ''),
    from,
    letters.length,
    alike ? first : letters,
    at.toString(36),
    named,
    looks || '',
    dueAt ? dueAt.toString(36) : '',
  ]
    .join(',')
    .replace(/,+$/, '');
}

/** Throws where it is none of ours: what cannot be read must not be taken for nothing. */
export function unpackRequest(number: number, packed: string): Request {
  const [head = '', from = '', count = '', letters = '', at = '', codes = '', looks = '', dueAt = ''] =
    packed.split(',');
  const is = stateOfLetter[head.charAt(0)];
  if (is === undefined || letters === '' || !/^\d+$/.test(count)) throw new Error(`request ${number} cannot be read`);
  return {
    number,
    is,
    part: head.endsWith(PART),
    from: Number(from),
    letters: letters.length === 1 ? letters.repeat(Number(count)) : letters,
    at: Number.parseInt(at, 36),
    codes: codes === '' ? [] : codes.split(' ').map((code) => (code === NO_CODE ? '' : code)),
    looks: Number(looks),
    dueAt: dueAt === '' ? 0 : Number.parseInt(dueAt, 36),
  };
}

/** The positions that a request is about, in order. */
export function placesOf({ from, letters }: Pick<Request, 'from' | 'letters'>): number[] {
  const places: number[] = [];
  for (let index = 0; index < letters.length; index += 1) if (letters[index] !== NOBODY) places.push(from + index);
  return places;
}

/** Letters for these positions (ascending), and nobody between them. */
export function lettersFor(
  places: readonly number[],
  letterOf: (place: number, index: number) => string,
): { readonly from: number; readonly letters: string } {
  const [from = 0] = places;
  let letters = '';
  for (const [index, place] of places.entries())
    letters += NOBODY.repeat(place - from - letters.length) + letterOf(place, index);
  return { from, letters };
}

/** A request of those who go out again, packed. */
export function waitingAgain(places: readonly number[], at: number): string {
  const blank = { is: 'waiting', part: false, at, codes: [], looks: 0, dueAt: 0 } as const;
  return packRequest({ ...blank, ...lettersFor(places, () => 'q') });
}

/** Where each recipient of a slice is, by position. */
export interface Standing {
  readonly letters: Letter[];
  /** The request that put it there; -1: none has. */
  readonly requests: number[];
  /** How often it went out again after it was in doubt: then it may have got the text, whatever becomes of it now. */
  readonly again: number[];
  /** What it was before it was opened again. */
  readonly before: Letter[];
  readonly codes: string[];
}

function emptyStanding(count: number): Standing {
  const filled = <T>(value: T): T[] => Array.from({ length: count }, () => value);
  return {
    letters: filled('q'),
    requests: filled(-1),
    again: filled(0),
    before: filled('q'),
    codes: filled(''),
  };
}

/** What a request says takes the place of what was said before of those that it is about. */
export function applyRequest(standing: Standing, request: Request): void {
  const { letters, requests, again, before, codes } = standing;
  let index = 0;
  for (const place of placesOf(request)) {
    const letter = request.letters[place - request.from] as Letter;
    const was = letters[place];
    if (was === undefined) throw new Error(`request ${request.number} is about somebody who is not there`);
    const isNew = requests[place] !== request.number;
    if (isNew && request.is === 'waiting' && was !== 'q') before[place] = was;
    if (isNew && was === 'u') again[place] = (again[place] ?? 0) + 1;
    const code = request.codes.length === 1 ? request.codes[0] : request.codes[index];
    if (code) codes[place] = code;
    // What was said before is not about this time, unless nobody was sent to again and it stands as it stood.
    else if (letter !== 'f' && letter !== 'q') codes[place] = '';
    letters[place] = letter;
    requests[place] = request.number;
    index += 1;
  }
}

export function standingOf(count: number, requests: readonly Request[]): Standing {
  const standing = emptyStanding(count);
  for (const request of requests) applyRequest(standing, request);
  return standing;
}

/** Whether something may still become of it: it waits, is on its way, or is in doubt and still asked about. */
export function isOpenAt(place: number, { letters, requests }: Standing, all: readonly Request[]): boolean {
  const letter = letters[place];
  const { is } = all.find(({ number }) => number === requests[place]) ?? {};
  return letter === 'q' || letter === 'g' || (letter === 'u' && is === 'doubt');
}

const FIELD = /^r(\d+)$/;

/** The requests among the fields of a record, in the order of their numbers. */
export function requestsIn(fields: Readonly<Record<string, string>>): Request[] {
  return Object.entries(fields)
    .flatMap(([name, packed]) => {
      const [, number] = FIELD.exec(name) ?? [];
      return number === undefined ? [] : [unpackRequest(Number(number), packed)];
    })
    .sort((a, b) => a.number - b.number);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' };
const PLAIN: Readonly<Record<string, string>> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n' };
const escaped = (value: string): string => value.replaceAll(/[\\\t\n]/g, (one) => ESCAPES[one] ?? one);
const unescaped = (value: string): string =>
  value.includes('\\') ? value.replaceAll(/\\[\\tn]/g, (one) => PLAIN[one] ?? one) : value;

/** Cells of a row in one line. */
export const packValues = (values: readonly string[]): string => values.map(escaped).join('\t');
export const unpackValues = (line: string): string[] => line.split('\t').map(unescaped);

/** The lines, and the rows: `first` where one follows on the other, else runs of them (`4*50,60*3`). */
export function packItems(items: readonly SliceItem[]): { readonly items: string; readonly rows: string } {
  const runs: [first: number, count: number][] = [];
  const lines = items.map(({ row, to, values }) => {
    const last = runs.at(-1);
    if (last && last[0] + last[1] === row) last[1] += 1;
    else runs.push([row, 1]);
    // The plus sign is left out: it is always there, and a million of them are a megabyte.
    const digits = isPurged(to) ? to : to.slice(1);
    return values.length === 0 ? digits : `${digits}\t${packValues(values)}`;
  });
  return { items: lines.join('\n'), rows: runs.map(([first, count]) => `${first}*${count}`).join(',') };
}

/** A single message, as its slice carries it: its values are id, sender, time and text. */
export interface MessageItem {
  readonly id: string;
  /** E.164, with the plus sign. */
  readonly to: string;
  /** '' for the account's own sender. */
  readonly from: string;
  /** ms since the epoch; 0: never. */
  readonly expiresAt: number;
  readonly text: string;
}

export function messageIn({ to, values }: SliceItem): MessageItem {
  const [id = '', from = '', expiresAt = '', text = ''] = values;
  return { id, to, from, expiresAt: Number(expiresAt), text };
}

/** What a single message is in a slice. A script writes it too: accept-messages.lua. */
export function itemOf({ id, to, from, expiresAt, text }: MessageItem): SliceItem {
  return { row: 0, to, values: [id, from, String(expiresAt || ''), text] };
}

export function unpackItems({ items, rows }: { readonly items: string; readonly rows: string }): SliceItem[] {
  const numbers = rows.split(',').flatMap((run) => {
    const [first = 0, count = 0] = run.split('*').map(Number);
    return Array.from({ length: count }, (_, offset) => first + offset);
  });
  return items.split('\n').map((line, index) => {
    const [to = '', ...values] = unpackValues(line);
    return { row: numbers[index] ?? 0, to: isPurged(to) ? to : `+${to}`, values };
  });
}

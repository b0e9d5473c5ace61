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
import type { StateOf } from '../kinds/index.ts';
import { type RecipientState, outcomeLetters } from '../kinds/recipient.ts';
import { packValues, unpackValues } from '../lib/packed-values.ts';
import { type CampaignRecord, UnreadableRecord } from './record.ts';

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
  const head = stateLetters[is] + (part ? PART : '');
  const packed = `${head},${from},${letters.length},${alike ? first : letters},${at.toString(36)}`;
  const named = codes.some((code) => code !== '') ? codes.map((code) => code || NO_CODE).join(' ') : '';
  if (dueAt) return `${packed},${named},${looks || ''},${dueAt.toString(36)}`;
  if (looks) return `${packed},${named},${looks}`;
  return named === '' ? packed : `${packed},${named}`;
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
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] ?? 0;
    if (place > from + letters.length) letters += NOBODY.repeat(place - from - letters.length);
    letters += letterOf(place, index);
  }
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
  /** The request that opened it again; -1: none has. */
  readonly opened: number[];
  readonly codes: string[];
}

function emptyStanding(count: number): Standing {
  const filled = <T>(value: T): T[] => Array.from<T>({ length: count }).fill(value);
  return {
    letters: filled('q'),
    requests: filled(-1),
    again: filled(0),
    before: filled('q'),
    opened: filled(-1),
    codes: filled(''),
  };
}

/** What a request says takes the place of what was said before of those that it is about. */
export function applyRequest(standing: Standing, request: Request): void {
  const { letters, requests, again, before, opened, codes } = standing;
  let index = 0;
  for (let at = 0; at < request.letters.length; at += 1) {
    const letter = request.letters[at] as Letter | typeof NOBODY;
    if (letter === NOBODY) continue;
    const place = request.from + at;
    const was = letters[place];
    if (was === undefined) throw new Error(`request ${request.number} is about somebody who is not there`);
    const isNew = requests[place] !== request.number;
    if (isNew && request.is === 'waiting' && was !== 'q') {
      before[place] = was;
      opened[place] = request.number;
    }
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

export function messageIn({ to, values }: Pick<SliceItem, 'to' | 'values'>): MessageItem {
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
  return items.split('\n').map((line, index) => ({ row: numbers[index] ?? 0, ...unpackItem(line) }));
}

/** One line of them: its row is told beside the lines. */
export function unpackItem(line: string): Pick<SliceItem, 'to' | 'values'> {
  const values = unpackValues(line);
  const to = values.shift() ?? '';
  return { to: isPurged(to) ? to : `+${to}`, values };
}

/** The few fields of a campaign that its slices ask for. */

export type SliceCampaign = Pick<
  CampaignRecord,
  | 'id'
  | 'state'
  | 'rev'
  | 'text'
  | 'from'
  | 'replaceCostly'
  | 'quietHours'
  | 'timezone'
  | 'requireSender'
  | 'extra'
  | 'slices'
  | 'onUnknown'
  | 'createdAt'
> & {
  /** The mark of the trace that it belongs to. */
  readonly trace?: string;
};

/** In the order in which they are asked for, and read. */
export const SLICE_CAMPAIGN_FIELDS = [
  'state',
  'text',
  'from',
  'replaceCostly',
  'quietHours',
  'timezone',
  'requireSender',
  'extra',
  'slices',
  'onUnknown',
  'createdAt',
  'trace',
  'rev',
] as const satisfies readonly (keyof SliceCampaign)[];

/** Throws an UnreadableRecord when there is no such campaign: a slice without one would be sent to nobody's text. */
export function campaignOfFields(id: string, values: readonly (string | null)[]): SliceCampaign {
  const [state, text, from, replaceCostly, quietHours, timezone, requireSender, extra, slices, ...more] = values;
  const [onUnknown, createdAt, trace, rev] = more;
  if (!state || typeof text !== 'string') throw new UnreadableRecord(id, undefined, 'a slice belongs to it');
  return {
    id,
    state: state as StateOf<'campaign'>,
    rev: Number(rev ?? 0),
    text,
    ...(from ? { from } : {}),
    replaceCostly: replaceCostly === '1',
    ...(quietHours ? { quietHours } : {}),
    ...(timezone ? { timezone } : {}),
    requireSender: requireSender === '1',
    extra: Number(extra ?? 0),
    slices: Number(slices ?? 0),
    ...(onUnknown === 'hold' || onUnknown === 'resend' ? { onUnknown } : {}),
    createdAt: Number(createdAt ?? 0),
    ...(trace ? { trace } : {}),
  };
}

/** Recipients as they are kept, whatever carries them. */

export interface CampaignItem {
  readonly row: number;
  /** E.164, with the plus sign. */
  readonly to: string;
  /** Kept beside the items, once for all where it is the same. */
  readonly country?: string;
  readonly values: readonly string[];
}

/** Upstream takes 1 to 50 in one request (interface: Limits). */
export const RECIPIENTS_PER_REQUEST = 50;

/**
 * How many recipients a slice has, by its place: the canary alone, small ones for many workers, then large ones, and
 * small ones again, so that a worker that is through early finds something to do. `isLast`: no more than these come.
 */
export function sizeOfSlice(place: number, canary: number, isLast: boolean): number {
  if (place === 0 && canary > 0) return Math.ceil(canary / RECIPIENTS_PER_REQUEST) * RECIPIENTS_PER_REQUEST;
  return place <= SMALL_SLICES || isLast ? SMALL : LARGE;
}

const SMALL_SLICES = 8;
const SMALL = 250;
const LARGE = 1_000;
/** At the end at least so many recipients are in small slices. */
export const LAST_RECIPIENTS = SMALL_SLICES * SMALL;
/** Of a large one. */
export const REQUESTS_PER_SLICE = LARGE / RECIPIENTS_PER_REQUEST;

/** What stands in the place of a number whose person was forgotten begins so. */
export const PURGED = 'purged-';

/** Why somebody in a slice was left out. */
export const whySkipped = (to: string): string => (isPurged(to) ? 'purged' : 'opted_out');

export function isPurged(to: string): boolean {
  return to.startsWith(PURGED);
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
  if (!packed.includes('*')) return Array.from<string>({ length: count }).fill(packed);
  return packed.split(',').flatMap((run) => {
    const [country = '', times = '1'] = run.split('*');
    return Array.from({ length: Number(times) }, () => country);
  });
}

/**
 * How we know one text from another that says the same to the same number. Statistics tell what was sent to a number,
 * not when and not for which request, so a text of yesterday could pass for the one of today that was lost.
 *
 *   open   which texts are on their way or in doubt: the same text to the same number waits until that is over
 *   sent   which texts were counted as sent in the last days, or stayed in doubt to the end: what statistics show of
 *          them is spoken for
 */
/** The sent ones are kept by the half day, counted from its first, and for longer than statistics may show them. */
const MARKS_SLOT_MS = 43_200_000;
export const MARKS_KEPT_S = 5 * 86_400;
/** Longer than anything is in doubt: an entry that was left behind must not stop a text for ever. */
export const OPEN_KEPT_MS = 8 * 86_400_000;

/** Characters of a mark: all are as long, so that many of them are one word of a command. */
export const MARK_LENGTH = 8;

export function marksIn(word: string): string[] {
  return Array.from({ length: word.length / MARK_LENGTH }, (_, at) =>
    word.slice(at * MARK_LENGTH, (at + 1) * MARK_LENGTH),
  );
}

/** Codes that say only "sent", and are therefore the same for every text. */
const NAMELESS = new Set(['', '00']);
const NONE: readonly string[] = [];

/**
 * 48 bits: among a million texts two that look the same are one in a hundred million, and cost no more than a wait or a
 * doubt. So it need not be a hash that nobody can forge, and each text of a campaign passes here.
 */
export function textMark(to: string, text: string): string {
  return mark([to, text]);
}

/** Tells one sending of a text from another, where upstream gives each a code of its own; else there is none. */
export function codeMark(to: string, text: string, code: string): readonly string[] {
  return NAMELESS.has(code) ? NONE : [mark([to, text, code])];
}

export function slotOf(ms: number): number {
  return Math.floor(ms / MARKS_SLOT_MS);
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Two digits of base 64 for every 12 bits. */
const PAIRS = Array.from({ length: 4_096 }, (_, bits) => DIGITS.charAt(bits >>> 6) + DIGITS.charAt(bits & 63));
/** Stands between the parts, and in none of them. */
const END = 0xff_ff;

/** Two multiplicative hashes of 32 bits side by side, stirred into each other at the end; 48 of the 64 bits. */
function mark(parts: readonly string[]): string {
  let a = 0xde_ad_be_ef;
  let b = 0x41_c6_ce_57;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 1) {
      const unit = part.charCodeAt(at);
      a = Math.imul(a ^ unit, 0x9e_37_79_b1);
      b = Math.imul(b ^ unit, 0x5f_35_64_95);
    }
    a = Math.imul(a ^ END, 0x9e_37_79_b1);
    b = Math.imul(b ^ END, 0x5f_35_64_95);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85_eb_ca_6b) ^ Math.imul(b ^ (b >>> 13), 0xc2_b2_ae_35);
  b = Math.imul(b ^ (b >>> 16), 0x85_eb_ca_6b) ^ Math.imul(a ^ (a >>> 13), 0xc2_b2_ae_35);
  const pair = (bits: number): string => PAIRS[bits & 4_095] ?? '';
  return pair(a >>> 20) + pair(a >>> 8) + pair(b >>> 20) + pair(b >>> 8);
}

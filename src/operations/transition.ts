/** One change of one record, in the words that the scripts take. */
import { type Kind, type StateOf, operations, type ToldStates, carriedBy, stateToldBy } from '../kinds/index.ts';
import type { Act } from './audit.ts';
import type { EvidenceLines, Fields, RecordBase, RecordAt, StoredEvidence } from './record.ts';

export interface EventDraft {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Change<K extends Kind> {
  readonly to: StateOf<K>;
  /** When to look next, ms from now; absent: nothing is due. */
  readonly dueInMs?: number | undefined;
  /** Keep the lease for so long; absent: let go. */
  readonly keepMs?: number | undefined;
  readonly event?: EventDraft | undefined;
  readonly evidence?: Said | undefined;
  /**
   * Fields to set; '' removes one. A name that begins with `@` is a time: its value is ms from now, by the clock of
   * Redis.
   */
  readonly set?: Readonly<Record<string, string | number>> | undefined;
  /** A callback that came during the attempt makes the next look due after so long (ms), also where none was due. */
  readonly nudgeAfterMs?: number | undefined;
  /** Nothing is changed while the account is held so, as `area.reason`: asked in the same step as the write. */
  readonly unlessHeld?: string | undefined;
  /** What leaves after this write has an effect: refused while a recovery is under way, and counted. */
  readonly hasEffect?: boolean | undefined;
  /**
   * Without a lease, and only while a recovery is under way and the record is as it was read: when that recovery began
   * (ms since the epoch).
   */
  readonly inRecovery?: number | undefined;
  /**
   * History has it so, from a time that Redis has lost: whatever lay between is not known here, so the lifecycle need
   * have no such arrow; and it was told already, as the event of this number.
   */
  readonly asInHistory?: { readonly sequence: number } | undefined;
  /** What upstream named in it, as `token=…`: it belongs to one operation of the account. */
  readonly claims?: string | undefined;
  /** What was last posted about it tells no more than the state does. */
  readonly forgetsCallback?: boolean | undefined;
  /** Whose doing it is, where somebody did it through a door. */
  readonly act?: Act | undefined;
  /** How the record knows this very change again, where it may be asked for once more. */
  readonly op?: string | undefined;
}

export type TransitionResult =
  | {
      readonly is: 'applied' | 'mine';
      readonly op: string;
      readonly rev: number;
      readonly at: number;
      /** Of effects, where this change comes before one. */
      readonly counter?: number;
    }
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' | 'held' | 'recovering' | 'recovered' }
  /** Another operation was given the same. */
  | { readonly is: 'claimed'; readonly by: string };

export type Applied = Extract<TransitionResult, { readonly is: 'applied' | 'mine' }>;

export function isApplied(settled: TransitionResult): settled is Applied {
  return settled.is === 'applied' || settled.is === 'mine';
}

/**
 * So many events may have been told of an operation since a copy was made, and so often it may have changed, at the
 * most: what is told after a loss has other ids than what was told before it, and history takes what is decided after
 * it for the later word. It grows with the time at which the recovery began, so that the same copy, put back twice,
 * gives no number a second time: no operation tells an event each second, and none changes each millisecond.
 */
const EVENTS_LOST_AT_LEAST = 1_000;
const REVISIONS_LOST_AT_LEAST = 1_000_000;
export const NUMBERS_FROM = Date.UTC(2026, 0, 1);

const eventsLost = (since: number): number =>
  Math.max(EVENTS_LOST_AT_LEAST, Math.ceil((since - NUMBERS_FROM) / 1_000));
const revisionsLost = (since: number): number => Math.max(REVISIONS_LOST_AT_LEAST, since - NUMBERS_FROM);

/** As the scripts take it that know no single record. `since`: when the recovery began; absent: none leads this on. */
export const numbersLost = (since?: number) => ({
  inRecovery: since !== undefined,
  eventsLost: since === undefined ? 0 : eventsLost(since),
  revisionsLost: since === undefined ? 0 : revisionsLost(since),
});

/** Numbers were given in the lost time, the ones that come next in the copy: none may mean two things. */
export function beyond(
  { rev, fields }: Pick<RecordBase, 'rev' | 'fields'>,
  since: number,
): Readonly<Record<string, number>> {
  return { rev: rev + revisionsLost(since), seq: Number(fields['seq'] ?? 0) + eventsLost(since) };
}

/**
 * Evidence: what upstream said about an operation, in the order we heard it, kept in its record and never rewritten.
 *
 * One line is at most 64 bytes, because Redis keeps a small hash in its compact form only while every value is that
 * short. A record keeps its first 12 lines, its last 12, and the intent of each send; what lies between is counted, not
 * kept. When something was sent is what a person needs first, and days of looks lie behind it.
 */
const KEEP_FIRST = 12;
const KEEP_LAST = 12;
export const EVIDENCE_SLOTS = { first: KEEP_FIRST, last: KEEP_LAST } as const;

/** What the script takes for the number of a send, and does not write down. */
const OF_SEND = '!';

const LINE_BYTES_MAX = 64;

export interface Evidence {
  /** When we heard it, ms since the epoch. */
  readonly at: number;
  /** What was asked, or `callback` for what was posted to us. */
  readonly operation: string;
  /** Upstream's code, or ours for an exchange that gave none (`no_answer`). */
  readonly code: string;
  readonly httpStatus?: number;
  /** A status word, or the beginning of a message. Never a phone number, a key or a text of ours. */
  readonly detail?: string;
}

/** Evidence before it is written down. */
export interface EvidenceDraft {
  readonly operation: string;
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly detail?: string | undefined;
  /** Of which send it is the intent: 1 to 9. Such a line is not pushed out by those that come after it. */
  readonly send?: number | undefined;
}

/** What was posted to us, kept for a month for a person who looks into it. */
export interface Posted {
  /** '' where nothing of it may be kept. */
  readonly redacted: string;
  /** States that say as much by themselves. */
  readonly agreesWith: readonly string[];
}

export const NOTHING_POSTED: Posted = { redacted: '', agreesWith: [] };

/** The detail of a callback whose hash was made with none of the account's keys. */
export const WRONG_HASH = 'hash_wrong';

/** How upstream says, in what it posts, that money has moved (interface: Events). */
export function claimsSuccess({ code }: Pick<Evidence, 'code'>): boolean {
  return code === 'success' || code === 'completed';
}

/** One line, or several that were learnt in the same moment. */
export type Said = EvidenceDraft | readonly EvidenceDraft[];

/** What a line is about that tells what upstream named: an id we did not know, or something else than was asked. */
export const NAMED = 'named';

export function named(what: string, as: string | number): EvidenceDraft {
  return { operation: NAMED, code: what, detail: String(as) };
}

/** A character that stands in no line. */
export const LINE_END = ';';

/** How upstream says that a disbursement was not paid, or that the money came back after it was. */
export const UNDONE: readonly string[] = ['failed', 'reversed', 'refunded', 'cancelled'];

export function claimsUndone({ code }: Pick<Evidence, 'code'>): boolean {
  return UNDONE.includes(code);
}

/** `at` is filled in by the script that writes the lines, from the one clock all processes share. */
export function packEvidence(said: Said): string {
  return linesOf(said).map(packLine).join(LINE_END);
}

export function linesOf(said: Said | undefined): readonly EvidenceDraft[] {
  if (said === undefined) return [];
  return 'operation' in said ? [said] : said;
}

const UNFIT = /[|;\s]/;

/** Most words are fit to stand in a line. */
function clean(text: string): string {
  if (!UNFIT.test(text)) return text;
  return text.replaceAll('|', '/').replaceAll(LINE_END, ',').replace(/\s+/g, ' ');
}

function packLine(evidence: EvidenceDraft): string {
  const line = [
    clean(evidence.operation),
    clean(evidence.code),
    evidence.httpStatus ?? '',
    clean(evidence.detail ?? ''),
  ]
    .join('|')
    .replace(/\|+$/, '');
  let cut = line.slice(0, LINE_BYTES_MAX - 10);
  while (Buffer.byteLength(cut) > LINE_BYTES_MAX - 10) cut = cut.slice(0, -1);
  return evidence.send === undefined ? cut : `${evidence.send}${OF_SEND}${cut}`;
}

function unpackEvidence(line: string): Evidence {
  const [at = '0', operation = '', code = '', httpStatus = '', detail = ''] = line.split('|');
  return {
    at: Number.parseInt(at, 36),
    operation,
    code,
    ...(httpStatus ? { httpStatus: Number(httpStatus) } : {}),
    ...(detail ? { detail } : {}),
  };
}

interface EvidenceRead {
  readonly lines: readonly Evidence[];
  /** Lines between the first and the last that are no longer stored. */
  readonly dropped: number;
}

/** All evidence that is stored of an operation, oldest first. */
export function readEvidence({ evidence }: { readonly evidence: StoredEvidence }): EvidenceRead {
  return isLines(evidence) ? readLines(evidence) : readSlots(evidence);
}

function isLines(evidence: StoredEvidence): evidence is EvidenceLines {
  return Array.isArray(evidence['lines']);
}

/** `2026-11-21T08:00:00.000Z submit|ok|200|pending`. */
function readLines({ lines, total }: EvidenceLines): EvidenceRead {
  const read = lines.map((line) => {
    const end = line.indexOf(' ');
    return { ...unpackEvidence(`0|${line.slice(end + 1)}`), at: Date.parse(line.slice(0, end)) };
  });
  return { lines: read, dropped: Math.max(0, total - lines.length) };
}

function readSlots(fields: Fields): EvidenceRead {
  const total = Number(fields['en'] ?? 0);
  const lines = Object.entries(fields)
    .filter(([name]) => /^e\d+$/.test(name))
    .map(([, line]) => unpackEvidence(line))
    .sort((a, b) => a.at - b.at);
  return { lines, dropped: Math.max(0, total - lines.length) };
}

/**
 * What an event carries, as the stream keeps it. Most events are those of disbursements, and most of such an entry
 * would be names, and words that stand in the entry already; so they are kept as a list of values. Everything else is
 * JSON, and so are the events of disbursements that were written before there was a list.
 *
 * What is read is what was told, to the order of its names: a signed delivery is the same text each time.
 */

type Data = Readonly<Record<string, unknown>>;

/** Stands before the list, so that a reader that expects an object fails on it instead of taking a list for one. */
export const LIST = '1';
const FAMILY = 'disbursement.';
const VALUES = operations.disbursement.events.carries;
/** What needs no name of its own. */
const IN_THE_ENTRY: ReadonlySet<string> = new Set(['id', 'state', ...VALUES]);

export function packEventData(id: string, { type, data }: { readonly type: string; readonly data: Data }): string {
  const json = JSON.stringify(data);
  if (!type.startsWith(FAMILY)) return json;
  const values: unknown[] = VALUES.map((name) => data[name] ?? null);
  const more = Object.entries(data).filter(([name, value]) => value !== undefined && !IN_THE_ENTRY.has(name));
  if (more.length > 0) values.push(Object.fromEntries(more));
  while (values.at(-1) === null) values.pop();
  const packed = LIST + JSON.stringify(values);
  // One that names its operation or its state otherwise, or in another order, is kept as it is.
  return JSON.stringify(readEventData({ op: id, type, data: packed })) === json ? packed : json;
}

/** Everything is in the entry: the record may be gone by now. Throws a SyntaxError for what is neither. */
export function readEventData({ op = '', type = '', data = '{}' }: Readonly<Record<string, string>>): Data {
  if (!data.startsWith(LIST)) return JSON.parse(data) as Data;
  const values = JSON.parse(data.slice(LIST.length)) as readonly unknown[];
  const told = VALUES.flatMap((name, place) => ((values[place] ?? null) === null ? [] : [[name, values[place]]]));
  const more = values[VALUES.length] as Data | undefined;
  return { id: op, state: type.slice(FAMILY.length), ...(Object.fromEntries(told) as Data), ...more };
}

/** What callers are told about an operation. No telephone number: a caller knows the beneficiary by its reference. */

/** The kinds that are carried out by attempts, and that a person may therefore have to resolve. */
export type AttemptedKind = {
  [K in Kind]: (typeof operations)[K] extends { readonly resolve: readonly string[] } ? K : never;
}[Kind];
export type CollectKind = Exclude<AttemptedKind, 'disbursement'>;
type AnnouncedBy = { readonly [K in AttemptedKind]: ToldStates<K> };
/** What callers are told of, as its types name it. */
export type Announced<K extends AttemptedKind> = AnnouncedBy[K];

export function eventOf<K extends AttemptedKind>(
  record: RecordAt<K>,
  to: Announced<K>,
  more: Readonly<Record<string, unknown>> = {},
): EventDraft {
  const type = `${record.kind}.${to}`;
  return { type, data: { id: record.id, state: stateToldBy(type), ...carriedBy(record), ...more } };
}

/** One change of one record, its evidence and its event. */
import { type Kind, type StateOf, type operations, type ToldStates, carriedBy, stateToldBy } from '../kinds/index.ts';
import type { Act } from './act.ts';
import type { EvidenceLines, RecordAt } from './record.ts';

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
    }
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' | 'held' | 'recovering' | 'recovered' }
  /** Another operation was given the same. */
  | { readonly is: 'claimed'; readonly by: string };

export type Applied = Extract<TransitionResult, { readonly is: 'applied' | 'mine' }>;

export function isApplied(settled: TransitionResult): settled is Applied {
  return settled.is === 'applied' || settled.is === 'mine';
}

/** Of the evidence of an operation the ledger stores the first lines, the newest, and the intent of each send. */
export const FIRST_LINES = 12;

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

/** How upstream says that a disbursement was not paid, or that the money came back after it was. */
export const UNDONE: readonly string[] = ['failed', 'reversed', 'refunded', 'cancelled'];

export function claimsUndone({ code }: Pick<Evidence, 'code'>): boolean {
  return UNDONE.includes(code);
}

export function linesOf(said: Said | undefined): readonly EvidenceDraft[] {
  if (said === undefined) return [];
  return 'operation' in said ? [said] : said;
}

interface EvidenceRead {
  readonly lines: readonly Evidence[];
  /** Lines between the first and the last that are no longer stored. */
  readonly dropped: number;
}

/** All evidence that is stored of an operation, oldest first. */
export function readEvidence({ evidence }: { readonly evidence: EvidenceLines }): EvidenceRead {
  const { lines, total } = evidence;
  return { lines: lines.map(readLine), dropped: Math.max(0, total - lines.length) };
}

/** `2026-11-21T08:00:00.000Z submit|ok|200|pending`. */
function readLine(line: string): Evidence {
  const end = line.indexOf(' ');
  const [operation = '', code = '', httpStatus = '', detail = ''] = line.slice(end + 1).split('|');
  return {
    at: Date.parse(line.slice(0, end)),
    operation,
    code,
    ...(httpStatus ? { httpStatus: Number(httpStatus) } : {}),
    ...(detail ? { detail } : {}),
  };
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

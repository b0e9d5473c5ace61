/** One change of one record, with its evidence and event. */
import { type Kind, type StateOf, type operations, type ToldStates, carriedBy, stateToldBy } from '../kinds/index.ts';
import type { Act } from './act.ts';
import type { EvidenceLines, RecordAt } from './record.ts';

export interface EventDraft {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Values of fields, by name. An object is stored as JSON; '' removes a field. */
export type FieldValues = Readonly<Record<string, string | number | object>>;

export interface Change<K extends Kind> {
  readonly to: StateOf<K>;
  /** When to check next, ms from now; absent: not due. */
  readonly dueInMs?: number | undefined;
  /** How long to keep the lease; absent: release it. */
  readonly keepMs?: number | undefined;
  readonly event?: EventDraft | undefined;
  readonly evidence?: Said | undefined;
  /**
   * Fields to set; '' removes one. A name that begins with `@` is a time: its value is ms from now, by the ledger's
   * clock.
   */
  readonly set?: FieldValues | undefined;
  /** If a callback arrived during the attempt, the next check is due after this time (ms), even if none was due. */
  readonly nudgeAfterMs?: number | undefined;
  /** Nothing changes while the account has this hold, as `area.reason`. The write itself checks it. */
  readonly unlessHeld?: string | undefined;
  /** A request with an effect follows this write: refused while a recovery is running, and counted. */
  readonly hasEffect?: boolean | undefined;
  /**
   * Without a lease, and only during a recovery and if the record is unchanged: when that recovery began (ms since
   * the epoch).
   */
  readonly inRecovery?: number | undefined;
  /** The provider's reference, as `token=…`: it is unique among the account's operations. */
  readonly claims?: string | undefined;
  /** The new state covers the last callback. */
  readonly forgetsCallback?: boolean | undefined;
  /** The user's act, if a user caused the change. */
  readonly act?: Act | undefined;
  /** Identifies this change in retries. */
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
  /** Another operation has the same reference. */
  | { readonly is: 'claimed'; readonly by: string };

export type Applied = Extract<TransitionResult, { readonly is: 'applied' | 'mine' }>;

export function isApplied(settled: TransitionResult): settled is Applied {
  return settled.is === 'applied' || settled.is === 'mine';
}

/** The ledger stores the first and the newest evidence of an operation, and the intent of each send. */
export const FIRST_LINES = 12;

export interface Evidence {
  /** When relais received it, ms since the epoch. */
  readonly at: number;
  /** The request, or `callback`. */
  readonly operation: string;
  /** The provider's code, or ours for an exchange without one (`no_answer`). */
  readonly code: string;
  readonly httpStatus?: number;
  /** A status word, or the beginning of a message. Never a phone number, a key or one of our texts. */
  readonly detail?: string;
}

/** Evidence before it is stored. */
export interface EvidenceDraft {
  readonly operation: string;
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly detail?: string | undefined;
  /** The number of the send (1 to 9) whose intent it is. Later lines do not evict it. */
  readonly send?: number | undefined;
}

/** A received callback, retained for a month for reviews. */
export interface Posted {
  /** '' if nothing of it may be stored. */
  readonly redacted: string;
  /** States that already cover it. */
  readonly agreesWith: readonly string[];
}

/** The detail of a callback whose hash matches none of the account's keys. */
export const WRONG_HASH = 'hash_wrong';

/** The provider's status words for moved money in callbacks (interface: Events). */
export function claimsSuccess({ code }: Pick<Evidence, 'code'>): boolean {
  return code === 'success' || code === 'completed';
}

/** One line, or several of the same moment. */
export type Said = EvidenceDraft | readonly EvidenceDraft[];

/** The subject of a line about a reference of the provider: an unknown id, or one that differs from the request. */
export const NAMED = 'named';

export function named(what: string, as: string | number): EvidenceDraft {
  return { operation: NAMED, code: what, detail: String(as) };
}

/** The provider's status words for a disbursement that was not paid, or was returned afterwards. */
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
  /** Number of lines between the first and the newest that are no longer stored. */
  readonly dropped: number;
}

/** All stored evidence of an operation, oldest first. */
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

/** Events about an operation. They contain no phone number: a caller knows the beneficiary by its reference. */

/** Kinds that run by attempts, and can therefore need an operator's decision. */
export type AttemptedKind = {
  [K in Kind]: (typeof operations)[K] extends { readonly resolve: readonly string[] } ? K : never;
}[Kind];
export type CollectKind = Exclude<AttemptedKind, 'disbursement'>;
type AnnouncedBy = { readonly [K in AttemptedKind]: ToldStates<K> };
/** An event of an operation, typed by kind. */
export type Announced<K extends AttemptedKind> = AnnouncedBy[K];

export function eventOf<K extends AttemptedKind>(
  record: RecordAt<K>,
  to: Announced<K>,
  more: Readonly<Record<string, unknown>> = {},
): EventDraft {
  const type = `${record.kind}.${to}`;
  return { type, data: { id: record.id, state: stateToldBy(type), ...carriedBy(record), ...more } };
}

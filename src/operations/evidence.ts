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
  /** Upstream's code, or ours for an exchange that gave none (`headers_timeout`). */
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
const UNDONE: readonly string[] = ['failed', 'reversed', 'refunded', 'cancelled'];

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

function packLine(evidence: EvidenceDraft): string {
  const clean = (text: string): string => text.replaceAll('|', '/').replaceAll(LINE_END, ',').replace(/\s+/g, ' ');
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

/** All evidence a record still holds, oldest first, and how many lines were dropped between the first and the last. */
export function readEvidence(fields: Readonly<Record<string, string>>): {
  readonly lines: readonly Evidence[];
  readonly dropped: number;
} {
  const total = Number(fields['en'] ?? 0);
  const lines = Object.entries(fields)
    .filter(([name]) => /^e\d+$/.test(name))
    .map(([, line]) => unpackEvidence(line))
    .sort((a, b) => a.at - b.at);
  return { lines, dropped: Math.max(0, total - lines.length) };
}

/**
 * Reads callbacks in any encoding. The interface says "form, a data table read through the key data" for invoices and
 * nothing for disbursements (interface: Events), so the body itself decides:
 *
 *   multipart? ──▶ JSON, or JSON as a text? ──▶ name=value? ──▶ percent-encoded: remove a layer and repeat
 *
 * The content type is used only for a multipart boundary. It is wrong too often to be trusted for the rest.
 */
import { Secret } from '../lib/secret.ts';

export type CallbackBody =
  | { readonly readable: true; readonly fields: CallbackFields }
  | { readonly readable: false; readonly reason: UnreadableReason };

/** The known fields of a callback. */
export function readCallbackBody(parsed: Parsed): CallbackBody {
  if ('reason' in parsed) return { readable: false, reason: parsed.reason };
  const fields = pickFields(recordsIn(parsed.tree));
  return fields ? { readable: true, fields } : { readable: false, reason: 'not_understood' };
}

/** All fields of a callback, known or not. Never throws and takes bounded time for any input. */
export function readTree(raw: Uint8Array, contentType?: string): Parsed {
  if (raw.byteLength > BODY_LIMITS.bytes) return { reason: 'too_large' };
  // The decoder replaces invalid UTF-8 and drops a byte order mark.
  const text = new TextDecoder().decode(raw).trim();
  if (text === '') return { reason: 'empty' };
  const budget: Budget = { parameters: BODY_LIMITS.parameters };
  const parsed = readMultipart(text, contentType, budget) ?? readText(text, budget);
  if (parsed === undefined) return { reason: 'not_understood' };
  return 'tree' in parsed ? unwrap(parsed.tree, budget) : parsed;
}

/** The record is below `data`, or flat, or (seen in practice) split between both: `data` is read first. */
function recordsIn(tree: Tree): readonly Tree[] {
  const data = tree.get('data');
  return typeof data === 'object' ? [data, tree] : [tree];
}

/**
 * Parses texts in place of a record or a part of one. Only at these three places and never deeper: otherwise a body
 * of only `data=data=data=…` would be parsed as often as it has letters.
 */
function unwrap(tree: Tree, budget: Budget): Parsed {
  const outer = unwrapAt(tree, 'invoice', budget);
  if ('reason' in outer) return outer;
  const withData = unwrapAt(outer.tree, 'data', budget);
  const data = 'tree' in withData ? withData.tree.get('data') : undefined;
  if ('reason' in withData || typeof data !== 'object') return withData;
  const inner = unwrapAt(data, 'invoice', budget);
  return 'reason' in inner ? inner : { tree: new Map(withData.tree).set('data', inner.tree) };
}

function unwrapAt(tree: Tree, name: string, budget: Budget): Parsed {
  const node = tree.get(name);
  const parsed = typeof node === 'string' ? readText(node, budget) : undefined;
  if (parsed === undefined) return { tree };
  return 'reason' in parsed ? parsed : { tree: new Map(tree).set(name, parsed.tree) };
}

function readText(text: string, budget: Budget): Parsed | undefined {
  let current = text.trim();
  for (let layer = 0; layer < BODY_LIMITS.layers; layer += 1) {
    const json = readJson(current, budget);
    if (json && !('text' in json)) return json;
    if (json === undefined && isForm(current)) return readUnescapedData(current, budget) ?? readForm(current, budget);
    const next = json ? json.text.trim() : percentDecode(current);
    if (next === current) return undefined;
    current = next;
  }
  return undefined;
}

/** `name=…`, unless the text is JSON whose opening bracket or quote is itself still percent-encoded. */
function isForm(text: string): boolean {
  return /^[^=]{1,400}=/.test(text) && !/^%(?:25)*(?:7b|5b|22)/i.test(text);
}

/** An unencoded `data={…}`. Its texts may contain `&` and `=`, so it must not be split at them. */
function readUnescapedData(text: string, budget: Budget): Parsed | undefined {
  const found = /^data\s*=(?=\s*[{["])/.exec(text);
  if (found === null) return undefined;
  const json = readJson(text.slice(found[0].length), budget);
  if (json === undefined || 'reason' in json) return json;
  return { tree: new Map([['data', 'tree' in json ? json.tree : json.text]]) };
}

/**
 * The known fields of a callback (interface: Events; Invoice status record; Disbursement status record). Trimmed
 * texts of at most 512 characters, exactly as received. Evidence only: none of it is trusted.
 */
export interface CallbackFields {
  readonly status?: string;
  readonly token?: string;
  readonly withdrawMode?: string;
  /** A decimal text in XOF, such as `203.00`. */
  readonly amount?: string;
  readonly disburseId?: string;
  readonly transactionId?: string;
  readonly disburseTxId?: string;
  /** NN/NN/YYYY HH:MM:SS; the order of day and month and the zone are not documented. */
  readonly updatedAt?: string;
  /** Equal in every message of an account and as valuable as a password, so it is wrapped. */
  readonly hash?: Secret;
  readonly invoiceToken?: string;
  /** XOF, as a text. */
  readonly totalAmount?: string;
  readonly mode?: string;
  /** The last four digits of a card number. The rest is discarded here. */
  readonly panLast4?: string;
}

type PlainField = Exclude<keyof CallbackFields, 'hash' | 'panLast4'>;

const PLACES = {
  status: ['status'],
  token: ['token'],
  withdrawMode: ['withdraw_mode'],
  amount: ['amount'],
  disburseId: ['disburse_id'],
  transactionId: ['transaction_id'],
  disburseTxId: ['disburse_tx_id'],
  updatedAt: ['updated_at'],
  invoiceToken: ['invoice', 'token'],
  totalAmount: ['invoice', 'total_amount'],
  mode: ['mode'],
} as const satisfies Record<PlainField, readonly string[]>;

/** The names of plain fields. All other fields are ignored. */
export const plainNames: ReadonlySet<string> = new Set(Object.values(PLACES).flatMap((path) => path.slice(-1)));

/** The known fields, each from the first record that has it as a text. Undefined if there is none. */
function pickFields(records: readonly Tree[]): CallbackFields | undefined {
  const picked = new Map<string, string | Secret>();
  for (const [field, path] of Object.entries(PLACES)) {
    const text = firstText(records, path);
    if (text !== undefined) picked.set(field, text);
  }
  const hash = firstText(records, ['hash']);
  if (hash !== undefined) picked.set('hash', new Secret(hash));
  const panLast4 = /(\d{4})\D*$/.exec(firstText(records, ['pan']) ?? '')?.[1];
  if (panLast4 !== undefined) picked.set('panLast4', panLast4);
  return picked.size === 0 ? undefined : (Object.fromEntries(picked) as CallbackFields);
}

function firstText(records: readonly Tree[], path: readonly string[]): string | undefined {
  for (const record of records) {
    const text = textAt(record, path);
    if (text !== undefined) return text;
  }
  return undefined;
}

function textAt(record: Tree, path: readonly string[]): string | undefined {
  let node: Node | undefined = record;
  for (const name of path) node = typeof node === 'object' ? node.get(name) : undefined;
  if (typeof node !== 'string' || node.length > BODY_LIMITS.fieldCharacters) return undefined;
  const text = node.trim();
  return text === '' ? undefined : text;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const opens = (code: number): boolean => code === 0x5b || code === 0x7b;
const closes = (code: number): boolean => code === 0x5d || code === 0x7d;

/**
 * Whether the containers nest deeper than `depth`, without parsing. JSON.parse survives ten thousand levels; code
 * that walks the result does not.
 */
export function nestsDeeperThan(text: string, depth: number): boolean {
  let level = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quoted && code === BACKSLASH) index += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (!quoted && opens(code)) level += 1;
    else if (!quoted && closes(code)) level -= 1;
    if (level > depth) return true;
  }
  return false;
}

/** A record, a text (JSON inside JSON), or undefined if it is not JSON that could contain a record. */
function readJson(text: string, budget: Budget): Parsed | { readonly text: string } | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  if (nestsDeeperThan(text, BODY_LIMITS.depth)) return { reason: 'too_deep' };
  const value = parse(text);
  if (typeof value === 'string') return { text: value };
  if (typeof value !== 'object' || value === null) return undefined;
  const tree = treeOf(value, budget);
  return budget.parameters < 0 ? { reason: 'too_many_parameters' } : { tree };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A valid result here: the text may be a form.
    return undefined;
  }
}

function treeOf(value: object, budget: Budget): Tree {
  const tree: GrowingTree = new Map();
  for (const [name, member] of Object.entries(value) as Array<[string, unknown]>) {
    budget.parameters -= 1;
    if (budget.parameters < 0) return tree;
    const node = isForbidden(name) ? undefined : nodeOf(member, budget);
    if (node !== undefined) tree.set(name, node);
  }
  return tree;
}

function nodeOf(member: unknown, budget: Budget): Node | undefined {
  if (typeof member === 'string') return member;
  if (typeof member === 'number') return textOf(member);
  return typeof member === 'object' && member !== null ? treeOf(member, budget) : undefined;
}

/** A whole number beyond 2^53 has lost digits: as an identifier it would name something else. */
function textOf(value: number): string | undefined {
  const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return exact ? String(value) : undefined;
}

/** A part's headers are two short lines; a longer text before the first empty line is no valid part. */
const LONGEST_HEAD = 1_024;

/**
 * The text fields of a multipart body; files are skipped. Uses the announced boundary, or the one in the first line:
 * a body keeps its boundary even if its content type is lost or replaced on the way.
 */
function readMultipart(text: string, contentType: string | undefined, budget: Budget): Parsed | undefined {
  const candidates = [announcedBoundary(contentType), shownBoundary(text)];
  const boundary = candidates.find((candidate) => candidate !== undefined && text.includes(`--${candidate}`));
  if (boundary === undefined) return undefined;

  const tree: GrowingTree = new Map();
  let start = text.indexOf(`--${boundary}`);
  while (start !== -1) {
    const from = start + boundary.length + 2;
    const next = text.indexOf(`--${boundary}`, from);
    const field = readPart(text.slice(from, next === -1 ? text.length : next));
    const reason = field && place(tree, field.name, field.value, budget);
    if (reason) return { reason };
    start = next;
  }
  return tree.size === 0 ? undefined : { tree };
}

function announcedBoundary(contentType: string | undefined): string | undefined {
  const [, quoted, bare] =
    /^\s*multipart\/.*?boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/is.exec(contentType ?? '') ?? [];
  return quoted ?? bare;
}

function shownBoundary(text: string): string | undefined {
  return /^\s{0,16}--([^\r\n]{1,200}?)[ \t]{0,16}\r?\n/.exec(text)?.[1];
}

/** Headers, an empty line, the value, a line end that belongs to the next boundary. */
function readPart(part: string): { readonly name: string; readonly value: string } | undefined {
  const gap = /\r?\n\r?\n/.exec(part);
  if (gap === null || gap.index > LONGEST_HEAD) return undefined;
  const head = part.slice(0, gap.index);
  const [, quoted, bare] = /content-disposition:[^\r\n]*?[;\s]name=(?:"([^"\r\n]*)"|([^\s;"]+))/i.exec(head) ?? [];
  const name = quoted ?? bare;
  if (name === undefined || /;\s{0,16}filename\*?=/i.test(head)) return undefined;
  return { name, value: part.slice(gap.index + gap[0].length).replace(/\r?\n$/, '') };
}

/** `a=1&data[b][c]=2`, the documented encoding of checkout callbacks (interface: Events). */
function readForm(text: string, budget: Budget): Parsed {
  const tree: GrowingTree = new Map();
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('&', start);
    const end = found === -1 ? text.length : found;
    const pair = text.slice(start, end);
    start = end + 1;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = percentDecode(equals === -1 ? pair : pair.slice(0, equals)).trim();
    const value = equals === -1 ? '' : percentDecode(pair.slice(equals + 1));
    const reason = place(tree, name, value, budget);
    if (reason) return { reason };
  }
  return { tree };
}

/**
 * The common form of every encoding: texts under names. Maps and not objects, so that an untrusted name is only a
 * key.
 */

type Node = string | Tree;
export type Tree = ReadonlyMap<string, Node>;
type GrowingTree = Map<string, Node>;

/** A reader's result. `undefined`, where possible, means "not this encoding". */
export type Parsed = { readonly tree: Tree } | { readonly reason: UnreadableReason };

/** Names with a meaning for JavaScript objects. No callback needs one, so they are dropped with their values. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function isForbidden(name: string): boolean {
  return FORBIDDEN.has(name);
}

/** `data[invoice][token]` → `['data', 'invoice', 'token']`. A name outside this pattern is one literal name. */
function namesOf(field: string): readonly string[] {
  const open = field.indexOf('[');
  if (open <= 0 || !field.endsWith(']')) return [field];
  return [field.slice(0, open), ...field.slice(open + 1, -1).split('][')];
}

/** Inserts one form field at its path. As in PHP, a later field replaces an earlier one, and `[]` appends. */
function place(root: GrowingTree, field: string, value: string, budget: Budget): UnreadableReason | undefined {
  budget.parameters -= 1;
  if (budget.parameters < 0) return 'too_many_parameters';
  const names = namesOf(field);
  if (names.length > BODY_LIMITS.depth) return 'too_deep';
  if (names.some(isForbidden)) return undefined;

  let branch = root;
  for (const name of names.slice(0, -1)) branch = branchOf(branch, keyIn(branch, name));
  branch.set(keyIn(branch, names.at(-1) ?? field), value);
  return undefined;
}

function keyIn(branch: Tree, name: string): string {
  return name === '' ? String(branch.size) : name;
}

function branchOf(parent: GrowingTree, name: string): GrowingTree {
  const existing = parent.get(name);
  // Every tree below a growing one was created here, so it may grow too.
  if (existing instanceof Map) return existing as GrowingTree;
  const branch: GrowingTree = new Map();
  parent.set(name, branch);
  return branch;
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/** Removes one layer of form encoding. Like browsers and PHP, it keeps a percent sign that begins no escape. */
export function percentDecode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    // Several times faster than the code below, and nearly every body is well-formed.
    return decodeURIComponent(spaced);
  } catch {
    // A stray percent sign or invalid UTF-8: decodable parts are decoded, the rest stays or is replaced.
    return spaced.replace(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  }
}

/** Limits of any callback. A confirmed invoice with many items stays far below each. */
export const BODY_LIMITS = {
  bytes: 256 * 1024,
  /** Form fields, or members and elements of JSON, counted over the whole body. */
  parameters: 5_000,
  /** Levels of nesting: JSON containers, or names inside a form field's brackets. */
  depth: 12,
  /** Characters of one stored field. */
  fieldCharacters: 512,
  /** How often a text may contain another encoded text (JSON in JSON, percent-encoded twice). */
  layers: 4,
} as const;

/** Why a body is unreadable, for the counter of callbacks. The status check follows in any case. */
type UnreadableReason = 'empty' | 'too_large' | 'too_many_parameters' | 'too_deep' | 'not_understood';

/** The parameters left while one body is read. Every reader counts it down. */
interface Budget {
  parameters: number;
}

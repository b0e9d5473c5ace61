import { maskPhone } from '../lib/phone.ts';
import { plainNames, BODY_LIMITS, percentDecode, readTree, type Tree } from './body.ts';

/** The containers upstream defines and plain fields live in. */
const RECORDS: ReadonlySet<string> = new Set(['data', 'invoice']);
const MASK = '•••';
const KEPT_BYTES = 4_096;
/** How much of a body nobody can read is looked at; more than is kept, because masking makes it shorter. */
const SEEN_BYTES = 16_384;

/** Names whose values are about a person, a card or a key, wherever in the name the word stands. */
const PRIVATE_WORDS =
  'hash|pan|card|cvv|otp|pass|secret|key|name|phone|mobile|msisdn|numero|number|email|mail|alias|address|customer|receipt|url';
const PRIVATE_NAME = new RegExp(PRIVATE_WORDS, 'i');
/** The same names inside a text: `"name": "…"` at any level of quoting, and `name=…`. All counts are bounded. */
const PRIVATE_MEMBER = new RegExp(
  `((?:${PRIVATE_WORDS})[\\w-]{0,40}\\\\{0,8}["']\\s{0,8}:\\s{0,8})(?:(\\\\{0,8})"[\\s\\S]*?(?:(?<!\\\\)\\2"|$)|[^"\\s,}\\]]+)`,
  'gi',
);
const PRIVATE_PAIR = new RegExp(`((?:${PRIVATE_WORDS})[\\w\\[\\]-]{0,60}=)[^&\\r\\n]*`, 'gi');
const KEY_LIKE = /[0-9a-f]{32,}/gi;
const CARD_LIKE = /\d(?:[ -]?\d){11,18}/g;
const MAIL_LIKE = /[\w.+-]{1,64}@[\w.-]{1,255}/g;

/**
 * A callback as text of at most 4 kB that may be kept: hash, cards, keys, names, addresses and telephone numbers are
 * masked, the identifiers and amounts that make it evidence are not. What can be read comes back as JSON, which
 * `readCallbackBody` reads as it read the original; the rest as masked text.
 */
export function redactBody(raw: Uint8Array, contentType?: string): string {
  const parsed = readTree(raw, contentType);
  return clip('tree' in parsed ? JSON.stringify(redactTree(parsed.tree, true)) : maskText(readableStart(raw)));
}

/**
 * A null-prototype object per level; the reader has already refused names that mean something to JavaScript. `ours`
 * while every level above is one upstream defines: `custom_data` may hold anything under a name we trust elsewhere.
 */
function redactTree(tree: Tree, ours: boolean): object {
  const members: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, node] of tree) {
    if (typeof node === 'object') members[maskText(name)] = redactTree(node, ours && RECORDS.has(name));
    else if (ours && plainNames.has(name)) members[name] = node.slice(0, BODY_LIMITS.fieldCharacters);
    else members[maskText(name)] = PRIVATE_NAME.test(name) && node !== '' ? MASK : maskText(node);
  }
  return members;
}

function maskText(text: string): string {
  const masked = text
    .replace(PRIVATE_MEMBER, `$1"${MASK}"`)
    .replace(PRIVATE_PAIR, `$1${MASK}`)
    .replace(KEY_LIKE, MASK)
    .replace(CARD_LIKE, MASK)
    .replace(MAIL_LIKE, MASK);
  return maskPhone(masked);
}

/** Encoded texts are decoded first: `%37%37…` would hide a number from every pattern above. */
function readableStart(raw: Uint8Array): string {
  let text = new TextDecoder().decode(raw.subarray(0, SEEN_BYTES));
  for (let layer = 0; layer < 3; layer += 1) text = percentDecode(text);
  return text;
}

function clip(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= KEPT_BYTES) return text;
  // Cut between characters: the decoder leaves out an unfinished one while it is told that more will come.
  return `${new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES - 3), { stream: true })}…`;
}

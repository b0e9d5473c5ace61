import { hash } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Two digits for every ten bits. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => ALPHABET.charAt(bits >>> 5) + ALPHABET.charAt(bits & 31));

/**
 * A deterministic identifier of its parts. `bits` of SHA-256 over the parts, each preceded by its length so that
 * ("a","bc") and ("ab","c") differ.
 */
function digestOf(parts: readonly string[], encoding: 'hex' | 'binary'): string {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  return hash('sha256', text, encoding);
}

/** 26 characters of Crockford's base 32 (130 bits): safe in URLs, file names and BullMQ job ids. */
export function derivedId(prefix: string, ...parts: string[]): string {
  const bytes = digestOf([prefix, ...parts], 'binary');
  // 136 bits; the first six are unused.
  let [bits, count] = [bytes.charCodeAt(0) & 3, 2];
  let text = '';
  for (let at = 1; at < 17; at += 1) {
    bits = (bits << 8) | bytes.charCodeAt(at);
    count += 8;
    if (count < 10) continue;
    count -= 10;
    text += PAIRS[bits >> count] ?? '';
    bits &= (1 << count) - 1;
  }
  return `${prefix}_${text}`;
}

/** 32 lower-case hex characters (128 bits). */
export function derivedHex(...parts: string[]): string {
  return digestOf(parts, 'hex').slice(0, 32);
}

/** A short, stable fingerprint of a text: 22 characters of base64url (128 bits and a little). */
export function fingerprint(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** JSON with sorted object keys, so that equal values give equal texts. `undefined` members are omitted. */
export function canonicalJson(value: unknown): string {
  return isFlat(value)
    ? flatJson(value)
    : JSON.stringify(value, (_key, member: unknown) => {
        if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
        return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
      });
}

type Flat = Record<string, string | number | boolean | null | undefined>;

/** Most requests contain only texts and numbers, and many arrive at once. */
function isFlat(value: unknown): value is Flat {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (Object.hasOwn(value, '__proto__') || 'toJSON' in value) return false;
  return Object.values(value).every((member) => typeof member !== 'object' || member === null);
}

function flatJson(value: Flat): string {
  const ordered: Flat = {};
  for (const key of Object.keys(value).sort()) ordered[key] = value[key];
  return JSON.stringify(ordered);
}

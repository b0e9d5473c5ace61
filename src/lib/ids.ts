import { hash } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * An identifier that the same parts give for ever, whatever was lost in between. `bits` of SHA-256 over the parts,
 * each preceded by its length so that ("a","bc") and ("ab","c") differ.
 */
function digestOf(parts: readonly string[]): Buffer {
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'buffer');
}

/** 26 characters of Crockford's base 32 (130 bits): safe in URLs, file names and BullMQ job ids. */
export function derivedId(prefix: string, ...parts: string[]): string {
  const [first = 0, ...bytes] = digestOf([prefix, ...parts]).subarray(0, 17);
  // 136 bits, of which the first six are left out.
  let [bits, count] = [first & 3, 2];
  let text = '';
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5; count -= 5) text += ALPHABET.charAt((bits >> (count - 5)) & 31);
    bits &= 31;
  }
  return `${prefix}_${text}`;
}

/** 32 lower-case hex characters (128 bits). */
export function derivedHex(...parts: string[]): string {
  return digestOf(parts).toString('hex').slice(0, 32);
}

/** A short, stable fingerprint of a text: 22 characters of base64url (128 bits and a little). */
export function fingerprint(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/**
 * JSON with the keys of every object in order, so that equal values give equal texts. `undefined` members are left
 * out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * How we know one text from another that says the same to the same number. Statistics tell what was sent to a number,
 * not when and not for which request, so a text of yesterday could pass for the one of today that was lost.
 *
 *   open   which texts are on their way or in doubt: the same text to the same number waits until that is over
 *   sent   which texts were counted as sent in the last days: what statistics show of them is spoken for
 */
/** The sent ones are kept by the half day, and for longer than the dates of statistics may be off. */
const MARKS_SLOT_MS = 43_200_000;
export const MARKS_KEPT_S = 3 * 86_400;
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

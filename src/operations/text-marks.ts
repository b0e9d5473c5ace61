/**
 * How we know one text from another that says the same to the same number. Statistics tell what was sent to a number,
 * not when and not for which request, so a text of yesterday could pass for the one of today that was lost.
 *
 *   open   which texts are on their way or in doubt: the same text to the same number waits until that is over
 *   sent   which texts were counted as sent in the last days: what statistics show of them is spoken for
 */
import { createHash } from 'node:crypto';

/** The sent ones are kept by the half day, and for longer than the dates of statistics may be off. */
export const MARKS_SLOT_MS = 43_200_000;
export const MARKS_KEPT_S = 3 * 86_400;
/** Above so many in half a day those of campaigns are no longer kept: about 20 MB. Single messages always are. */
export const MARKS_PER_SLOT = 300_000;
/** Longer than anything is in doubt: an entry that was left behind must not stop a text for ever. */
export const OPEN_KEPT_MS = 8 * 86_400_000;

/** Codes that say only "sent", and are therefore the same for every text. */
const NAMELESS = new Set(['', '00']);

/** 48 bits: among a million texts two that look the same are one in a hundred million. */
export function textMark(to: string, text: string): string {
  return mark(`${to}\n${text}`);
}

/** Tells one sending of a text from another, where upstream gives each a code of its own; else there is none. */
export function codeMark(to: string, text: string, code: string): string[] {
  return NAMELESS.has(code) ? [] : [mark(`${to}\n${text}\n${code}`)];
}

export function slotOf(ms: number): number {
  return Math.floor(ms / MARKS_SLOT_MS);
}

function mark(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 8);
}

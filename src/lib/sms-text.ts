/** Characters that an SMS cannot carry, or that a phone does not show. */

/** `blank`: no visible character. `controls`: NUL, ESC and similar. `half`: an unpaired surrogate. */
export type SmsFault = 'blank' | 'controls' | 'half';

const CONTROL = /[^\P{Cc}\n\r\t]/u;
const HALF = /\p{Cs}/u;
/** U+2800 is the empty Braille pattern: a letter in Unicode, and blank on a phone. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Undefined: the provider can send the text unchanged. */
export function smsFaultOf(text: string): SmsFault | undefined {
  return unsendableIn(text) ?? (VISIBLE.test(text) ? undefined : 'blank');
}

/** For a part of a text, which may be blank. */
export function unsendableIn(part: string): Exclude<SmsFault, 'blank'> | undefined {
  if (CONTROL.test(part)) return 'controls';
  return HALF.test(part) ? 'half' : undefined;
}

/** A carriage return is billed like a letter and has no effect on a phone: a line feed is enough. */
export function withPlainLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

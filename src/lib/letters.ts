/**
 * Characters by their Unicode properties. Identifier texts contain no invisible characters and no unusual spaces;
 * phone numbers may, since address books and web pages insert them.
 */
import { type Message, message } from '../messages/message.ts';

/** Letters and signs with an empty glyph: the blank of Braille, of music notation and of Khitan. */
const EMPTY = String.raw`\u2800\u{1d159}\u{16fe4}`;
const UNSEEN = String.raw`\p{Cf}\p{Default_Ignorable_Code_Point}`;

/** Any visible character, and the ordinary space. */
export const SEEN = new RegExp(String.raw`^(?:[^\p{Cc}\p{Cs}\p{Z}${UNSEEN}${EMPTY}]| )*$`, 'u');

const HALF = /^\p{Cs}$/u;
const SPACE = new RegExp(String.raw`^[\p{Z}${EMPTY}]$`, 'u');

/** Any character of a line of readable text. */
export const READABLE = /^[^\p{Cc}\p{Cs}]*$/u;

/** The first forbidden character, by name and position; undefined: none. */
export function unseenIn(text: string, allowed = SEEN): Message | undefined {
  const characters = Array.from(text);
  const at = characters.findIndex((character) => !allowed.test(character));
  const found = characters[at];
  if (found === undefined) return undefined;
  const character = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const position = at + 1;
  if (HALF.test(found)) return message('half_of_character', { character, position });
  if (SPACE.test(found)) return message('odd_space', { character, position });
  return message('unseen_character', { character, position });
}

const ASCII = /^[\x20-\x7e]*$/;
const ALL_UNSEEN = new RegExp(`[${UNSEEN}]+`, 'gu');
const ALL_SPACES = new RegExp(String.raw`[\p{Z}\t${EMPTY}]`, 'gu');
/** Unicode does not class the minus sign as a dash. */
const ALL_DASHES = /[\p{Pd}\u2212]/gu;

/** Removes invisible characters; every space becomes an ordinary one. */
export function seenText(text: string): string {
  return ASCII.test(text) ? text : text.replace(ALL_UNSEEN, '').replace(ALL_SPACES, ' ');
}

/** Like `seenText`, and every dash becomes a hyphen. */
export function plainText(text: string): string {
  return ASCII.test(text) ? text : seenText(text).replace(ALL_DASHES, '-');
}

/** One form for all texts that a reader sees as equal. Only for comparisons, never sent or shown. */
export function comparable(text: string): string {
  return plainText(text).normalize('NFKC').toLowerCase().normalize('NFC').replace(/ +/g, ' ').trim();
}

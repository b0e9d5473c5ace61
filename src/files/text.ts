import { isAscii, isUtf8 } from 'node:buffer';
import { unusable } from './problems.ts';
import { detail } from '../words/details.ts';

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'mac-roman'] as const;
export type Encoding = (typeof encodings)[number];

const NAMES: Readonly<Record<string, Encoding>> = {
  ascii: 'utf-8',
  'us-ascii': 'utf-8',
  utf8: 'utf-8',
  'utf-16': 'utf-16le',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  cp1252: 'windows-1252',
  ansi: 'windows-1252',
  // As browsers do: what calls itself Latin-1 has the quotes and the euro of Windows.
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  macintosh: 'mac-roman',
  macroman: 'mac-roman',
  mac: 'mac-roman',
  'x-mac-roman': 'mac-roman',
};

/** The encoding that a person or a `charset` names; undefined for one that is not known here. */
export function encodingOf(name: string): Encoding | undefined {
  const plain = name.trim().toLowerCase();
  return encodings.find((encoding) => encoding === plain) ?? NAMES[plain];
}

const NOTHING = Buffer.alloc(0);
/** How much is looked at, from the first byte that is not UTF-8 on, to tell Windows from the Macintosh. */
const WINDOW = 4_096;

/**
 * Turns the bytes of a text into UTF-8 bytes without a byte order mark, piece by piece.
 *
 * A byte order mark decides, or the zero bytes of UTF-16 between the first letters; else the first bytes beyond ASCII:
 * a well-formed UTF-8 sequence means UTF-8, anything else Windows-1252 or Mac Roman, whichever makes words of it. The
 * decision never looks further than a fixed window, so it does not depend on how the file was cut. A file that breaks
 * the decision later is refused: a text with the wrong letters would go to thousands of people.
 */
export class TextReader {
  #encoding: Encoding | undefined;
  #rest: Buffer = NOTHING;
  #begun = false;

  /** `named`: what the file is said to be written in; nothing is guessed then. */
  constructor(named?: Encoding) {
    this.#encoding = named;
  }

  /** What the file is written in; a file with ASCII alone counts as UTF-8. */
  get encoding(): Encoding {
    return this.#encoding ?? 'utf-8';
  }

  /** The next piece; the last call is `read(empty, true)`. */
  read(chunk: Uint8Array, last = false): Buffer {
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, fresh]) : fresh;
    this.#rest = NOTHING;
    if (!this.#begun) {
      // Four bytes tell a byte order mark and UTF-16 without one.
      if (bytes.length < 4 && !last) return this.#keep(bytes);
      bytes = this.#open(bytes);
    }
    if (this.#encoding === 'utf-16le' || this.#encoding === 'utf-16be') return this.#fromUtf16(bytes, last);
    if (bytes.includes(0)) throw unusable('not_text');
    return this.#convert(bytes, last);
  }

  #keep(bytes: Buffer): Buffer {
    // A copy: the caller may use its buffer again.
    this.#rest = Buffer.from(bytes);
    return NOTHING;
  }

  #open(bytes: Buffer): Buffer {
    this.#begun = true;
    const [a, b, c, d] = bytes;
    if (a === 0xff && b === 0xfe) return this.#marked('utf-16le', bytes.subarray(2));
    if (a === 0xfe && b === 0xff) return this.#marked('utf-16be', bytes.subarray(2));
    if (a === 0xef && b === 0xbb && c === 0xbf) return this.#marked('utf-8', bytes.subarray(3));
    if (a && c && b === 0 && d === 0) this.#encoding ??= 'utf-16le';
    if (b && d && a === 0 && c === 0) this.#encoding ??= 'utf-16be';
    return bytes;
  }

  /** What the file says of itself is truer than what was said about it. */
  #marked(encoding: Encoding, rest: Buffer): Buffer {
    this.#encoding = encoding;
    return rest;
  }

  #fromUtf16(bytes: Buffer, last: boolean): Buffer {
    // A character may have four bytes; one that is cut waits for its end.
    let whole = bytes.length - (bytes.length % 2);
    const high = bytes[whole - (this.#encoding === 'utf-16le' ? 1 : 2)] ?? 0;
    if (!last && (high & 0xfc) === 0xd8) whole -= 2;
    if (last && whole < bytes.length) throw unusable('not_text', { detail: detail('half_character', {}) });
    if (whole < bytes.length) this.#keep(bytes.subarray(whole));
    const part = Buffer.from(bytes.subarray(0, whole));
    const text = (this.#encoding === 'utf-16be' ? part.swap16() : part).toString('utf16le');
    // A letter without its other half, or zero bytes: this is no UTF-16.
    if (/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text))
      throw unusable('not_text');
    return Buffer.from(text, 'utf8');
  }

  #convert(bytes: Buffer, last: boolean): Buffer {
    if (this.#encoding === undefined) {
      if (isAscii(bytes)) return bytes;
      const decided = decide(bytes, last);
      if (decided === 'undecided') return this.#keep(bytes);
      this.#encoding = decided;
    }
    if (this.#encoding === 'windows-1252') return fromTable(bytes, WINDOWS_1252);
    if (this.#encoding === 'mac-roman') return fromTable(bytes, MAC_ROMAN);
    const whole = last ? bytes.length : bytes.length - tailLength(bytes);
    const text = bytes.subarray(0, whole);
    if (!isUtf8(text)) throw unusable('mixed_encoding');
    if (whole < bytes.length) this.#keep(bytes.subarray(whole));
    return text;
  }
}

function decide(bytes: Buffer, last: boolean): Encoding | 'undecided' {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const length = sequenceLength(bytes[first] ?? 0);
  const sequence = bytes.subarray(first, first + length);
  if (sequence.length === length && isUtf8(sequence)) return 'utf-8';
  // Cut inside what may be one character: wait for its end, unless what is here already cannot be UTF-8.
  const possible = sequence.length < length && sequence.subarray(1).every((byte) => (byte & 0xc0) === 0x80);
  if (!last && (possible || bytes.length < first + WINDOW)) return 'undecided';
  const window = bytes.subarray(Math.max(0, first - 1), first + WINDOW);
  return sense(window, MAC_ROMAN) > sense(window, WINDOWS_1252) ? 'mac-roman' : 'windows-1252';
}

/** How much like French the bytes read in an encoding: letters inside words speak for it, `Ž` and `ƒ` against it. */
function sense(bytes: Buffer, table: string): number {
  let sum = 0;
  const isLetter = (byte = 0): boolean => byte >= 0x80 || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
  for (const [at, byte] of bytes.entries()) {
    if (byte < 0x80) continue;
    const char = table.charAt(byte - 0x80);
    if ('éèàêçôîïëûùâœ'.includes(char)) sum += isLetter(bytes[at - 1]) && isLetter(bytes[at + 1]) ? 3 : 1;
    else sum += 'ÉÈÀÊÇÔÎÏËÛÙÂŒ«»’‘“”…–—€°\u00a0'.includes(char) ? 1 : -2;
  }
  return sum;
}

/** How many bytes the UTF-8 sequence has that begins with `lead`; 1 for a byte that begins none. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xc2 && lead <= 0xdf ? 2 : 1;
}

/** How many bytes at the end begin a character whose end is still to come. */
function tailLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

const UPPER_HALF = Array.from({ length: 96 }, (_, at) => String.fromCharCode(0xa0 + at)).join('');
/** The bytes from 0x80 on. Up to 0x9F Latin-1 has control characters; from there the two agree. */
export const WINDOWS_1252 = `€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ${UPPER_HALF}`;
export const MAC_ROMAN =
  'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ';

/** Not TextDecoder: that of Node 20.20 reads `windows-1252` as Latin-1, and every œ, € and ’ is lost. */
function fromTable(bytes: Buffer, table: string): Buffer {
  if (isAscii(bytes)) return bytes;
  const text = bytes.toString('latin1').replace(/[\x80-\xff]/g, (char) => table.charAt(char.charCodeAt(0) - 0x80));
  return Buffer.from(text, 'utf8');
}

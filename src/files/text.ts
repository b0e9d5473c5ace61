import { isAscii, isUtf8 } from 'node:buffer';
import { fromCodePage } from './code-pages.ts';
import { type Encoding, isCodePage } from './encodings.ts';
import { guessCodePage } from './encoding-guess.ts';
import { unusable, type UnusableFile } from './problems.ts';
import { detail } from '../messages/details.ts';

const NOTHING = Buffer.alloc(0);
/** How much is read, from the first invalid UTF-8 byte on, to distinguish Windows, Macintosh and MS-DOS. */
const WINDOW = 4_096;
/** Enough to show the word around the first byte. */
const SAMPLE_BEFORE = 20;

/**
 * Converts a text to UTF-8 without a byte order mark, piece by piece.
 *
 * A byte order mark decides, or the zero bytes of UTF-16 between the first letters; otherwise the first bytes beyond
 * ASCII: a well-formed UTF-8 sequence means UTF-8, anything else the code page that gives plausible words. If two do,
 * the file is refused with both readings. The decision uses only a fixed window, so it does not depend on the
 * chunking. A file that contradicts the decision later is refused: wrong letters would go to thousands of people.
 */
export class TextReader {
  #encoding: Encoding | undefined;
  #rest: Buffer = NOTHING;
  /** The last output before the encoding was detected. */
  #before: Buffer = NOTHING;
  #begun = false;

  /** `named`: the declared encoding, which disables detection. */
  constructor(named?: Encoding) {
    this.#encoding = named;
  }

  /** The encoding of the file; a file with only ASCII counts as UTF-8. */
  get encoding(): Encoding {
    return this.#encoding ?? 'utf-8';
  }

  /** The next piece; the last call is `read(empty, true)`. */
  read(chunk: Uint8Array, last = false): Buffer {
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, fresh]) : fresh;
    this.#rest = NOTHING;
    if (!this.#begun) {
      // Four bytes show a byte order mark or UTF-16 without one.
      if (bytes.length < 4 && !last) return this.#keep(bytes);
      bytes = this.#open(bytes);
    }
    if (this.#encoding === 'utf-16le' || this.#encoding === 'utf-16be') return this.#fromUtf16(bytes, last);
    if (bytes.includes(0)) throw withZero(bytes);
    return this.#convert(bytes, last);
  }

  #keep(bytes: Buffer): Buffer {
    // A copy: the caller may reuse its buffer.
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

  /** The file's own mark overrides the declared encoding. */
  #marked(encoding: Encoding, rest: Buffer): Buffer {
    this.#encoding = encoding;
    return rest;
  }

  #fromUtf16(bytes: Buffer, last: boolean): Buffer {
    // A character may have four bytes; an incomplete one waits for its end.
    let whole = bytes.length - (bytes.length % 2);
    const high = bytes[whole - (this.#encoding === 'utf-16le' ? 1 : 2)] ?? 0;
    if (!last && (high & 0xfc) === 0xd8) whole -= 2;
    if (last && whole < bytes.length) throw unusable('not_text', { detail: detail('half_character', {}) });
    if (whole < bytes.length) this.#keep(bytes.subarray(whole));
    const part = Buffer.from(bytes.subarray(0, whole));
    const text = (this.#encoding === 'utf-16be' ? part.swap16() : part).toString('utf16le');
    // An unpaired surrogate, or zero bytes: this is no UTF-16.
    if (/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text))
      throw unusable('not_text');
    return Buffer.from(text, 'utf8');
  }

  #convert(bytes: Buffer, last: boolean): Buffer {
    if (this.#encoding === undefined) {
      if (isAscii(bytes)) {
        this.#before = Buffer.concat([this.#before, bytes]).subarray(-SAMPLE_BEFORE);
        return bytes;
      }
      const decided = decide(bytes, { last, before: this.#before });
      if (decided === 'undecided') return this.#keep(bytes);
      this.#encoding = decided;
    }
    if (isCodePage(this.#encoding)) return Buffer.from(fromCodePage(bytes, this.#encoding), 'utf8');
    const whole = last ? bytes.length : bytes.length - tailLength(bytes);
    const text = bytes.subarray(0, whole);
    if (!isUtf8(text)) throw unusable('mixed_encoding');
    if (whole < bytes.length) this.#keep(bytes.subarray(whole));
    return text;
  }
}

function decide(
  bytes: Buffer,
  { last, before }: { readonly last: boolean; readonly before: Buffer },
): Encoding | 'undecided' {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const length = sequenceLength(bytes[first] ?? 0);
  const sequence = bytes.subarray(first, first + length);
  if (sequence.length === length && isUtf8(sequence)) return 'utf-8';
  // The chunk may end inside a character: wait for the rest, unless it already cannot be UTF-8.
  const possible = sequence.length < length && sequence.subarray(1).every((byte) => (byte & 0xc0) === 0x80);
  if (!last && (possible || bytes.length < first + WINDOW)) return 'undecided';
  const around = Buffer.concat([before, bytes.subarray(0, first)]).subarray(-SAMPLE_BEFORE);
  return guessCodePage(Buffer.concat([around, bytes.subarray(first, first + WINDOW)]));
}

function withZero(bytes: Buffer): UnusableFile {
  const at = bytes.indexOf(0);
  const [before = ''] = /[^;,\t|"\r\n]*$/.exec(bytes.toString('latin1', Math.max(0, at - SAMPLE_BEFORE), at)) ?? [];
  return unusable('not_text', { detail: detail('zero_byte', { before: before.replaceAll(/[^\x20-\x7e]/g, '?') }) });
}

/** The length of the UTF-8 sequence that begins with `lead`; 1 for an invalid first byte. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xc2 && lead <= 0xdf ? 2 : 1;
}

/** Number of bytes at the end that begin an incomplete character. */
function tailLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

import { isAscii, isUtf8 } from 'node:buffer';
import { fileProblem, UnusableFile } from './reasons.ts';

export type Encoding = 'utf-8' | 'windows-1252';

const NOTHING = Buffer.alloc(0);

/**
 * Turns the bytes of a file into UTF-8 bytes without a byte order mark, piece by piece.
 *
 * The first bytes beyond ASCII decide: a well-formed UTF-8 sequence means UTF-8, anything else means Windows-1252,
 * which is
 * what French Excel writes for “CSV”. The decision never looks further than one character, so it does not depend on how
 * the file was cut, and nothing has to be kept. A file that breaks the decision later is refused: a text with the
 * wrong letters would go to thousands of people.
 */
export class Utf8Reader {
  #encoding: Encoding | undefined;
  #rest: Buffer = NOTHING;
  #begun = false;

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
      // Four bytes tell a byte order mark and a zipped workbook from text.
      if (bytes.length < 4 && !last) return this.#keep(bytes);
      bytes = this.#open(bytes);
    }
    if (bytes.includes(0)) throw new UnusableFile([fileProblem('not_text')]);
    return this.#convert(bytes, last);
  }

  #keep(bytes: Buffer): Buffer {
    // A copy: the caller may use its buffer again.
    this.#rest = Buffer.from(bytes);
    return NOTHING;
  }

  #open(bytes: Buffer): Buffer {
    this.#begun = true;
    if (bytes.length === 0) throw new UnusableFile([fileProblem('empty_file')]);
    const mark = bytes.subarray(0, 4).toString('latin1');
    if (mark === 'PK\x03\x04' || mark === '\xd0\xcf\x11\xe0')
      throw new UnusableFile([fileProblem('spreadsheet_file')]);
    if (mark.startsWith('\xff\xfe') || mark.startsWith('\xfe\xff'))
      throw new UnusableFile([fileProblem('utf16_file')]);
    if (!mark.startsWith('\xef\xbb\xbf')) return bytes;
    this.#encoding = 'utf-8';
    return bytes.subarray(3);
  }

  #convert(bytes: Buffer, last: boolean): Buffer {
    if (this.#encoding === undefined) {
      if (isAscii(bytes)) return bytes;
      const decided = decide(bytes, last);
      if (decided === 'undecided') return this.#keep(bytes);
      this.#encoding = decided;
    }
    if (this.#encoding === 'windows-1252') return fromWindows1252(bytes);
    const whole = last ? bytes.length : bytes.length - tailLength(bytes);
    const text = bytes.subarray(0, whole);
    if (!isUtf8(text)) throw new UnusableFile([fileProblem('mixed_encoding')]);
    if (whole < bytes.length) this.#keep(bytes.subarray(whole));
    return text;
  }
}

function decide(bytes: Buffer, last: boolean): Encoding | 'undecided' {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const length = sequenceLength(bytes[first] ?? 0);
  const sequence = bytes.subarray(first, first + length);
  if (sequence.length === length) return isUtf8(sequence) ? 'utf-8' : 'windows-1252';
  // Cut inside what may be one character: wait for its end, unless what is here already cannot be UTF-8.
  const possible = sequence.subarray(1).every((byte) => (byte & 0xc0) === 0x80);
  return possible && !last ? 'undecided' : 'windows-1252';
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

/** What Windows-1252 has at 0x80–0x9F, where Latin-1 has control characters; elsewhere the two agree. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function fromWindows1252(bytes: Buffer): Buffer {
  if (isAscii(bytes)) return bytes;
  // Not TextDecoder: that of Node 20.20 reads `windows-1252` as Latin-1, and every œ, € and ’ is lost.
  const text = bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252.charAt(char.charCodeAt(0) - 0x80));
  return Buffer.from(text, 'utf8');
}

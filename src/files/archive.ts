/** What is inside a workbook: a zip archive of XML documents, read piece by piece and never further than is allowed. */
import { StringDecoder } from 'node:string_decoder';
import { crc32 } from 'node:zlib';
import { Parser } from 'saxen';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { unusable } from './problems.ts';

/** A workbook of two sheets has some twenty. */
const ENTRIES_MAX = 10_000;
/** No tag and no cell is near; what is longer is not ended, and would be looked at again with each piece. */
const TOKEN_MAX = 2_000_000;

/** Told of each element: its name without the prefix, and its attributes when asked. A text comes whole or in parts. */
export interface XmlListener {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text(text: string): void;
  close(name: string): void;
}

export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Bytes that may still be unpacked. */
  #left: number;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, unpackedMax: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#left = unpackedMax;
  }

  static async open(bytes: Buffer, unpackedMax: number): Promise<Archive> {
    try {
      const zip = await fromBufferPromise(bytes, { lazyEntries: true });
      const entries = new Map<string, Entry>();
      if (zip.entryCount > ENTRIES_MAX) throw unusable('broken_workbook', { detail: `${zip.entryCount} parts` });
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
      return new Archive(zip, entries, unpackedMax);
    } catch (error) {
      throw broken(error);
    }
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** The whole of a small part. */
  async read(name: string, listener: XmlListener): Promise<void> {
    for await (const length of this.pieces(name, listener)) void length;
  }

  /** Tells the listener of one piece after the other, each of so many bytes; what it learned is used between two. */
  async *pieces(name: string, listener: XmlListener): AsyncGenerator<number, void, undefined> {
    const entry = this.#entries.get(name.toLowerCase());
    if (!entry) throw unusable('broken_workbook', { detail: `it has no ${name}` });
    if (entry.isEncrypted()) throw unusable('old_workbook');
    this.#left -= entry.uncompressedSize;
    if (this.#left < 0) throw unusable('workbook_too_large');
    const xml = new XmlReader(listener);
    try {
      let sum = 0;
      // It ends with an error where there is more than the archive says.
      const stream: AsyncIterable<Buffer> = await this.#zip.openReadStreamPromise(entry);
      for await (const bytes of stream) {
        sum = crc32(bytes, sum);
        xml.write(bytes);
        yield bytes.length;
      }
      xml.end();
      if (sum !== entry.crc32) throw unusable('broken_workbook', { detail: `${name} is not what was written` });
    } catch (error) {
      throw broken(error);
    }
  }
}

function broken(error: unknown): unknown {
  if (error instanceof Error && error.name === 'UnusableFile') return error;
  return unusable('broken_workbook', { cause: error, detail: error instanceof Error ? error.message : '' });
}

/** Entities that a document declares are not known here, and a document that declares any is refused. */
class XmlReader {
  readonly #parser = new Parser();
  readonly #decoder = new StringDecoder('utf8');
  #sinceToken = 0;

  constructor(listener: XmlListener) {
    this.#parser.on('openTag', (name, attributes, decode) => {
      this.#sinceToken = 0;
      listener.open(withoutPrefix(name), (attribute) => {
        const value = attributes()[attribute];
        return value === undefined ? undefined : decode(value);
      });
    });
    this.#parser.on('closeTag', (name) => listener.close(withoutPrefix(name)));
    this.#parser.on('text', (text, decode) => listener.text(decode(text)));
    this.#parser.on('cdata', (text) => listener.text(text));
    this.#parser.on('attention', (text) => {
      if (/^<!(?:DOCTYPE|ENTITY)/i.test(text)) throw unusable('broken_workbook', { detail: 'it declares entities' });
    });
    this.#parser.on('error', (error) => {
      throw unusable('broken_workbook', { cause: error, detail: error.message });
    });
  }

  write(bytes: Buffer): void {
    this.#sinceToken += bytes.length;
    if (this.#sinceToken > TOKEN_MAX) throw unusable('broken_workbook', { detail: 'a part of it never ends' });
    this.#parser.write(this.#decoder.write(bytes));
  }

  end(): void {
    this.#parser.write(this.#decoder.end());
    this.#parser.end();
  }
}

function withoutPrefix(name: string): string {
  const at = name.indexOf(':');
  return at === -1 ? name : name.slice(at + 1);
}

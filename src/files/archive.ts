/** The zip archive of a workbook: its parts by name, decompressed piece by piece within the limits. */
import { posix } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { unusable } from './problems.ts';
import { type XmlListener, XmlReader } from './xml.ts';
import { detail } from '../messages/details.ts';

/** A workbook of two sheets has some twenty. */
const ENTRIES_MAX = 10_000;

/** The normalised name of a part: programs write `/xl/book.xml`, `xl\book.xml` and `./book.xml` from within `xl`. */
export function partName(written: string, folder = ''): string {
  const path = posix.resolve('/', folder, decoded(written.replaceAll('\\', '/')));
  return path.slice(1).toLowerCase();
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A literal percent sign.
    return name;
  }
}

export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Bytes that may still be decompressed. */
  #left: number;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, unpackedMax: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#left = unpackedMax;
  }

  static async open(bytes: Buffer, unpackedMax: number): Promise<Archive> {
    try {
      // Names are only read: nothing is written to a disk, so a leading slash is harmless.
      const zip = await fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false });
      const entries = new Map<string, Entry>();
      if (zip.entryCount > ENTRIES_MAX)
        throw unusable('broken_workbook', { detail: detail('many_parts', { parts: zip.entryCount }) });
      for await (const entry of zip.eachEntry()) entries.set(partName(nameOf(entry)), entry);
      return new Archive(zip, entries, unpackedMax);
    } catch (error) {
      throw broken(error);
    }
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(partName(name));
  }

  /** A small part as a whole. */
  async read(name: string, listener: XmlListener): Promise<void> {
    for await (const length of this.pieces(name, listener)) void length;
  }

  /**
   * Yields the length of each piece that the listener has received; the caller reads the listener's state in between.
   */
  async *pieces(name: string, listener: XmlListener): AsyncGenerator<number, void, undefined> {
    const entry = this.#entries.get(partName(name));
    if (!entry) throw unusable('broken_workbook', { detail: detail('part_missing', { part: name }) });
    if (entry.isEncrypted()) throw unusable('locked_workbook');
    this.#left -= entry.uncompressedSize;
    if (this.#left < 0) throw unusable('workbook_too_large');
    const xml = new XmlReader(listener);
    try {
      let sum = 0;
      // It ends with an error if it is longer than the archive declares.
      const stream: AsyncIterable<Buffer> = await this.#zip.openReadStreamPromise(entry);
      for await (const bytes of stream) {
        sum = crc32(bytes, sum);
        xml.write(bytes);
        yield bytes.length;
      }
      xml.end();
      if (sum !== entry.crc32) throw unusable('broken_workbook', { detail: detail('part_changed', { part: name }) });
    } catch (error) {
      throw broken(error);
    }
  }
}

function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

function broken(error: unknown): unknown {
  if (error instanceof Error && error.name === 'UnusableFile') return error;
  return unusable('broken_workbook', { cause: error });
}

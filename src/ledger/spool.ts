/**
 * Rows for a table in the text format of COPY. They wait on disk until the whole file was read: a slow sender must
 * not keep a transaction open. The file has no name, so it disappears with the process.
 */
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../lib/random.ts';

const NAME_BYTES = 12;
/** Size of one write to disk. */
const PIECE_CHARACTERS = 256 * 1_024;
const ROWS_IN_PART = 50_000;
const BYTES_IN_PART = 8 * 1_024 * 1_024;

export class Spool {
  readonly #folder: string;
  #file: FileHandle | undefined;
  /** Not on disk yet. */
  #lines: string[] = [];
  #characters = 0;
  #bytes = 0;
  #rows = 0;
  #partRows = 0;
  /** Where parts end, in bytes. */
  readonly #ends: number[] = [];

  constructor(folder = tmpdir()) {
    this.#folder = folder;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds a row. If it returns a promise, wait for the disk before the next row. */
  add(fields: readonly (string | number | null)[]): Promise<void> | undefined {
    const line = lineOf(fields);
    this.#lines.push(line);
    this.#characters += line.length;
    this.#rows += 1;
    this.#partRows += 1;
    return this.#characters >= PIECE_CHARACTERS || this.#partRows === ROWS_IN_PART ? this.#write() : undefined;
  }

  /** The rows, in parts of at most 50,000. `before`: the first columns of a row, by its position. */
  async *parts(before: (place: number) => string): AsyncGenerator<Buffer, void, undefined> {
    await this.#write();
    if (this.#bytes > (this.#ends.at(-1) ?? 0)) this.#ends.push(this.#bytes);
    let [from, place] = [0, 0];
    for (const end of this.#ends) {
      // Bytes as characters: a row ends at the only unescaped line end.
      const rows = (await this.#read(from, end)).toString('latin1').split('\n');
      rows.pop();
      const text = rows.map((row, at) => `${before(place + at)}\t${row}\n`).join('');
      yield Buffer.from(text, 'latin1');
      [from, place] = [end, place + rows.length];
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #write(): Promise<void> {
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#characters = 0;
    this.#file ??= await this.#open();
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, this.#bytes + written);
      written += bytesWritten;
    }
    this.#bytes += bytes.length;
    const isFull = this.#partRows >= ROWS_IN_PART || this.#bytes - (this.#ends.at(-1) ?? 0) >= BYTES_IN_PART;
    if (!isFull) return;
    this.#ends.push(this.#bytes);
    this.#partRows = 0;
  }

  async #open(): Promise<FileHandle> {
    const path = join(this.#folder, `relais-${systemRandom.hex(NAME_BYTES)}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return file;
  }

  async #read(from: number, end: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(end - from);
    let read = 0;
    while (read < bytes.length) {
      const { bytesRead } = await (this.#file as FileHandle).read(bytes, read, bytes.length - read, from + read);
      if (bytesRead === 0) throw new Error('the spooled rows are not complete');
      read += bytesRead;
    }
    return bytes;
  }
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
/** PostgreSQL cannot store NUL. */
const SPECIAL = /[\\\t\n\r\0]/;
const ALL_SPECIAL = /[\\\t\n\r\0]/g;

function lineOf(fields: readonly (string | number | null)[]): string {
  let line = '';
  for (const [at, field] of fields.entries()) {
    if (at > 0) line += '\t';
    if (field === null) line += '\\N';
    else if (typeof field === 'number' || !SPECIAL.test(field)) line += field;
    else line += field.replace(ALL_SPECIAL, (one) => ESCAPED[one] ?? '');
  }
  return `${line}\n`;
}

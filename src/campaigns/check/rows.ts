import { createHash } from 'node:crypto';
import { csvRecords, type Delimiter, detectDelimiter, MAX_ROW_BYTES } from './csv.ts';
import { linesOf, readLine } from './ndjson.ts';
import { fileProblem, UnusableFile } from './reasons.ts';
import { type Encoding, Utf8Reader } from './utf8.ts';

const MAX_COLUMNS = 100;
const PIECE_BYTES = 65_536;

export type FileFormat = 'csv' | 'ndjson';

export interface RawRow {
  /** As a spreadsheet numbers it: the header of a CSV file is row 1. JSON lines have no header and begin with 1. */
  readonly row: number;
  readonly cells: readonly string[];
  /** What makes the row unreadable, when it is. */
  readonly wrong?: string;
}

/** What is known about the file; complete once all rows were read. */
export interface FileFacts {
  readonly format: FileFormat;
  readonly encoding: Encoding;
  readonly delimiter?: Delimiter;
  readonly bytes: number;
  /** SHA-256 of the bytes as they came, in hex. */
  readonly contentHash: string;
  /** As written in the file, in the order of the cells. JSON lines: in the order in which they were first seen. */
  readonly columns: readonly string[];
}

/** Reads a file of recipients row by row, keeping no more than a row of it. */
export class RowReader {
  readonly columns: string[] = [];
  format: FileFormat | undefined;
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #utf8 = new Utf8Reader();
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #delimiter: Delimiter | undefined;

  constructor(source: AsyncIterable<Uint8Array>, format?: FileFormat) {
    this.#source = source;
    this.format = format;
  }

  /** Call it once, after the last row. */
  facts(): FileFacts {
    return {
      format: this.format ?? 'csv',
      encoding: this.#utf8.encoding,
      ...(this.#delimiter && { delimiter: this.#delimiter }),
      bytes: this.#bytes,
      contentHash: this.#hash.copy().digest('hex'),
      columns: this.columns,
    };
  }

  /** The rows in batches; blank rows are included, with their number. `columns` is filled before the first batch. */
  async *batches(): AsyncGenerator<RawRow[], void, undefined> {
    const chunks = this.#text();
    const head = await readHead(chunks);
    this.format ??= /^\s*\{/.test(head.text) ? 'ndjson' : 'csv';
    if (this.format === 'ndjson') yield* this.#jsonRows(resumed(head, chunks));
    else yield* this.#csvRows(resumed(head, chunks), detectDelimiter(firstRecord(head.text)));
  }

  async *#text(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of this.#source) {
      this.#hash.update(chunk);
      this.#bytes += chunk.byteLength;
      // A source may hand over the whole file at once; its rows are still made a few at a time.
      for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
        const text = this.#utf8.read(chunk.subarray(at, at + PIECE_BYTES));
        if (text.length > 0) yield text;
      }
    }
    const text = this.#utf8.read(new Uint8Array(0), true);
    if (text.length > 0) yield text;
  }

  async *#csvRows(chunks: AsyncIterable<Buffer>, delimiter: Delimiter): AsyncGenerator<RawRow[], void, undefined> {
    this.#delimiter = delimiter;
    let row = 0;
    for await (const records of csvRecords(chunks, delimiter)) {
      const rows: RawRow[] = [];
      for (const cells of records) {
        row += 1;
        if (this.columns.length > 0) rows.push({ row, cells });
        else if (cells.some((cell) => cell !== '')) this.#addColumns(cells);
      }
      yield rows;
    }
  }

  async *#jsonRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawRow[], void, undefined> {
    const places = new Map<string, number>();
    let row = 0;
    for await (const lines of linesOf(chunks)) {
      const rows: RawRow[] = [];
      for (const line of lines) rows.push(this.#jsonRow((row += 1), line, places));
      yield rows;
    }
  }

  #jsonRow(row: number, line: string, places: Map<string, number>): RawRow {
    if (line.trim() === '') return { row, cells: [] };
    const read = readLine(line);
    if ('wrong' in read) return { row, cells: [], wrong: read.wrong };
    const cells: string[] = Array.from({ length: this.columns.length }, () => '');
    for (const [name, value] of read.values) {
      const at = places.get(name) ?? this.columns.length;
      if (at === this.columns.length) this.#addColumns([name], row);
      places.set(name, at);
      cells[at] = value;
    }
    return { row, cells };
  }

  #addColumns(names: readonly string[], row = 1): void {
    this.columns.push(...names);
    if (this.columns.length > MAX_COLUMNS) throw new UnusableFile([fileProblem('too_many_columns', { row })]);
  }
}

interface Head {
  readonly bytes: Buffer;
  readonly text: string;
}

/** Enough of the beginning to see the whole first record, however the bytes were cut. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Head> {
  let bytes = Buffer.alloc(0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    bytes = Buffer.concat([bytes, next.value]);
    // A record ends with a line break, so only a piece that brings one is worth a look.
    if (!next.value.includes(0x0a) && !next.value.includes(0x0d) && bytes.length < MAX_ROW_BYTES) continue;
    const text = bytes.toString('utf8');
    if (bytes.length >= MAX_ROW_BYTES || firstRecord(text).length < text.length) return { bytes, text };
  }
  return { bytes, text: bytes.toString('utf8') };
}

/** The first line that is not blank, with the line breaks that stand inside its quotes. */
function firstRecord(text: string): string {
  return /^\s*(?:"(?:[^"]|"")*(?:"|$)|[^"\r\n])*/.exec(text)?.[0] ?? '';
}

async function* resumed(head: Head, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  if (head.bytes.length > 0) yield head.bytes;
  yield* chunks;
}

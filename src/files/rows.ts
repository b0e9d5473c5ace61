import { createHash } from 'node:crypto';
import { setImmediate as letOthersWork } from 'node:timers/promises';
import { Archive } from './archive.ts';
import { MAX_COLUMNS, type Sheet } from './sheet.ts';
import {
  csvRecords,
  type Delimiter,
  firstRecords,
  formOf,
  HEAD_RECORDS,
  MAX_ROW_BYTES,
  linesOf,
  readLine,
} from './csv.ts';
import { openOds } from './ods.ts';
import { type FileProblemCode, unusable } from './problems.ts';
import { type Encoding } from './encodings.ts';
import { TextReader } from './text.ts';
import { openXlsx } from './xlsx.ts';
import { HeldBytes, type Holding } from '../lib/held-bytes.ts';
import { Turns } from '../lib/turns.ts';
import type { Detail } from '../messages/details.ts';

const PIECE_BYTES = 65_536;
/** A million rows of four columns. It is held as a whole: the directory of a zip archive is at its end. */
const WORKBOOK_BYTES_MAX = 50_000_000;
const UNPACKED_MAX = 536_870_912;
/** The sum over all workbooks in this process that are not fully read. */
const WORKBOOKS_BYTES_MAX = 4 * WORKBOOK_BYTES_MAX;

export type FileFormat = 'csv' | 'ndjson' | 'xlsx' | 'ods';

export interface ReadOptions {
  /** CSV or JSON lines, if `{` at the beginning is ambiguous; a workbook identifies itself. */
  readonly format?: FileFormat | undefined;
  /** The encoding of a text; without it, it is detected. */
  readonly encoding?: Encoding | undefined;
  /** For a workbook; default: the first visible sheet. */
  readonly sheet?: string | undefined;
  /** Whether a row is the header; without it, or without a match, the first row is. */
  readonly isHeader?: ((cells: readonly string[]) => boolean) | undefined;
  /** Removes spaces around cells. On by default. */
  readonly trim?: boolean | undefined;
  /** Maximum decompressed bytes of a workbook. */
  readonly unpackedMax?: number | undefined;
  /** Counts the compressed bytes of a workbook. Default: one count for all workbooks of the process. */
  readonly held?: Holding | undefined;
}

export interface RawRow {
  /** Spreadsheet numbering: the header of a CSV file is row 1. JSON lines have no header and begin with 1. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Why the row is unreadable, if it is. */
  readonly wrong?: Detail;
  /** Not visible in the spreadsheet. */
  readonly hidden?: boolean;
}

/** Facts about the file; complete after all rows were read. */
export interface FileFacts {
  readonly format: FileFormat;
  /** Absent for a workbook. */
  readonly encoding?: Encoding;
  readonly delimiter?: Delimiter;
  readonly bytes: number;
  /** SHA-256 of the bytes as received, in hex. */
  readonly contentHash: string;
  /** As written in the file, in the order of the cells. JSON lines: in order of first appearance. */
  readonly columns: readonly string[];
  /** Rows above the header that are no data, such as a title. */
  readonly titleRows: number;
  /** The sheet that was read, and those that were not. */
  readonly sheet?: string;
  readonly otherSheets?: readonly string[];
  /** Cells that span several rows; only the first row has the value. */
  readonly merged?: number;
}

/** Maximum rows searched for a header, including blank ones: a file may have only these. */
const HEAD_ROWS_MAX = 1_000;

/** A workbook of half a million rows takes up to 200 MB while it is read: more at a time would crash the process. */
const WORKBOOKS_AT_ONCE = 2;
const workbooks = new Turns(WORKBOOKS_AT_ONCE);

const heldByAll = new HeldBytes({ ofCaller: WORKBOOKS_BYTES_MAX, ofProcess: WORKBOOKS_BYTES_MAX });

/** Reads a file row by row and holds only a part of it; for a workbook, its compressed bytes and its texts. */
export class RowReader {
  readonly columns: string[] = [];
  format: FileFormat | undefined;
  /** The row of the header. */
  headerRow = 1;
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #options: ReadOptions;
  readonly #text: TextReader;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #titleRows = 0;
  #delimiter: Delimiter | undefined;
  #sheet: Sheet | undefined;

  constructor(source: AsyncIterable<Uint8Array>, options: ReadOptions = {}) {
    this.#source = source;
    this.#options = options;
    this.#text = new TextReader(options.encoding);
    this.format = options.format;
  }

  /** All other sheets of a workbook, including hidden ones; known with the first row. */
  get allOthers(): readonly string[] {
    return this.#sheet ? [...this.#sheet.others, ...this.#sheet.hidden] : [];
  }

  /** Call it after the last row. */
  facts(): FileFacts {
    const { name: sheet, others, merged } = this.#sheet ?? {};
    return {
      format: this.format ?? 'csv',
      ...(sheet === undefined && { encoding: this.#text.encoding }),
      ...(this.#delimiter !== undefined && { delimiter: this.#delimiter }),
      bytes: this.#bytes,
      contentHash: this.#hash.copy().digest('hex'),
      columns: this.columns,
      titleRows: this.#titleRows,
      ...(sheet !== undefined && { sheet, otherSheets: others ?? [], merged: merged ?? 0 }),
    };
  }

  /** The rows in batches, including blank rows, with their numbers. `columns` is filled before the first batch. */
  async *batches(): AsyncGenerator<RawRow[], void, undefined> {
    const chunks = this.#chunks();
    const begin = await readBeginning(chunks);
    const kind = kindOf(begin);
    if (kind !== undefined && kind !== 'workbook') throw unusable(kind);
    const all = resumed(begin, chunks);
    if (kind === 'workbook') yield* this.#belowHeader(this.#sheetRows(all));
    else yield* this.#textRows(this.#texts(all));
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.#source) {
      this.#hash.update(chunk);
      this.#bytes += chunk.byteLength;
      yield chunk;
    }
  }

  async *#texts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
    let ends = 0;
    for await (const text of this.#decoded(chunks)) {
      const whole = text.length - endsOf(text);
      if (whole === 0) {
        ends += text.length;
        continue;
      }
      if (ends > 0) yield Buffer.alloc(ends, END_OF_FILE);
      ends = text.length - whole;
      yield text.subarray(0, whole);
    }
  }

  async *#decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      // A source may deliver the whole file at once; its rows are still created a few at a time.
      for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
        const text = this.#text.read(chunk.subarray(at, at + PIECE_BYTES));
        if (text.length > 0) yield text;
      }
    }
    const text = this.#text.read(new Uint8Array(0), true);
    if (text.length > 0) yield text;
  }

  async *#textRows(chunks: AsyncGenerator<Buffer>): AsyncGenerator<RawRow[], void, undefined> {
    const head = await readHead(chunks);
    const text = head.toString('utf8');
    const kind = kindOfText(text);
    if (kind !== undefined) throw unusable(kind);
    if (this.format !== 'csv' && this.format !== 'ndjson') this.format = /^\s*\{/.test(text) ? 'ndjson' : 'csv';
    if (this.format === 'ndjson') {
      yield* this.#jsonRows(resumed(head, chunks));
      return;
    }
    const { delimiter, prefix } = formOf(text, this.#options.isHeader ?? (() => false));
    this.#delimiter = delimiter;
    const all = resumed(head.subarray(Buffer.byteLength(text.slice(0, prefix))), chunks);
    yield* this.#belowHeader(numbered(csvRecords(all, { delimiter, trim: this.#options.trim ?? true })));
  }

  async *#sheetRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawRow[], void, undefined> {
    const { held = heldByAll.open('') } = this.#options;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    let over = (): void => undefined;
    try {
      for await (const chunk of chunks) {
        if (this.#bytes > WORKBOOK_BYTES_MAX) throw unusable('workbook_too_large');
        held.take(chunk.byteLength);
        bytes += chunk.byteLength;
        // A copy: the source may reuse its buffer.
        parts.push(Uint8Array.from(chunk));
      }
      over = await workbooks.take();
      yield* this.#unpacked(Buffer.concat(parts.splice(0)));
    } finally {
      over();
      held.giveBack(bytes);
    }
  }

  async *#unpacked(bytes: Buffer): AsyncGenerator<RawRow[], void, undefined> {
    const archive = await Archive.open(bytes, this.#options.unpackedMax ?? UNPACKED_MAX);
    const names = archive.names;
    this.format = names.includes('content.xml') ? 'ods' : 'xlsx';
    const alien = alienArchive(names);
    if (alien !== undefined) throw unusable(alien);
    const { sheet } = this.#options;
    this.#sheet = await (this.format === 'ods' ? openOds(archive, sheet) : openXlsx(archive, sheet));
    const trim = this.#options.trim ?? true;
    for await (const rows of this.#sheet.rows()) {
      yield trim ? rows.map((row) => ({ ...row, cells: row.cells.map((cell) => cell.trim()) })) : rows;
      // A few bytes may contain a million rows without any wait between them.
      await letOthersWork();
    }
  }

  /** Holds the first rows until the header is found among them; rows above it are no data. */
  async *#belowHeader(batches: AsyncIterable<RawRow[]>): AsyncGenerator<RawRow[], void, undefined> {
    let first: RawRow[] | undefined = [];
    for await (const rows of batches) {
      if (!first) {
        yield rows;
        continue;
      }
      // Leading blank rows are no data, whichever row is the header.
      const from: number = first.length > 0 ? 0 : rows.findIndex(({ cells }) => !isBlank(cells));
      if (from !== -1) first = [...first, ...rows.slice(from)];
      const below = this.#fromHeader(first, first.length > HEAD_ROWS_MAX);
      if (!below) continue;
      first = undefined;
      yield below;
    }
    const below = first && this.#fromHeader(first, true);
    if (below) yield below;
  }

  #fromHeader(rows: readonly RawRow[], last: boolean): RawRow[] | undefined {
    const { isHeader } = this.#options;
    const filled = rows.flatMap(({ cells }, at) => (isBlank(cells) ? [] : [at])).slice(0, HEAD_RECORDS);
    const found = isHeader ? filled.find((at) => isHeader(rows[at]?.cells ?? [])) : filled[0];
    if (found === undefined && !last && filled.length < HEAD_RECORDS) return undefined;
    const at = found ?? filled[0];
    if (at === undefined) return undefined;
    this.#titleRows = filled.indexOf(at);
    this.headerRow = rows[at]?.row ?? 1;
    this.#addColumns(rows[at]?.cells ?? [], rows[at]?.row);
    return rows.slice(at + 1);
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
    if (this.columns.length > MAX_COLUMNS) throw unusable('too_many_columns', { row });
  }
}

/** Ctrl-Z, which MS-DOS writes after a text. */
const END_OF_FILE = 0x1a;

/** The number of them at the end: they are held until more text follows. */
function endsOf(text: Buffer): number {
  let ends = 0;
  while (text.at(-1 - ends) === END_OF_FILE) ends += 1;
  return ends;
}

function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

async function* numbered(batches: AsyncIterable<string[][]>): AsyncGenerator<RawRow[], void, undefined> {
  let row = 0;
  for await (const records of batches) {
    const rows: RawRow[] = [];
    for (const cells of records) rows.push({ row: (row += 1), cells });
    yield rows;
  }
}

/** Eight bytes, for any chunking: they identify every kind of file. */
async function readBeginning(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    bytes = Buffer.concat([bytes, next.value]);
    if (bytes.length >= 8) break;
  }
  if (bytes.length === 0) throw unusable('empty_file');
  return bytes;
}

/** Undefined: probably a text. */
function kindOf(beginning: Buffer): FileProblemCode | 'workbook' | undefined {
  const mark = beginning.subarray(0, 8).toString('latin1');
  if (mark.startsWith('PK\x03\x04')) return 'workbook';
  if (mark.startsWith('\xd0\xcf\x11\xe0')) return 'old_workbook';
  if (['\x1f\x8b', 'PK\x05\x06', 'Rar!', '7z\xbc\xaf', 'BZh'].some((packed) => mark.startsWith(packed)))
    return 'archive';
  return mark.startsWith('%PDF') ? 'pdf_file' : undefined;
}

function kindOfText(text: string): FileProblemCode | undefined {
  if (/^\s*<(?:!doctype|html|table|\?xml|meta|head|body|style)/i.test(text)) return 'web_page';
  if (/^\s*BEGIN:VCARD/i.test(text)) return 'vcard_file';
  return /^\s*\[\s*(?:\{|\[|$)/.test(text) ? 'json_array' : undefined;
}

/** An archive of another kind than a readable workbook. */
function alienArchive(names: readonly string[]): FileProblemCode | undefined {
  if (names.some((name) => name.startsWith('index/') || name === 'index.zip')) return 'numbers_file';
  if (names.includes('encrypted-package')) return 'locked_workbook';
  if (names.includes('xl/workbook.bin')) return 'binary_workbook';
  const isWorkbook = names.includes('content.xml') || names.some((name) => /(?:^|\/)workbook\d*\.xml$/.test(name));
  return isWorkbook ? undefined : 'archive';
}

/** Enough of the beginning to contain the first records, for any chunking. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  // Checked each time the size has doubled, not for every byte of a slow sender.
  let lookAt = 1;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    // A copy: the source may reuse its buffer.
    parts.push(Buffer.from(next.value));
    length += next.value.length;
    if (length >= MAX_ROW_BYTES) break;
    if (length < lookAt) continue;
    lookAt = length * 2;
    const text = Buffer.concat(parts).toString('utf8');
    if (firstRecords(text, HEAD_RECORDS + 1).length > HEAD_RECORDS) break;
  }
  return Buffer.concat(parts);
}

async function* resumed<Bytes extends Uint8Array>(
  head: Bytes,
  rest: AsyncIterable<Bytes>,
): AsyncGenerator<Bytes, void, undefined> {
  if (head.length > 0) yield head;
  yield* rest;
}

/** Parses a file of disbursements from bytes to rows. Only readability is checked here. */
import { isUtf8 } from 'node:buffer';
import { UnusableFile } from '../../files/problems.ts';
import { type FileFormat, type ReadOptions, RowReader } from '../../files/rows.ts';
import { type Encoding, isCodePage } from '../../files/encodings.ts';
import { headerProblems } from './columns.ts';
import { type OfficeReading, headerFinder } from './layout.ts';
import {
  hashOf,
  jsonArrayRows,
  jsonLineRows,
  type BatchFile,
  ROWS_MAX,
  type Rows,
  tooManyRows,
  unreadable,
} from './rows.ts';
import { TableRows } from './table-rows.ts';
import { message } from '../../messages/message.ts';

export const BYTES_MAX = 5_000_000;

export type BatchFormat = FileFormat | 'json';

export interface BatchReading extends Omit<TableReading, 'format'> {
  readonly format: BatchFormat;
}

export async function readBatchFile(bytes: Buffer, { format, ...reading }: BatchReading): Promise<BatchFile> {
  const contentHash = hashOf(bytes);
  const read =
    format === 'json' || format === 'ndjson'
      ? jsonRows(bytes, format)
      : await tableRows(bytes, { format, ...reading });
  const empty = read.rows.length === 0 && read.problems.length === 0;
  return { contentHash, ...(empty ? unreadable(message('no_rows_given')) : read) };
}

function jsonRows(bytes: Buffer, format: 'json' | 'ndjson'): Rows {
  if (!isUtf8(bytes) || bytes.includes(0)) return unreadable(message('not_utf8_text'));
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return format === 'json' ? jsonArrayRows(text) : jsonLineRows(text);
}

/** Including blank rows: many of them must not hide a row after them. */
const RECORDS_MAX = ROWS_MAX + 1_000;
/** More than any honest workbook of 5 MB decompresses to. */
const UNPACKED_MAX = 100_000_000;

interface TableReading extends Pick<ReadOptions, 'held' | 'sheet'> {
  readonly format: FileFormat;
  /** The encoding of a text, if it is not Unicode. */
  readonly encoding?: Encoding | undefined;
  readonly office?: OfficeReading;
}

async function tableRows(bytes: Buffer, reading: TableReading): Promise<Rows> {
  const isHeader = headerFinder(reading.office ?? {});
  const reader = new RowReader(once(bytes), { ...reading, isHeader, trim: false, unpackedMax: UNPACKED_MAX });
  try {
    return await readAll(reader, reading);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    const [problem] = error.problems;
    if (problem === undefined) throw error;
    const { code, detail, row } = problem;
    const why = detail ? message('with_detail', { said: { code }, detail }) : { code };
    return unreadable(message('table_unreadable', { why }), row ?? null);
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function readAll(
  reader: RowReader,
  { encoding: named, sheet: asked, office = {} }: TableReading,
): Promise<Rows> {
  let table: TableRows | undefined;
  let records = 0;
  for await (const batch of reader.batches()) {
    table ??= new TableRows(reader, office);
    records += batch.length;
    for (const row of batch) table.add(row);
    if (table.rows.length > ROWS_MAX || records > RECORDS_MAX) return tooManyRows();
  }
  const facts = reader.facts();
  const { encoding } = facts;
  // A guessed encoding may change a name, and this is money: the guess is reported, or the file is refused.
  if (named === undefined && encoding !== undefined && isCodePage(encoding)) {
    return unreadable(message('looks_like_encoding', { encoding }));
  }
  return table?.read(facts, asked) ?? { rows: [], problems: headerProblems([], 1) };
}

/** Parses a file of disbursements from bytes to rows. Only readability is checked here. */
import { isUtf8 } from 'node:buffer';
import { UnusableFile } from '../../files/problems.ts';
import { type FileFormat, type RawRow as TableRow, type ReadOptions, RowReader } from '../../files/rows.ts';
import { OWN_MAX, ownCells } from '../../files/own-cells.ts';
import { isSpreadsheetError } from '../../files/sheet.ts';
import { type Encoding, isCodePage } from '../../files/encodings.ts';
import type { Finding } from '../../kinds/batch.ts';
import {
  METADATA,
  type Column,
  type Heading,
  headerProblems,
  isColumn,
  isDescription,
  isHeader,
  ownHeadings,
} from './columns.ts';
import {
  hashOf,
  jsonArrayRows,
  jsonLineRows,
  type BatchFile,
  type RawRow,
  ROWS_MAX,
  type Rows,
  tooManyRows,
  unreadable,
} from './rows.ts';
import { type Message, message } from '../../messages/message.ts';

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

interface TableReading extends Pick<ReadOptions, 'held'> {
  readonly format: FileFormat;
  /** The encoding of a text, if it is not Unicode. */
  readonly encoding?: Encoding | undefined;
}

async function tableRows(bytes: Buffer, reading: TableReading): Promise<Rows> {
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

async function readAll(reader: RowReader, { encoding: named }: TableReading): Promise<Rows> {
  const rows: RawRow[] = [];
  const cells = new Map<number, readonly string[]>();
  let header: string[] = [];
  let own: readonly Heading[] = [];
  const warnings: Finding[] = [];
  let [records, problems]: [number, Finding[]] = [0, []];
  for await (const batch of reader.batches()) {
    if (header.length === 0) {
      header = reader.columns.map((name) => name.trim());
      problems = headerProblems(header, reader.headerRow);
      own = ownHeadings(header);
    }
    records += batch.length;
    const filled = problems.length > 0 ? [] : batch.filter((row) => row.cells.some((cell) => cell.trim() !== ''));
    for (const row of filled) {
      const { kept, cut } = ownCells(own.map(({ at }) => row.cells[at] ?? ''));
      const read = tableRow(row, header, { isSheet: reader.format !== 'csv' });
      rows.push(own.length === 0 ? read : { ...read, own: kept });
      if (cut) warnings.push({ row: row.row, column: null, reason: message('own_columns_cut', { most: OWN_MAX }) });
      cells.set(row.row, row.cells);
    }
    if (rows.length > ROWS_MAX || records > RECORDS_MAX) return tooManyRows();
  }
  const { encoding, sheet, otherSheets = [], merged = 0 } = reader.facts();
  // A guessed encoding may change a name, and this is money: the guess is reported, or the file is refused.
  if (named === undefined && encoding !== undefined && isCodePage(encoding)) {
    return unreadable(message('looks_like_encoding', { encoding }));
  }
  if (header.length === 0) return { rows, problems: headerProblems([], 1) };
  const warn = (reason: Message): Finding => ({ row: null, column: null, reason });
  const names = own.map(({ heading }) => heading);
  const unread = names.filter((name) => !isDescription(name));
  const found = [
    ...(unread.length > 0 && problems.length === 0
      ? [warn(message('columns_not_read', { columns: unread.join(', ') }))]
      : []),
    ...(otherSheets.length > 0
      ? [warn(message('one_sheet_read', { sheet: sheet ?? '', others: otherSheets.join(', ') }))]
      : []),
    ...(merged > 0 ? [warn(message('merged_cells'))] : []),
  ];
  return { rows, problems, warnings: [...found, ...warnings], columns: header, cells, own: names };
}

function tableRow(
  { row, cells: read, hidden }: TableRow,
  header: readonly string[],
  { isSheet }: { readonly isSheet: boolean },
): RawRow {
  const whole = (reason: Message): RawRow => ({ row, request: {}, problems: [{ row, column: null, reason }] });
  if (hidden) return whole(message('hidden_payment'));
  // A sheet ends each row with its last non-empty cell.
  const missing = isSheet ? Math.max(0, header.length - read.length) : 0;
  const cells = [...read, ...Array.from({ length: missing }, () => '')];
  if (cells.length !== header.length) {
    return whole(message('cells_of_header', { cells: cells.length, header: header.length }));
  }
  const request: Record<string, unknown> = {};
  const problems: Finding[] = [];
  for (const [at, column] of header.entries()) {
    const cell = cells[at] ?? '';
    if (isDescription(column)) describe(request, column, cell);
    if (!isColumn(column) || cell === '') continue;
    const value = readCell(column, cell);
    if ('reason' in value) problems.push({ row, column, reason: value.reason });
    else request[column] = value.value;
  }
  return { row, request, problems };
}

/** An empty cell counts as absent. */
function describe(request: Record<string, unknown>, column: string, cell: string): void {
  if (cell.trim() === '') return;
  if (!column.startsWith(METADATA)) request[column] = cell;
  else
    request['metadata'] = { ...(request['metadata'] as object | undefined), [column.slice(METADATA.length)]: cell };
}

function readCell(column: Column, cell: string): { readonly value: unknown } | { readonly reason: Message } {
  if (isSpreadsheetError(cell)) return { reason: message('cell_error', { cell }) };
  if (column === 'amount') {
    // `1e3`, `25 000`, `25000.00` and `-5` are ambiguous numbers.
    if (/^[1-9]\d{0,12}$/.test(cell)) return { value: Number(cell) };
    return { reason: message('whole_francs') };
  }
  // A program that treated the number as a measurement had all its digits.
  if (column === 'accountAlias') return { value: cell.replace(/^(\d{7,})[.,]0{1,2}$/, '$1') };
  if (column !== 'allowDuplicate') return { value: cell };
  if (cell === 'true' || cell === 'false') return { value: cell === 'true' };
  return { reason: message('boolean_or_empty') };
}

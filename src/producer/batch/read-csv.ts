import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { Finding } from '../../kinds/batch.ts';
import { type Column, headerProblems, isColumn } from './columns.ts';
import { type RawRow, type Rows, ROWS_MAX, tooManyRows, unreadable } from './rows.ts';

const DELIMITERS = [';', ',', '\t'] as const;
/** No honest row comes near; a quote that is never closed does. */
const RECORD_MAX = 10_000;
/** Blank ones and the header too. */
const RECORDS_MAX = ROWS_MAX + 1_000;

export function csvRows(text: string): Rows {
  const records = recordsOf(text);
  if (!Array.isArray(records)) return records;
  if (records.length >= RECORDS_MAX) return tooManyRows();
  const headerAt = records.findIndex((cells) => !isBlank(cells));
  const header = (records[headerAt] ?? []).map((name) => name.trim());
  const problems = headerProblems(header);
  if (headerAt === -1 || problems.length > 0) return { rows: [], problems };
  const rows = records.flatMap((cells, at): RawRow[] =>
    at <= headerAt || isBlank(cells) ? [] : [rowOf(at + 1, cells, header)],
  );
  return rows.length > ROWS_MAX ? tooManyRows() : { rows, problems };
}

function recordsOf(text: string): string[][] | Rows {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: RECORD_MAX,
      to: RECORDS_MAX,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const row = typeof error['records'] === 'number' ? error['records'] + 1 : null;
    return unreadable(`cannot be read as CSV here (${error.code}); look at its quotes`, row);
  }
}

/** The separator that stands most often in the header. */
function delimiterOf(text: string): string {
  const [header = ''] = /^[^\r\n]*/.exec(text.trimStart()) ?? [];
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** What a spreadsheet writes for a row that is empty. */
function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

function rowOf(row: number, cells: readonly string[], header: readonly string[]): RawRow {
  if (cells.length !== header.length) {
    const reason = `has ${cells.length} cells, where the header has ${header.length}`;
    return { row, request: {}, problems: [{ row, column: null, reason }] };
  }
  const request: Record<string, unknown> = {};
  const problems: Finding[] = [];
  for (const [at, column] of header.entries()) {
    const cell = cells[at] ?? '';
    if (!isColumn(column) || cell === '') continue;
    const read = readCell(column, cell);
    if ('reason' in read) problems.push({ row, column, reason: read.reason });
    else request[column] = read.value;
  }
  return { row, request, problems };
}

function readCell(column: Column, cell: string): { readonly value: unknown } | { readonly reason: string } {
  if (column === 'amount') {
    // `1e3`, `25 000`, `25000.00` and `-5` are numbers to somebody, and not the same to everybody.
    if (/^[1-9]\d{0,12}$/.test(cell)) return { value: Number(cell) };
    return { reason: 'must be whole francs in plain digits, such as 25000' };
  }
  if (column !== 'allowDuplicate') return { value: cell };
  if (cell === 'true' || cell === 'false') return { value: cell === 'true' };
  return { reason: 'must be true, false or empty' };
}

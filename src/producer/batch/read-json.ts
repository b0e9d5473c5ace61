import type { Finding } from '../../kinds/batch.ts';
import { readJson } from '../../lib/json.ts';
import { isColumn, notAColumn, shown } from './columns.ts';
import { type RawRow, type Rows, ROWS_MAX, tooManyRows, unreadable } from './rows.ts';

export function jsonArrayRows(text: string): Rows {
  const read = readJson(text);
  if ('wrong' in read) return unreadable(read.wrong, read.row === undefined ? null : read.row + 1);
  if (!Array.isArray(read.value)) return unreadable('must be a JSON array of disbursements');
  if (read.value.length > ROWS_MAX) return tooManyRows();
  return { rows: read.value.map((value: unknown, at) => rowOf(at + 1, value)), problems: [] };
}

export function jsonLineRows(text: string): Rows {
  const lines = text.split('\n');
  if (lines.filter((line) => line.trim() !== '').length > ROWS_MAX) return tooManyRows();
  const rows = lines.flatMap((line, at): RawRow[] => {
    if (line.trim() === '') return [];
    const read = readJson(line);
    return ['wrong' in read ? broken(at + 1, read.wrong) : rowOf(at + 1, read.value)];
  });
  return { rows, problems: [] };
}

function rowOf(row: number, value: unknown): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return broken(row, 'must be an object');
  const entries = Object.entries(value);
  const problems = entries
    .filter(([name]) => !isColumn(name))
    .map(([name]): Finding => ({ row, column: shown(name), reason: notAColumn(name) }));
  return { row, request: Object.fromEntries(entries.filter(([name]) => isColumn(name))), problems };
}

function broken(row: number, reason: string): RawRow {
  return { row, request: {}, problems: [{ row, column: null, reason }] };
}

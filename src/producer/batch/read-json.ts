import type { Finding } from '../../operations/batch-record.ts';
import { isColumn, notAColumn, shown } from './columns.ts';
import { type RawRow, type Rows, ROWS_MAX, tooManyRows, unreadable } from './rows.ts';

export function jsonArrayRows(text: string): Rows {
  const parsed = parse(text);
  if ('reason' in parsed) return unreadable(`cannot be read as JSON (${parsed.reason})`);
  if (!Array.isArray(parsed.value)) return unreadable('must be a JSON array of disbursements');
  if (parsed.value.length > ROWS_MAX) return tooManyRows();
  return { rows: parsed.value.map((value: unknown, at) => rowOf(at + 1, value)), problems: [] };
}

export function jsonLineRows(text: string): Rows {
  const lines = text.split('\n');
  if (lines.filter((line) => line.trim() !== '').length > ROWS_MAX) return tooManyRows();
  const rows = lines.flatMap((line, at): RawRow[] => {
    if (line.trim() === '') return [];
    const parsed = parse(line);
    if ('value' in parsed) return [rowOf(at + 1, parsed.value)];
    return [broken(at + 1, `is not JSON (${parsed.reason})`)];
  });
  return { rows, problems: [] };
}

function parse(text: string): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: error.message.slice(0, 100) };
  }
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

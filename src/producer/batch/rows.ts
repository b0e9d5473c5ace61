/** The rows of a batch as written, from a table or from JSON. Not validated here. */
import { createHash } from 'node:crypto';
import type { Finding } from '../../kinds/batch.ts';
import { paymentDescription } from '../../kinds/request-pieces.ts';
import { readJson } from '../../lib/json.ts';
import { ownCells } from '../../files/own-cells.ts';
import { METADATA, isColumn, notAField, shown } from './columns.ts';
import { type Message, message } from '../../messages/message.ts';

export const ROWS_MAX = 10_000;

export interface BatchFile extends Rows {
  /** SHA-256 of the bytes as received, in hex. */
  readonly contentHash: string;
}

/** Rows received as values: their JSON as a request body is what is approved. */
export function batchOf(rows: unknown): BatchFile {
  const text = JSON.stringify(rows) ?? '';
  const read = jsonArrayRows(text);
  const isEmpty = read.rows.length === 0 && read.problems.length === 0;
  return { contentHash: hashOf(text), ...(isEmpty ? unreadable(message('no_rows_given')) : read) };
}

export const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

export function jsonArrayRows(text: string): Rows {
  const read = readJson(text);
  if ('wrong' in read) return unreadable(read.wrong, read.row === undefined ? null : read.row + 1);
  if (!Array.isArray(read.value)) return unreadable(message('array_of_disbursements'));
  if (read.value.length > ROWS_MAX) return tooManyRows();
  return withDescriptions(read.value.map((value: unknown, at) => jsonRow(at + 1, value)));
}

export function jsonLineRows(text: string): Rows {
  const lines = text.split('\n');
  if (lines.filter((line) => line.trim() !== '').length > ROWS_MAX) return tooManyRows();
  const rows = lines.flatMap((line, at): RawRow[] => {
    if (line.trim() === '') return [];
    const read = readJson(line);
    return ['wrong' in read ? broken(at + 1, read.wrong) : jsonRow(at + 1, read.value)];
  });
  return withDescriptions(rows);
}

function jsonRow(row: number, value: unknown): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return broken(row, message('must_be_object'));
  const entries = Object.entries(value);
  const isRead = (name: string): boolean => isColumn(name) || Object.hasOwn(paymentDescription, name);
  const problems = entries
    .filter(([name]) => !isRead(name))
    .map(([name]): Finding => ({ row, column: shown(name), reason: notAField(name) }));
  return { row, request: Object.fromEntries(entries.filter(([name]) => isRead(name))), problems };
}

const HEADINGS_MOST = 100;

/** Payee, purpose and metadata become columns of the report, as for a table. */
function withDescriptions(rows: readonly RawRow[]): Rows {
  const described = rows.map(({ request }) => descriptionOf(request));
  const own = [...new Set(described.flatMap((one) => [...one.keys()]))].slice(0, HEADINGS_MOST);
  if (own.length === 0) return { rows, problems: [] };
  const cells = described.map((one) => ownCells(own.map((heading) => one.get(heading) ?? '')).kept);
  return { rows: rows.map((row, at) => ({ ...row, own: cells[at] ?? [] })), problems: [], own };
}

function descriptionOf({ payeeName, purpose, metadata }: RawRow['request']): ReadonlyMap<string, string> {
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  const all = [
    ['payeeName', payeeName],
    ['purpose', purpose],
  ].concat(entries.map(([key, value]) => [`${METADATA}${key}`, value]));
  return new Map(all.flatMap(([name, value]) => (typeof value === 'string' ? [[String(name), value]] : [])));
}

function broken(row: number, reason: Message): RawRow {
  return { row, request: {}, problems: [{ row, column: null, reason }] };
}

export interface RawRow {
  /** Spreadsheet numbering: the header of a CSV file is row 1. JSON has no header and begins with 1. */
  readonly row: number;
  /** The request as written, by column; unreadable cells are omitted and are among the problems. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly problems: readonly Finding[];
  /** Its additional cells in column order; absent if the file has none. */
  readonly own?: readonly string[];
}

export interface Rows {
  readonly rows: readonly RawRow[];
  /** Problems of the whole file: with one of these no row can be trusted. */
  readonly problems: readonly Finding[];
  /** Warnings that are no errors, such as sheets that were not read. */
  readonly warnings?: readonly Finding[];
  /** The table as written, for a list of its errors; absent for JSON. */
  readonly columns?: readonly string[];
  readonly cells?: ReadonlyMap<number, readonly string[]>;
  /** Headings of the additional columns. */
  readonly own?: readonly string[];
  /** Reading of the table. Absent for JSON. */
  readonly table?: TableRead;
  /** Covered by the approved hash beside the bytes: options of the reading, with the columns found. */
  readonly reading?: Readonly<Record<string, unknown>>;
}

export interface TableRead {
  readonly columns: readonly string[];
  /** Heading of each field. */
  readonly fields: Readonly<Partial<Record<string, string>>>;
  readonly titleRows: number;
  readonly sheet: string | null;
  readonly otherSheets: readonly string[];
  /** Names of wallets that are not withdraw modes. `mode` is null until the request names it. */
  readonly wallets: readonly { readonly name: string; readonly rows: number; readonly mode: string | null }[];
}

/** The whole file is unusable. */
export function unreadable(reason: Message, row: number | null = null): Rows {
  return { rows: [], problems: [{ row, column: null, reason }] };
}

/** Detected before rows are built: a few megabytes can contain a million of them. */
export function tooManyRows(): Rows {
  return unreadable(message('rows_at_most', { most: ROWS_MAX }));
}

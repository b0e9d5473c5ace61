/** The rows of a batch as they were written, and those that came as JSON. Nothing is judged here. */
import { createHash } from 'node:crypto';
import type { Finding } from '../../kinds/batch.ts';
import { paymentDescription } from '../../kinds/request-pieces.ts';
import { readJson } from '../../lib/json.ts';
import { ownCells } from '../../files/own-cells.ts';
import { METADATA, isColumn, notAField, shown } from './columns.ts';
import { type Message, message } from '../../messages/message.ts';

export const ROWS_MAX = 10_000;

export interface BatchFile extends Rows {
  /** SHA-256 of the bytes as they came, in hex. */
  readonly contentHash: string;
}

/** Rows that came as values: what they are as the body of a request is what is approved. */
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

/** Payee, purpose and metadata as columns of the report, as those of a table are. */
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
  /** As a spreadsheet numbers it: the header of a CSV file is row 1. JSON has no header and begins with 1. */
  readonly row: number;
  /** The request as it was written, by column; what could not be read is left out and is among the problems. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly problems: readonly Finding[];
  /** What it has in the columns that are not read, in their order; absent where the file has none. */
  readonly own?: readonly string[];
}

export interface Rows {
  readonly rows: readonly RawRow[];
  /** Of the file as a whole: with one of these no row can be trusted. */
  readonly problems: readonly Finding[];
  /** What there is to know that is no fault, such as sheets that were not read. */
  readonly warnings?: readonly Finding[];
  /** The table as it was written, for a list of what is wrong with it; absent where the file was JSON. */
  readonly columns?: readonly string[];
  readonly cells?: ReadonlyMap<number, readonly string[]>;
  /** Headings of the columns that are not read. */
  readonly own?: readonly string[];
}

/** No row of the file is judged. */
export function unreadable(reason: Message, row: number | null = null): Rows {
  return { rows: [], problems: [{ row, column: null, reason }] };
}

/** Found before the rows are made: a few megabytes can hold a million of them. */
export function tooManyRows(): Rows {
  return unreadable(message('rows_at_most', { most: ROWS_MAX }));
}

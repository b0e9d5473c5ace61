/**
 * Rows as PostgreSQL copies them, a line each. What is written is what PostgreSQL itself would write of the row, to the
 * byte, so that what was copied is compared by comparing lines.
 */
import type { Column, ColumnType, Table } from '../kinds/tables.ts';

/** The values of a row, by what its columns are made of. */
export type Row = Readonly<Record<string, unknown>>;

const NULL = '\\N';
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** What no text of PostgreSQL may hold stands there as a mark: a character 0, half of a pair. */
function clean(value: string): string {
  const text = value.replaceAll('\0', '\u{fffd}');
  return /[\u{d800}-\u{dfff}]/u.test(text) ? Buffer.from(text).toString() : text;
}

const escaped = (value: string): string => value.replaceAll(/[\\\b\f\n\r\t\v]/g, (one) => ESCAPES[one] ?? one);

/** As PostgreSQL writes a time of UTC: no zeros at the end of a second, years as people count them. */
function timeIn(ms: number): string {
  const iso = new Date(ms).toISOString();
  const [, year = '', day = '', clock = ''] = /^([+-]?\d+)-(\d\d-\d\d)T(.*)Z$/.exec(iso) ?? [];
  const isBefore = Number(year) < 1;
  const counted = String(isBefore ? 1 - Number(year) : Number(year)).padStart(4, '0');
  return `${counted}-${day} ${clock.replace(/\.?0+$/, '')}+00${isBefore ? ' BC' : ''}`;
}

/** As PostgreSQL writes an element of a list: between quotes where it would read otherwise. Spaces are those of ASCII to it. */
function elementOf(value: unknown): string {
  const text = String(value);
  const plain = text !== '' && !/[ \t\n\v\f\r,{}"\\]/.test(text) && text.toLowerCase() !== 'null';
  return plain ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

const writers: Readonly<Record<ColumnType, (value: unknown) => string>> = {
  text: (value) => escaped(clean(String(value))),
  'text[]': (value) => escaped(clean(`{${Array.isArray(value) ? value.map(elementOf).join(',') : ''}}`)),
  bigint: (value) => String(Math.trunc(Number(value))),
  boolean: (value) => (value === true ? 't' : 'f'),
  timestamptz: (value) => timeIn(Number(value)),
  // Also within: PostgreSQL keeps what JSON writes of a character 0, and cannot read it any more.
  json: (value) =>
    escaped(JSON.stringify(value, (_name, one: unknown) => (typeof one === 'string' ? clean(one) : one))),
};

function cellOf({ of, type, sure }: Column, row: Row): string {
  const value = row[of];
  if (value === undefined || value === null || (value === '' && !sure)) return NULL;
  return writers[type](value);
}

export function lineOf({ columns }: Table, row: Row): string {
  return columns.map((column) => cellOf(column, row)).join('\t');
}

/** The cell of a line in that column, as PostgreSQL wrote it. */
export function cellAt({ columns }: Table, line: string, name: string): string {
  return line.split('\t')[columns.findIndex((column) => column.name === name)] ?? '';
}

/** What names the row of a line. */
export function nameOfLine(table: Table, line: string): string {
  const cells = line.split('\t');
  return table.key.map((name) => cells[table.columns.findIndex((column) => column.name === name)]).join('\t');
}

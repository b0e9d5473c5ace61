/**
 * Rows as PostgreSQL copies them, a line each. What is written is what PostgreSQL itself would write of the row, to the
 * byte, so that what was copied is compared by comparing lines.
 */
import { type ColumnType, ROW_TIME, type Table } from '../kinds/tables.ts';

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

/** Most texts have none of what is written otherwise. */
const UNLIKE = /[\\\b\f\n\r\t\v\0\ud800-\udfff]/;

/** What no text of PostgreSQL may hold stands there as a mark: a character 0, half of a pair. */
function clean(value: string): string {
  const text = value.replaceAll('\0', '\u{fffd}');
  return /[\u{d800}-\u{dfff}]/u.test(text) ? Buffer.from(text).toString() : text;
}

const escaped = (value: string): string => value.replaceAll(/[\\\b\f\n\r\t\v]/g, (one) => ESCAPES[one] ?? one);
const written = (value: string): string => (UNLIKE.test(value) ? escaped(clean(value)) : value);

/** As PostgreSQL writes a time of UTC: no zeros at the end of a second, years as people count them. */
export function timeIn(ms: number): string {
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

/** Also within: PostgreSQL keeps what JSON writes of a character 0, and cannot read it any more. */
function jsonIn(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_name, one: unknown) => (typeof one === 'string' ? clean(one) : one));
}

type Writer = (value: unknown) => string;

/** For the rows of one copy: most of them share their times. */
function writersOf(): Readonly<Record<ColumnType, Writer>> {
  const times = new Map<number, string>();
  return {
    text: (value) => written(String(value)),
    'text[]': (value) => written(`{${Array.isArray(value) ? value.map(elementOf).join(',') : ''}}`),
    bigint: (value) => String(Math.trunc(Number(value))),
    boolean: (value) => (value === true ? 't' : 'f'),
    timestamptz: (value) => {
      const ms = Number(value);
      const known = times.get(ms);
      if (known !== undefined) return known;
      const time = timeIn(ms);
      times.set(ms, time);
      return time;
    },
    json: (value) => escaped(jsonIn(value)),
  };
}

/** How a row of this table is written, without the end of its line. */
function lineWriter({ columns }: Table): (row: Row) => string {
  const writers = writersOf();
  const cells = columns.map(({ of, type, sure }) => ({ of, write: writers[type], sure }));
  return (row) => {
    let line = '';
    for (const { of, write, sure } of cells) {
      const value = row[of];
      const isEmpty = value === undefined || value === null || (value === '' && !sure);
      line += `${isEmpty ? NULL : write(value)}\t`;
    }
    return line.slice(0, -1);
  };
}

/** Rows of one table, written once: what goes to PostgreSQL, and what has to come back. */
export interface Copy {
  readonly table: Table;
  readonly count: number;
  /** A line each, as PostgreSQL copies them. */
  readonly bytes: Buffer;
  /** The first part of their keys, each once, in their order. */
  readonly heads: readonly string[];
  /** Where the second part is a place: the least and the greatest. */
  readonly places: Span | undefined;
  /** When they begin, ms. */
  readonly times: Span;
  /** One moment of each day of UTC that they stand in, ms. */
  readonly days: readonly number[];
}

interface Span {
  readonly least: number;
  readonly most: number;
}

const DAY_MS = 86_400_000;

export function copyOf(table: Table, rows: readonly Row[]): Copy {
  const of = (name: string | undefined) => table.columns.find((column) => column.name === name)?.of ?? '';
  const [first, second] = table.key.map(of);
  const time = of(ROW_TIME);
  const times = rows.map((row) => Number(row[time]));
  const lineOf = lineWriter(table);
  return {
    table,
    count: rows.length,
    bytes: Buffer.from(rows.map((row) => `${lineOf(row)}\n`).join('')),
    heads: [...new Set(rows.map((row) => clean(String(row[first ?? '']))))],
    places: second === 'place' ? spanOf(rows.map((row) => Number(row[second]))) : undefined,
    times: spanOf(times),
    days: [...new Set(times.map((ms) => Math.floor(ms / DAY_MS)))].map((day) => day * DAY_MS),
  };
}

function spanOf(values: readonly number[]): Span {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most };
}

/** The lines of what was copied. */
export const linesIn = (bytes: Buffer): string[] => bytes.toString().split('\n').slice(0, -1);

/** The cell of a line in that column, as PostgreSQL wrote it. */
export function cellAt({ columns }: Table, line: string, name: string): string {
  return line.split('\t')[columns.findIndex((column) => column.name === name)] ?? '';
}

/** What names the row of a line. */
export function nameOfLine(table: Table, line: string): string {
  const cells = line.split('\t');
  return table.key.map((name) => cells[table.columns.findIndex((column) => column.name === name)]).join('\t');
}

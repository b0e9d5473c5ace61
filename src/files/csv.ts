import { finished } from 'node:stream/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { readJson } from '../lib/json.ts';
import { defused } from './own-cells.ts';
import { unusable, type UnusableFile } from './problems.ts';
import { type Detail, detail } from '../messages/details.ts';

/** No valid row comes close; a quote that is never closed would otherwise include the whole file. */
export const MAX_ROW_BYTES = 65_536;

const DELIMITERS = [';', ',', '\t', '|'] as const;
export type Delimiter = string;

interface CsvForm {
  readonly delimiter: Delimiter;
  /** Characters of the text, including a first line such as `sep=;`, which is for a spreadsheet and is no row. */
  readonly prefix: number;
}

/**
 * The separator of a CSV file. A line `sep=;` declares it; otherwise the separator that makes one of the first lines
 * a header; otherwise the most frequent one in the first line, outside quotes.
 */
export function formOf(head: string, isHeader: (cells: readonly string[]) => boolean): CsvForm {
  const [said, quoted = '', named] = /^\s*("?)sep=([^\r\n"])\1[;,\t]*(?:\r\n|\n|\r|$)/i.exec(head) ?? [];
  void quoted;
  if (said !== undefined && named !== undefined) return { delimiter: named, prefix: said.length };
  const records = firstRecords(head);
  const bare = (records[0] ?? '').replace(/"(?:[^"]|"")*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  const usual = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const others = DELIMITERS.filter((delimiter) => delimiter !== usual);
  const found = [usual, ...others].find((delimiter) =>
    records.some((record) => isHeader(record.split(delimiter).map(unquoted))),
  );
  return { delimiter: found ?? usual, prefix: 0 };
}

/** Maximum number of title lines above the header. */
export const HEAD_RECORDS = 20;

/** The first lines that are not blank, including line breaks inside quotes. */
export function firstRecords(text: string, most = HEAD_RECORDS): string[] {
  const records: string[] = [];
  const line = /\s*((?:"(?:[^"]|"")*(?:"|$)|[^"\r\n])+)/y;
  for (let found = line.exec(text); found && records.length < most; found = line.exec(text)) {
    records.push(found[1] ?? '');
  }
  return records;
}

function unquoted(cell: string): string {
  const trimmed = cell.trim();
  return withoutFormula(/^".*"$/s.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"') : trimmed);
}

/** Yields the records (the header first) in batches as they arrive. A record is its cells. */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  { delimiter, trim }: { readonly delimiter: Delimiter; readonly trim: boolean },
): AsyncGenerator<string[][], void, undefined> {
  const parser = parse({
    delimiter,
    // Declared, not detected: a file merged from two machines has both.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // People write 5" and "so-called" in plain cells, which must not be an error.
    relax_quotes: true,
    trim,
    max_record_size: MAX_ROW_BYTES,
  });
  let batch: string[][] = [];
  parser.on('data', (cells: string[]) => batch.push(cells.map(withoutFormula)));
  const failure = finished(parser).then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const chunk of chunks) {
      if (!(await written(parser, chunk))) break;
      if (batch.length > 0) yield batch;
      batch = [];
    }
    parser.end();
    const error = await failure;
    if (batch.length > 0) yield batch;
    if (error !== undefined) throw explain(error, parser);
  } finally {
    parser.destroy();
  }
}

/** `="0701020304"`: the usual way to keep the leading zero of a number in a CSV file for Excel. */
function withoutFormula(cell: string): string {
  if (!cell.startsWith('="')) return cell;
  const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell) ?? [];
  return text === undefined ? cell : text.replaceAll('""', '"');
}

/** False if the parser failed; the stream itself reports the error. */
function written(parser: Parser, chunk: Buffer): Promise<boolean> {
  return new Promise((resolve) => parser.write(chunk, (error) => resolve(!error)));
}

function explain(cause: unknown, parser: Parser): unknown {
  if (!(cause instanceof CsvError)) return cause;
  const row = parser.info.records + 1;
  if (cause.code === 'CSV_MAX_RECORD_SIZE') return unusable('row_too_long', { row, cause });
  if (cause.code === 'CSV_QUOTE_NOT_CLOSED') return unusable('unclosed_quote', { row, cause });
  return unusable('unreadable_csv', { row, cause });
}

const LINE_FEED = 0x0a;

/** Yields the lines in batches as they arrive, each within the limit of a row. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[], void, undefined> {
  let rest = Buffer.alloc(0);
  let before = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const { lines, used } = cutLines(bytes, before);
    if (bytes.length - used > MAX_ROW_BYTES) throw tooLong(before + lines.length + 1);
    rest = Buffer.from(bytes.subarray(used));
    before += lines.length;
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [rest.toString('utf8')];
}

function cutLines(bytes: Buffer, before: number): { readonly lines: string[]; readonly used: number } {
  const lines: string[] = [];
  let used = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, used)) {
    if (end - used > MAX_ROW_BYTES) throw tooLong(before + lines.length + 1);
    lines.push(bytes.toString('utf8', used, end));
    used = end + 1;
  }
  return { lines, used };
}

function tooLong(row: number): UnusableFile {
  return unusable('row_too_long', { row });
}

const UNREADABLE = { 'no JSON': 'no_json', 'too deep': 'too_deep', ambiguous: 'name_twice' } as const;

/** The plain values of one JSON line, or its errors. */
export function readLine(
  line: string,
): { readonly values: readonly (readonly [string, string])[] } | { wrong: Detail } {
  const read = readJson(line);
  if ('wrong' in read) return { wrong: detail(UNREADABLE[read.is], {}) };
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { wrong: detail('no_object', {}) };
  const values: (readonly [string, string])[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null)
      return { wrong: detail('not_plain', { name: name.slice(0, 40) }) };
    values.push([name, member === null ? '' : String(member).trim()]);
  }
  return { values };
}

/** Control characters, and bidirectional marks: terminals and viewers obey both. */
const STEERING = /[^\P{Cc}\n\r\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** One cell of a CSV file that may be opened in a spreadsheet. */
export function csvCell(value: string | number): string {
  const text = typeof value === 'number' ? String(value) : defused(value.replace(STEERING, ''));
  return /[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

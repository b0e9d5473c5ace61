/** The API's answer for users: fields one per line, lists as tables. */
import type { JsonObject } from './client.ts';
import { type Output, printable } from './output.ts';
import { counted, money } from '../messages/figures.ts';

/** The fields, and each list of objects as a table under its name. */
export function renderRecord(body: JsonObject, output: Output): string {
  const tables = Object.entries(body).filter(([, value]) => isTable(value)) as [string, readonly JsonObject[]][];
  const shown = tables.map(([name, rows]) => `\n${output.label(name)}\n${renderRows(rows, output)}`);
  return [renderFacts(body, output), ...shown].join('');
}

export function renderFacts(body: JsonObject, output: Output): string {
  const facts = Object.entries(body).filter(
    ([, value]) => !isTable(value) && !(Array.isArray(value) && value.length === 0),
  );
  const inFull = (sum: number): string => money(sum, output.speech.words.figures);
  return output.renderFacts(facts.map(([name, value]) => [output.label(name), sumOf(name, value, inFull)]));
}

/** A column for every member of any row, or only these columns. Units of amounts are omitted. */
export function renderRows(rows: readonly JsonObject[], output: Output, columns?: readonly string[]): string {
  const headings = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const figure = (sum: number): string => counted(sum, output.speech.words.figures);
  const cells = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, sumOf(name, value, figure)])),
  );
  const shown = headings.filter((heading) => columns || cells.some((row) => printable(row[heading]) !== ''));
  return output.renderTable(shown, cells);
}

const SUMS = ['amount', 'totalAmount'];

function sumOf(name: string, value: unknown, words: (sum: number) => string): unknown {
  return typeof value === 'number' && SUMS.includes(name) ? words(value) : value;
}

function isTable(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every((row) => typeof row === 'object' && row !== null);
}

/** The member `items` of a page, or another list of objects. */
export function itemsOf(body: JsonObject, name = 'items'): readonly JsonObject[] {
  return (Array.isArray(body[name]) ? body[name] : []) as readonly JsonObject[];
}

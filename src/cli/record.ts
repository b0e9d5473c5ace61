/** What the API said, for a person: facts one a line, lists as tables. For what has no words of its own. */
import type { JsonObject } from './client.ts';
import { type Output, printable } from './output.ts';

/** `referenceNumber` → `reference number` */
function labelOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function renderRecord(body: JsonObject, output: Output): string {
  const members = Object.entries(body);
  const tables = members.filter(([, value]) => isTable(value)) as [string, readonly JsonObject[]][];
  const facts = members.filter(([, value]) => !isTable(value) && !(Array.isArray(value) && value.length === 0));
  return [
    output.renderFacts(facts.map(([name, value]) => [labelOf(name), value])),
    ...tables.map(([name, rows]) => `\n${labelOf(name)}\n${renderRows(rows, output)}`),
  ].join('');
}

/** A table with a column for every member that any row has. */
export function renderRows(rows: readonly JsonObject[], output: Output): string {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const shown = headings.filter((heading) => rows.some((row) => printable(row[heading]) !== ''));
  return output.renderTable(shown, rows);
}

function isTable(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every((row) => typeof row === 'object' && row !== null);
}

/** The members `items` of a page, or another list of objects. */
export function itemsOf(body: JsonObject, name = 'items'): readonly JsonObject[] {
  return (Array.isArray(body[name]) ? body[name] : []) as readonly JsonObject[];
}

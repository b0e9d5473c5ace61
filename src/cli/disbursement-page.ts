import type { JsonObject } from './client.ts';
import type { ExitCode } from './io.ts';
import { grouped } from './output.ts';
import { itemsOf } from './record.ts';
import type { Shell } from './shell.ts';

export interface PageFlags {
  readonly after?: string;
  readonly limit?: number;
  readonly json?: true;
}

export interface Page {
  readonly path: string;
  readonly columns: readonly string[];
  /** Said where there is nothing. */
  readonly none: string;
  /** Said under the table. */
  readonly hint?: string;
  /** The command that goes on where this page ends. */
  readonly goOn: string;
}

/** A page of disbursements: as a table, and how to see the next one. */
export async function showPage(page: Page, { json, ...query }: PageFlags, shell: Shell): Promise<ExitCode> {
  const { output } = shell;
  const { body } = await shell.api.get(page.path, query);
  if (json) {
    await output.json(body);
    return 0;
  }
  const items = itemsOf(body);
  if (items.length === 0) await output.note(page.none);
  else await output.write(output.renderTable(page.columns, items.map(readable)));
  if (items.length > 0 && page.hint !== undefined) await output.note(page.hint);
  // A page without a row can be followed by others: those of accounts that this key does not see were left out.
  if (typeof body['next'] === 'string') await output.note(`There may be more: ${page.goOn} --after ${body['next']}`);
  return 0;
}

/** Amounts in groups of three; `XOF` is in every one of them and left out. */
function readable(item: JsonObject): JsonObject {
  const amount = item['amount'] ?? item['totalAmount'];
  return typeof amount === 'number' ? { ...item, amount: grouped(amount) } : item;
}

/**
 * A statement of the provider or of a bank against what is recorded here: read, compared, and what is left over on either
 * side. Operations are compared in whatever state, so money of a statement that failed in relais is reported.
 */
import { type ReadOptions, RowReader } from '../files/rows.ts';
import type { Encoding } from '../files/encodings.ts';
import { statementRank } from '../lib/office-headings.ts';
import { dateIn } from '../lib/zone.ts';
import type { Detail } from '../messages/details.ts';
import {
  type Columns,
  type Matched,
  type Ours,
  type Theirs,
  type Unreadable,
  columnsIn,
  match,
  readTheirs,
} from './reconcile-match.ts';

export interface StatementOptions extends Pick<ReadOptions, 'format' | 'sheet' | 'held'> {
  readonly encoding?: Encoding | undefined;
  /** Headings of the columns; absent: those whose names tell. */
  readonly columns?: Partial<Columns>;
  /** A row that is no row, in words. */
  readonly broken: (detail: Detail) => string;
}

export interface Statement {
  readonly headings: readonly string[];
  /** The headings that were read; null: no column, or several, may be it. */
  readonly columns: { readonly [K in keyof Columns]: string | null };
  readonly sheet: string | null;
  readonly otherSheets: readonly string[];
  readonly rows: readonly Theirs[];
  readonly unreadable: readonly Unreadable[];
}

export const statementColumns = ['transactionId', 'amount', 'date'] as const satisfies readonly (keyof Columns)[];

/** Throws an UnusableFile. */
export async function readStatement(
  source: AsyncIterable<Uint8Array>,
  { columns: named = {}, broken, ...reading }: StatementOptions,
): Promise<Statement> {
  const isHeader = (cells: readonly string[]): boolean => isWhole(columnsOf(cells, named));
  const reader = new RowReader(source, { ...reading, isHeader });
  const rows: Theirs[] = [];
  const unreadable: Unreadable[] = [];
  let columns: Partial<Columns> = {};
  for await (const batch of reader.batches()) {
    columns = columnsOf(reader.columns, named);
    if (!isWhole(columns)) break;
    const places = columnsIn(reader.columns, columns);
    for (const { row, cells, wrong } of batch) {
      if (cells.every((cell) => cell.trim() === '') && wrong === undefined) continue;
      const read =
        wrong === undefined ? readTheirs({ row, cells }, places, columns) : { row, problem: broken(wrong) };
      if ('problem' in read) unreadable.push(read);
      else rows.push(read);
    }
  }
  const { sheet = null, otherSheets = [] } = reader.facts();
  const { transactionId = null, amount = null, date = null } = columns;
  return {
    headings: reader.columns,
    columns: { transactionId, amount, date },
    sheet,
    otherSheets,
    rows,
    unreadable,
  };
}

const isWhole = (columns: Partial<Columns>): columns is Columns =>
  statementColumns.every((name) => columns[name] !== undefined);

function columnsOf(headings: readonly string[], named: Partial<Columns>): Partial<Columns> {
  const found = statementColumns.flatMap((name): [string, string][] => {
    const heading = named[name] ?? bestOf(headings, name);
    const isThere =
      heading !== undefined &&
      columnsIn(headings, { transactionId: heading, amount: heading, date: heading })[name] !== -1;
    return isThere ? [[name, heading]] : [];
  });
  return Object.fromEntries(found);
}

function bestOf(headings: readonly string[], name: keyof Columns): string | undefined {
  const best = Math.max(0, ...headings.map((heading) => statementRank(name, heading)));
  const found = best === 0 ? [] : headings.filter((heading) => statementRank(name, heading) === best);
  return found.length === 1 ? found[0] : undefined;
}

export interface Reconciled extends Matched {
  readonly from: string;
  readonly to: string;
  readonly onlyOurs: readonly (Ours & { readonly at: string })[];
  readonly unreadable: readonly Unreadable[];
}

interface Recorded {
  readonly timezone: string;
  /** Money that went out, created between two moments, in whatever state. */
  readonly list: (created: { readonly from: string; readonly to: string }) => Promise<readonly Ours[]>;
  readonly paidAt: (one: Ours) => Promise<string>;
}

const DAY_MS = 86_400_000;
/** The longest time from the acceptance of a payment to its success in the days of a statement. */
const ACCEPTED_BEFORE_DAYS = 35;

/** Undefined: the statement has no row that can be read. */
export async function reconcile(
  { rows, unreadable }: Pick<Statement, 'rows' | 'unreadable'>,
  { timezone, list, paidAt }: Recorded,
): Promise<Reconciled | undefined> {
  const dates = rows.map(({ date }) => date).toSorted();
  const [from, to] = [dates[0], dates.at(-1)];
  if (from === undefined || to === undefined) return undefined;
  // A day longer at either end than UTC has them, whatever the zone: what is left over is asked for its own time.
  const at = (date: string, days: number): string => new Date(Date.parse(date) + days * DAY_MS).toISOString();
  const all = match(rows, await list({ from: at(from, -ACCEPTED_BEFORE_DAYS), to: at(to, 2) }));
  const onlyOurs: (Ours & { readonly at: string })[] = [];
  for (const one of all.onlyOurs) {
    const paid = await paidAt(one);
    const day = dateIn(timezone, Date.parse(paid));
    if (day >= from && day <= to) onlyOurs.push({ ...one, at: paid });
  }
  return { from, to, ...all, onlyOurs, unreadable };
}

interface Evident {
  readonly updatedAt?: unknown;
  readonly history?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** When the provider first said so, in a callback or an answer, or a person did; never when it was checked once more. */
export function paidAtOf({ history = [], updatedAt }: Evident): string {
  return String(history.find(saysPaid)?.['at'] ?? updatedAt);
}

function saysPaid({ operation, code, detail }: Readonly<Record<string, unknown>>): boolean {
  if (code === 'success' || code === 'completed') return true;
  if (operation === 'status') return detail === 'success';
  return operation === 'credit' ? code === 'ok' : operation === 'resolve' && code === 'succeeded';
}

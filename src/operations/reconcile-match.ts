/**
 * Compares a statement of the provider or a bank with the successful payments: matches, and unmatched entries of both
 * sides.
 */
import { readXof } from '../lib/money.ts';
import { canonicalName } from '../lib/wording.ts';
import { english } from '../messages/english.ts';
import { type Values, type ValuesOf, filled } from '../messages/said.ts';

type Problems = typeof english.commands.reconcile.problems;

/** A row of the statement. */
export interface Theirs {
  readonly row: number;
  readonly transactionId: string;
  readonly amount: number;
  /** `2026-11-22`, as written. */
  readonly date: string;
}

export interface Unreadable {
  readonly row: number;
  /** Absent: the row is unreadable. */
  readonly code?: keyof Problems;
  readonly values?: Values;
  /** In English, for programs. */
  readonly problem: string;
}

/** A disbursement or a direct credit of relais, in any state. */
export interface Ours {
  readonly id: string;
  readonly state: string;
  readonly account: string;
  readonly amount: number;
  readonly transactionId: string | null;
  readonly reference: string | null;
}

export interface Matched {
  readonly matched: { readonly count: number; readonly xof: number };
  readonly onlyOurs: readonly Ours[];
  readonly onlyTheirs: readonly (Theirs & { readonly here?: { readonly id: string; readonly state: string } })[];
  readonly differentAmount: readonly (Theirs & {
    readonly id: string;
    readonly reference: string | null;
    readonly ours: number;
  })[];
}

/** Each payment matches one row of the statement: the second copy of a duplicated transaction is unmatched. */
export function match(theirs: readonly Theirs[], ours: readonly Ours[]): Matched {
  const byTransaction = new Map(
    ours.flatMap((one) => (one.transactionId ? [[one.transactionId, one] as const] : [])),
  );
  const taken = new Set<string>();
  const out = signOfMoneyOut(theirs, byTransaction);
  const matched = { count: 0, xof: 0 };
  const onlyTheirs: Matched['onlyTheirs'][number][] = [];
  const differentAmount: Matched['differentAmount'][number][] = [];
  for (const their of theirs) {
    const own = byTransaction.get(their.transactionId);
    if (own?.state !== 'succeeded' || taken.has(own.id)) {
      onlyTheirs.push({ ...their, ...(own ? { here: { id: own.id, state: own.state } } : {}) });
      continue;
    }
    taken.add(own.id);
    if (own.amount === out * their.amount) {
      matched.count += 1;
      matched.xof += own.amount;
    } else differentAmount.push({ ...their, id: own.id, reference: own.reference, ours: own.amount });
  }
  const onlyOurs = ours.filter(({ id, state }) => state === 'succeeded' && !taken.has(id));
  return { matched, onlyOurs, onlyTheirs, differentAmount };
}

/** A bank may write outgoing money as negative; the majority of the payments decides. */
function signOfMoneyOut(theirs: readonly Theirs[], byTransaction: ReadonlyMap<string, Ours>): 1 | -1 {
  let sum = 0;
  for (const { transactionId, amount } of theirs) if (byTransaction.has(transactionId)) sum += Math.sign(amount);
  return sum < 0 ? -1 : 1;
}

/** The names of the statement's columns, in the order of the file. */
export interface Columns {
  readonly transactionId: string;
  readonly amount: string;
  readonly date: string;
}

/** The position of each column; -1: missing. */
export type Places = Readonly<Record<keyof Columns, number>>;

/** By the exact heading; otherwise, if only one heading matches, without case and accents. */
export function columnsIn(headings: readonly string[], wanted: Columns): Places {
  const shown = headings.map(seen);
  const plain = headings.map(canonicalName);
  const placeOf = (name: string): number => {
    const exact = shown.indexOf(seen(name));
    const loose = plain.indexOf(canonicalName(name));
    return exact !== -1 || loose !== plain.lastIndexOf(canonicalName(name)) ? exact : loose;
  };
  return {
    transactionId: placeOf(wanted.transactionId),
    amount: placeOf(wanted.amount),
    date: placeOf(wanted.date),
  };
}

/** The visible text of a cell. */
function seen(text: string): string {
  return text
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .normalize('NFC');
}

export function readTheirs(
  { row, cells }: { readonly row: number; readonly cells: readonly string[] },
  places: Places,
  wanted: Columns,
): Theirs | Unreadable {
  const cell = (name: keyof Columns): string => seen(cells[places[name]] ?? '');
  const transactionId = cell('transactionId');
  if (transactionId === '') return unreadable(row, 'empty', { column: wanted.transactionId });
  const amount = amountIn(cell('amount'));
  if (amount === undefined) return unreadable(row, 'amount', { column: wanted.amount, cell: cell('amount') });
  const date = dayIn(cell('date'));
  if (date === undefined) return unreadable(row, 'date', { column: wanted.date, cell: cell('date') });
  return { row, transactionId, amount, date };
}

const CURRENCY = /(?<!\p{L})(?:xof|f\s*\.?\s*cfa|cfa|frs?|f)(?!\p{L})\.?/giu;
const AMOUNT = /^(\()?\s*([-+\u2212])?\s*(\d[\d\s.,]*)(-)?\s*(\))?$/;

/** `25 000 FCFA`, `CFA 25 000`, `25.000`, and outgoing money: `-25 000`, `25 000-`, `(25 000)`. */
function amountIn(text: string): number | undefined {
  const [, open, sign, written, behind, close] = AMOUNT.exec(text.replaceAll(CURRENCY, ' ').trim()) ?? [];
  if (written === undefined || (open === undefined) !== (close === undefined)) return undefined;
  if ([open, sign, behind].filter((one) => one !== undefined).length > 1) return undefined;
  const digits = written.replaceAll(/\s/g, '');
  // XOF has no decimals, so this is a thousands separator.
  const amount = readXof(/^\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?$/.test(digits) ? digits.replaceAll('.', '') : digits);
  const isOut = open !== undefined || behind !== undefined || (sign !== undefined && sign !== '+');
  return amount === undefined || !isOut ? amount : -amount;
}

function unreadable<C extends keyof Problems>(
  row: number,
  code: C,
  values: Values & ValuesOf<Problems[C]>,
): Unreadable {
  return { row, code, values, problem: filled(english.commands.reconcile.problems[code], values) };
}

/** `22/11/2026 14:03`, `22-11-26`, `22.11.2026` or `2026-11-22T14:03:00Z`: the day as written. */
function dayIn(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)/.exec(text) ?? [];
  const [, dayFirst, monthSecond, last] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/.exec(text) ?? [];
  const yearLast = last?.length === 2 ? `20${last}` : last;
  const parts = [year ?? yearLast, month ?? monthSecond, day ?? dayFirst];
  if (parts.includes(undefined)) return undefined;
  const date = parts.map((part = '') => part.padStart(2, '0')).join('-');
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date ? undefined : date;
}

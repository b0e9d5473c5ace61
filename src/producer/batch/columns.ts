import type { Finding } from '../../kinds/batch.ts';
import { canonicalName } from '../../lib/wording.ts';

/** The columns of a file of disbursements: the fields of a single one, by the same names. */
const columns = {
  reference: 'needed',
  accountAlias: 'needed',
  amount: 'needed',
  withdrawMode: 'needed',
  debitAccountNumber: 'optional',
  account: 'optional',
  allowDuplicate: 'optional',
} as const satisfies Record<string, 'needed' | 'optional'>;

export type Column = keyof typeof columns;

const columnNames = Object.keys(columns) as Column[];

export function isColumn(name: string): name is Column {
  return Object.hasOwn(columns, name);
}

/** `Account Alias` and `account_alias` are meant well, and the header decides where money goes. */
function meantBy(name: string): Column | undefined {
  const plain = (text: string): string => canonicalName(text).replace(/[_-]/g, '');
  return columnNames.find((column) => plain(column) === plain(name));
}

/** A column that is not known could be the one that matters, so it is refused and never stepped over. */
export function notAColumn(name: string): string {
  const meant = meantBy(name);
  if (meant) return `is not a column here; did you mean "${meant}"?`;
  return `is not a column here; the columns are ${columnNames.join(', ')}`;
}

/** Tells the header among the first rows of a table: a title above it names none of its columns. */
export function isHeader(cells: readonly string[]): boolean {
  return cells.filter((cell) => meantBy(cell.trim()) !== undefined).length > 1;
}

/** What is wrong with the header of a table, which stands in this row. */
export function headerProblems(header: readonly string[], row: number): Finding[] {
  const of = (column: string, reason: string): Finding => ({ row, column: shown(column), reason });
  const unknown = header.filter((name) => !isColumn(name)).map((name) => of(name, notAColumn(name)));
  const twice = header.filter((name, at) => isColumn(name) && header.indexOf(name) !== at);
  const missing = columnNames.filter((name) => columns[name] === 'needed' && !header.includes(name));
  return [
    ...unknown,
    ...twice.map((name) => of(name, 'is there twice')),
    ...missing.map((name) => of(name, 'is missing')),
  ];
}

/** As much of a name that somebody else wrote as is needed to find it. */
export function shown(name: string): string {
  return name.slice(0, 40);
}

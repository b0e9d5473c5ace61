/** The columns of a file of disbursements: the fields of a single one by the same names, and what it has besides. */
import { freeHeading, headingOf } from '../../files/own-cells.ts';
import type { Finding } from '../../kinds/batch.ts';
import { disbursementRequest, reportColumns } from '../../kinds/disbursement-fields.ts';
import { paymentDescription } from '../../kinds/request-pieces.ts';
import { nearest } from '../../lib/nearest.ts';
import { canonicalName } from '../../lib/wording.ts';
import { type Message, message } from '../../messages/message.ts';

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

/** Fields of a single disbursement that no file has. */
const ONE_BY_ONE = Object.keys(disbursementRequest.shape).filter(
  (field) => !Object.hasOwn(columns, field) && !Object.hasOwn(paymentDescription, field),
);

export function isColumn(name: string): name is Column {
  return Object.hasOwn(columns, name);
}

const plain = (text: string): string => canonicalName(text).replaceAll(/[\s_-]/g, '');

/** `Account Alias` and `account_alias` are meant well, and the header decides where money goes. */
function meantBy(name: string): Column | undefined {
  return columnNames.find((column) => plain(column) === plain(name));
}

/** A slip of the keyboard must not make a column one that nobody reads. */
function nearTo(name: string): Column | undefined {
  const near = nearest(plain(name), columnNames.map(plain));
  return columnNames.find((column) => plain(column) === near);
}

/** Begins the heading of an entry of `metadata`. */
export const METADATA = 'metadata.';

/** `payeeName`, `purpose` and `metadata.KEY`: what people read about a payment. */
export function isDescription(name: string): boolean {
  return Object.hasOwn(paymentDescription, name) ? name !== 'metadata' : /^metadata\.[^.\s]/.test(name);
}

/** Of JSON, which programs write: what is not known there is a mistake of theirs. */
export function notAField(name: string): Message {
  const meant = meantBy(name);
  if (meant) return message('column_meant', { meant });
  return message('columns_known', { known: columnNames.join(', ') });
}

/** Undefined: a column that people keep for themselves. */
function wrongWith(name: string): Message | undefined {
  if (isColumn(name) || isDescription(name)) return undefined;
  if (name === '') return message('no_heading');
  const meant = meantBy(name) ?? nearTo(name);
  if (meant) return message('column_meant', { meant });
  // Kept beside the payment, it would seem to be obeyed.
  const field = ONE_BY_ONE.find((one) => plain(one) === plain(name));
  return field === undefined ? undefined : message('column_not_taken');
}

/** Tells the header among the first rows of a table: a title above it names none of its columns. */
export function isHeader(cells: readonly string[]): boolean {
  return cells.filter((cell) => meantBy(cell.trim()) !== undefined).length > 1;
}

/** What is wrong with the header of a table, which stands in this row. */
export function headerProblems(header: readonly string[], row: number): Finding[] {
  const of = (column: string, reason: Message): Finding => ({ row, column: shown(column), reason });
  const wrong = header.flatMap((name) => {
    const reason = wrongWith(name);
    return reason === undefined ? [] : [of(name, reason)];
  });
  const twice = header.filter((name, at) => (isColumn(name) || isDescription(name)) && header.indexOf(name) !== at);
  const missing = columnNames.filter((name) => columns[name] === 'needed' && !header.includes(name));
  return [
    ...wrong,
    ...twice.map((name) => of(name, message('there_twice'))),
    ...missing.map((name) => of(name, message('column_missing'))),
  ];
}

export interface Heading {
  readonly at: number;
  /** In the report, where no two are the same. */
  readonly heading: string;
}

export function ownHeadings(header: readonly string[]): readonly Heading[] {
  const taken = new Set<string>(reportColumns);
  return header.flatMap((name, at) => (isColumn(name) ? [] : [{ at, heading: freeHeading(headingOf(name), taken) }]));
}

/** As much of a name that somebody else wrote as is needed to find it. */
export function shown(name: string): string {
  return name.slice(0, 40);
}

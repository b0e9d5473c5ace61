/** The columns of a file of disbursements: the fields of a single one with the same names, and additional ones. */
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

/** Fields of a single disbursement that files cannot have. */
const ONE_BY_ONE = Object.keys(disbursementRequest.shape).filter(
  (field) => !Object.hasOwn(columns, field) && !Object.hasOwn(paymentDescription, field),
);

export function isColumn(name: string): name is Column {
  return Object.hasOwn(columns, name);
}

const plain = (text: string): string => canonicalName(text).replaceAll(/[\s_-]/g, '');

/** `Account Alias` and `account_alias` are likely mistakes, and the header decides where money goes. */
function meantBy(name: string): Column | undefined {
  return columnNames.find((column) => plain(column) === plain(name));
}

/** A typing error must not turn a column into an ignored one. */
function nearTo(name: string): Column | undefined {
  const near = nearest(plain(name), columnNames.map(plain));
  return columnNames.find((column) => plain(column) === near);
}

/** Prefix of the heading of a `metadata` entry. */
export const METADATA = 'metadata.';

/** `payeeName`, `purpose` and `metadata.KEY`: descriptions of a payment. */
export function isDescription(name: string): boolean {
  return Object.hasOwn(paymentDescription, name) ? name !== 'metadata' : /^metadata\.[^.\s]/.test(name);
}

/** For JSON, which programs write: an unknown field is an error. */
export function notAField(name: string): Message {
  const meant = meantBy(name);
  if (meant) return message('column_meant', { meant });
  return message('columns_known', { known: columnNames.join(', ') });
}

/** Undefined: an additional column for the file's own use. */
function wrongWith(name: string): Message | undefined {
  if (isColumn(name) || isDescription(name)) return undefined;
  if (name === '') return message('no_heading');
  const meant = meantBy(name) ?? nearTo(name);
  if (meant) return message('column_meant', { meant });
  // Accepted as an additional column, it would seem to take effect.
  const field = ONE_BY_ONE.find((one) => plain(one) === plain(name));
  return field === undefined ? undefined : message('column_not_taken');
}

/** Finds the header among the first rows of a table: a title above it names no known column. */
export function isHeader(cells: readonly string[]): boolean {
  return cells.filter((cell) => meantBy(cell.trim()) !== undefined).length > 1;
}

export const neededColumns: readonly Column[] = columnNames.filter((name) => columns[name] === 'needed');

/** The problems of a table's header in this row. */
export function headerProblems(header: readonly string[], row: number): Finding[] {
  const of = (column: string, reason: Message): Finding => ({ row, column: shown(column), reason });
  const wrong = header.flatMap((name) => {
    const reason = wrongWith(name);
    return reason === undefined ? [] : [of(name, reason)];
  });
  const twice = header.filter((name, at) => (isColumn(name) || isDescription(name)) && header.indexOf(name) !== at);
  const missing = neededColumns.filter((name) => !header.includes(name));
  return [
    ...wrong,
    ...twice.map((name) => of(name, message('there_twice'))),
    ...missing.map((name) => of(name, message('column_missing'))),
  ];
}

export interface Heading {
  readonly at: number;
  /** In the report, where headings are unique. */
  readonly heading: string;
}

/** Headings of the columns that the report shows beside its own. */
export function ownHeadings(header: readonly string[], fields: readonly (string | undefined)[]): readonly Heading[] {
  const taken = new Set<string>(reportColumns);
  return header.flatMap((name, at) => {
    const field = fields[at];
    if (field !== undefined && isColumn(field)) return [];
    return [{ at, heading: freeHeading(headingOf(name), taken) }];
  });
}

/** As much of an untrusted name as is needed to find it. */
export function shown(name: string): string {
  return name.slice(0, 40);
}

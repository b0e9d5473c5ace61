/** Maps columns of a table to fields: by our own name, by the request, or by a usual heading. */
import { type OfficeField, paymentRank } from '../../lib/office-headings.ts';
import { canonicalName } from '../../lib/wording.ts';
import type { Finding } from '../../kinds/batch.ts';
import { message } from '../../messages/message.ts';
import { type Column, headerProblems, isColumn, isDescription, isHeader, neededColumns, shown } from './columns.ts';

/** Fields that a column of any name can be. */
const officeFields = [
  'accountAlias',
  'amount',
  'withdrawMode',
  'reference',
  'payeeName',
  'purpose',
] as const satisfies readonly OfficeField[];

/** Reading of a table with its own headings. The approved hash covers it. */
export interface OfficeReading {
  /** By field, the heading of its column. */
  readonly columns?: Readonly<Partial<Record<OfficeField, string>>>;
  /** Withdraw mode of all rows. */
  readonly wallet?: string;
  /** Withdraw mode by the name that the file has for it. */
  readonly wallets?: Readonly<Record<string, string>>;
  /** Begins the reference of each row; the reference column follows, or the number of the row. */
  readonly referencePrefix?: string;
  /** A single point or comma in an amount separates thousands. */
  readonly thousands?: boolean;
  readonly takeHidden?: boolean;
  /** Rows that are no payments, such as a total. */
  readonly leaveOut?: readonly number[];
}

export interface Layout {
  /** By place, the field that the column is read as; undefined: a column of the file's own. */
  readonly fields: readonly (string | undefined)[];
  readonly problems: readonly Finding[];
  /** By field, its heading. Absent: a table with the columns of relais, read strictly. */
  readonly office?: Readonly<Partial<Record<OfficeField, string>>>;
}

/** Two of our names mark a file written for relais: there, a similar name is a mistake. */
function isOurs(header: readonly string[], { columns }: OfficeReading): boolean {
  const isMapped = columns !== undefined && Object.keys(columns).length > 0;
  return !isMapped && neededColumns.filter((name) => header.includes(name)).length > 1;
}

export function layOut(header: readonly string[], row: number, reading: OfficeReading): Layout {
  if (isOurs(header, reading)) {
    const fields = header.map((name) => (isColumn(name) || isDescription(name) ? name : undefined));
    return { fields, problems: headerProblems(header, row) };
  }
  const problems: Finding[] = [];
  const places = new Map<number, string>();
  const office: Partial<Record<OfficeField, string>> = {};
  for (const field of officeFields) {
    const found = placesOf(field, header, reading).filter((at) => !places.has(at));
    const [at] = found;
    if (found.length === 1 && at !== undefined) {
      places.set(at, field);
      office[field] = header[at] ?? '';
    } else if (found.length > 1 && isNeeded(field, reading)) {
      const columns = found.map((one) => shown(header[one] ?? '')).join(', ');
      problems.push({ row, column: field, reason: message('several_columns', { columns }) });
    } else if (isNeeded(field, reading) || reading.columns?.[field] !== undefined) {
      problems.push({ row, column: field, reason: message('column_missing') });
    }
  }
  const fields = header.map((name, at) => places.get(at) ?? (isColumn(name) && !isOffice(name) ? name : undefined));
  return { fields, problems, office };
}

const isOffice = (name: Column): boolean => officeFields.some((field) => field === name);

function isNeeded(field: OfficeField, { wallet, referencePrefix }: OfficeReading): boolean {
  if (field === 'withdrawMode') return wallet === undefined;
  if (field === 'reference') return referencePrefix === undefined;
  return field === 'accountAlias' || field === 'amount';
}

/** Candidates for the field: the named column, else the column of our name, else the best headings. */
function placesOf(
  field: OfficeField,
  header: readonly string[],
  { columns, wallet }: OfficeReading,
): readonly number[] {
  const among = (is: (name: string) => boolean): number[] => header.flatMap((name, at) => (is(name) ? [at] : []));
  const named = columns?.[field];
  if (named !== undefined) return among((name) => canonicalName(name) === canonicalName(named));
  if (field === 'withdrawMode' && wallet !== undefined) return [];
  const own = among((name) => name === field);
  if (own.length > 0) return own;
  const best = Math.max(0, ...header.map((name) => paymentRank(field, name)));
  return best === 0 ? [] : among((name) => paymentRank(field, name) === best);
}

/** Finds the header among the first rows of a table. */
export function headerFinder({ columns = {} }: OfficeReading): (cells: readonly string[]) => boolean {
  const named = Object.values(columns).map(canonicalName);
  return (cells) => {
    const names = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
    if (named.length > 0) return named.every((one) => names.some((name) => canonicalName(name) === one));
    return (
      isHeader(names) || officeFields.filter((field) => names.some((name) => paymentRank(field, name) > 0)).length > 1
    );
  };
}

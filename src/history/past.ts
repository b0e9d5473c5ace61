/** What history has of records, as Redis kept them: the other direction of `readings.ts`. */
import type { Kind } from '../kinds/index.ts';
import { NAMES, REST, ROW_TIME, TOTALS, type Column, type Table } from '../kinds/tables.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import type { BatchRowLeft, PastAsked, RecipientLeft } from '../operations/past.ts';
import { AMOUNT_FIELDS } from '../operations/places.ts';
import { recipientStateOf } from '../operations/slice-form.ts';
import { type Fields, RECORD_VERSION } from '../operations/record.ts';

/** As text that a record may hold: times in ms, JSON as it was said. */
function readColumn({ name, type }: Column): string {
  if (type === 'timestamptz') return `(extract(epoch from t.${name}) * 1000)::bigint::text as ${name}`;
  return `t.${name}::text as ${name}`;
}

const readColumns = ({ columns }: Table): string => columns.map(readColumn).join(', ');

/** Selects rows of a table so that `fieldsOfRow` reads them. */
export function selectOf(table: Table): string {
  return `select ${readColumns(table)} from relais.${table.table} t`;
}

/**
 * The rows of one id: by their revision, and of one revision by when they were accepted. There are several where Redis
 * lost an operation that was accepted again.
 */
export const byTurns = (order: 'asc' | 'desc'): string => `t.rev ${order}, t.${ROW_TIME} ${order}`;

/** Of an id, the row that holds. */
export const lastRowOf = (table: Table): string =>
  `${selectOf(table)} where id = $1 order by ${byTurns('desc')} limit 1`;

export const IS_OLDER = 'is_older';

interface Question {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * The newest of a table that are meant. What has a name is found by its index, and put in order then; of all else the
 * planner knows whether few are meant, or whether to walk down the times until there are enough.
 */
export function pageOfTable(table: Table, { names = [], anyOf, limit, ...asked }: PastAsked): Question {
  const values: unknown[] = [];
  const value = (given: unknown, type: string): string => `$${values.push(given)}::${type}`;
  const filters = [...filtersIn(table, asked, value)];
  if (names.length > 0) filters.push(`${NAMES} @> ${value(names, 'text[]')}`);
  if (anyOf) {
    const word = value(anyOf.word, 'text');
    filters.push(`(id = ${word} or reference = ${word} or ${NAMES} && ${value(anyOf.names, 'text[]')})`);
  }
  const meant = `select * from relais.${table.table} where ${filters.join(' and ') || 'true'}`;
  const from = names.length > 0 || anyOf ? `(${meant} offset 0) m` : `(${meant}) m`;
  const order = (of: string): string => `${of}.${ROW_TIME} desc, ${of}.id collate "C" desc`;
  const page = `select * from ${from} order by ${order('m')} limit ${value(limit, 'int')}`;
  const later = `o.id = t.id and (o.rev, o.${ROW_TIME}) > (t.rev, t.${ROW_TIME})`;
  const isOlder = `exists (select from relais.${table.table} o where ${later})::text as ${IS_OLDER}`;
  return { sql: `select ${readColumns(table)}, ${isOlder} from (${page}) t order by ${order('t')}`, values };
}

function filtersIn(
  { columns }: Table,
  {
    states,
    accounts,
    reference,
    createdFrom,
    createdTo,
    amountMin,
    amountMax,
    below,
  }: Omit<PastAsked, 'names' | 'anyOf' | 'limit'>,
  value: (given: unknown, type: string) => string,
): string[] {
  const time = (ms: number): string => value(new Date(ms).toISOString(), 'timestamptz');
  const amount = columns.find(({ of }) => AMOUNT_FIELDS.some((name) => name === of))?.name ?? 'null::bigint';
  const filters: string[] = [];
  if (states) filters.push(`state = any(${value(states, 'text[]')})`);
  if (accounts) filters.push(`account = any(${value(accounts, 'text[]')})`);
  if (reference !== undefined) filters.push(`reference = ${value(reference, 'text')}`);
  if (createdFrom !== undefined) filters.push(`${ROW_TIME} >= ${time(createdFrom)}`);
  if (createdTo !== undefined) filters.push(`${ROW_TIME} <= ${time(createdTo)}`);
  if (amountMin !== undefined) filters.push(`${amount} >= ${value(amountMin, 'bigint')}`);
  if (amountMax !== undefined) filters.push(`${amount} <= ${value(amountMax, 'bigint')}`);
  if (below) {
    const at = time(below.at);
    filters.push(`${ROW_TIME} <= ${at} and (${ROW_TIME} < ${at} or id collate "C" < ${value(below.id, 'text')})`);
  }
  return filters;
}

/** Of `relais.recipients`, as it reads there. */
export function recipientOfRow(row: TextRow): RecipientLeft {
  const { row_number: number, phone, state, code, reason, sent_at: sentAt, resent, column_values, own } = row;
  const cells = (json: string | null | undefined): string[] => (json ? JSON.parse(json) : []);
  return {
    place: Number(row['place']),
    rev: Number(row['rev']),
    row: Number(number),
    to: phone ?? '',
    state: stateNamed(state ?? ''),
    values: cells(column_values),
    own: cells(own),
    ...(code ? { code } : {}),
    ...(reason ? { reason } : {}),
    ...(sentAt ? { sentAt: Number(sentAt) } : {}),
    ...(resent ? { resent: Number(resent) } : {}),
  };
}

/** Of `relais.batch_rows`, as it reads there. */
export function batchRowOfRow(row: TextRow): BatchRowLeft {
  const { row_number: number, disbursement, reference, account_alias: accountAlias, amount, withdraw_mode } = row;
  const { debit_account_number: debitAccountNumber, allow_duplicate: again, reason, own } = row;
  return {
    row: {
      row: Number(number),
      id: disbursement ?? '',
      reference: reference ?? '',
      accountAlias: accountAlias ?? '',
      amount: Number(amount),
      withdrawMode: withdraw_mode ?? '',
      ...(debitAccountNumber ? { debitAccountNumber } : {}),
      ...(again === 'true' ? { allowDuplicate: true } : {}),
      ...(own ? { own: JSON.parse(own) } : {}),
    },
    ...(reason ? { reason } : {}),
  };
}

function stateNamed(name: string): RecipientState {
  const known = Object.values(recipientStateOf).find((state) => state === name);
  if (known === undefined) throw new Error(`history has a recipient that is "${name}"`);
  return known;
}

export type TextRow = Readonly<Record<string, string | null>>;

/** The record as it was when it was copied; without what only an attempt needs. */
export function fieldsOfRow(kind: Kind, { columns }: Table, row: TextRow): Fields {
  const fields: Record<string, string> = { kind, v: RECORD_VERSION };
  for (const { name, of, type } of columns) {
    const value = row[name] ?? undefined;
    if (value === undefined || of === NAMES) continue;
    if (of === TOTALS && kind === 'campaign') Object.assign(fields, binsIn(value));
    else if (of === REST) Object.assign(fields, JSON.parse(value));
    else if (type !== 'boolean') fields[of] = value;
    else if (value === 'true') fields[of] = '1';
  }
  return fields;
}

/** A campaign keeps its bins under names of their own. */
function binsIn(totals: string): Fields {
  const counted: Readonly<Record<string, number>> = JSON.parse(totals);
  return Object.fromEntries(Object.entries(counted).map(([bin, count]) => [`t:${bin}`, String(count)]));
}

/**
 * What history keeps, as tables: of each kind what callers see of it and the rest of its record, of each recipient,
 * event, act and look at a balance a row. The tables, what is copied into them and docs/history.md are made of this.
 */
import { asDeclared, type Kind, kinds } from './index.ts';
import type { Field } from './fields.ts';
import type { HistoryTable } from './kind.ts';

export type ColumnType = 'text' | 'text[]' | 'bigint' | 'boolean' | 'timestamptz' | 'json';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The field of the record, or the value of the row, that stands in it. */
  readonly of: string;
  readonly says?: string | undefined;
  /** Something is in it in every row. */
  readonly sure?: true;
}

export interface Table extends HistoryTable {
  /** What one row is. */
  readonly says: string;
  readonly columns: readonly Column[];
  /** The columns that name a row; the column that says in which part of the table it stands is the last. */
  readonly key: readonly string[];
  /** The column that says which of two readings of a row is the later one. Absent: a row never changes. */
  readonly rev?: 'rev';
}

export const ROW_TIME = 'created_at';

const sure = (name: string, type: ColumnType, of: string, says?: string): Column => ({
  name,
  type,
  of,
  says,
  sure: true,
});
const maybe = (name: string, type: ColumnType, of: string, says?: string): Column => ({ name, type, of, says });

/** What every record has. */
const base: readonly Column[] = [
  sure('id', 'text', 'id'),
  sure('rev', 'bigint', 'rev', 'Each change of it is one more; the highest is how it is now.'),
  sure('state', 'text', 'state'),
  sure('account', 'text', 'account'),
  maybe('reference', 'text', 'reference', 'The name that the caller gave it.'),
  sure(ROW_TIME, 'timestamptz', 'createdAt', 'When it was accepted.'),
  sure('updated_at', 'timestamptz', 'updatedAt', 'When it last changed.'),
  sure('since', 'timestamptz', 'since', 'When it entered this state.'),
];

const typeOf: Readonly<Record<Exclude<Field['codec'], 'derived'>, ColumnType>> = {
  text: 'text',
  number: 'bigint',
  time: 'timestamptz',
  flag: 'boolean',
  json: 'json',
};

/** Words of SQL itself are no names of columns. */
const RENAMED: Readonly<Record<string, string>> = { to: 'phone', from: 'sender', by: 'by_key' };

/** `withdrawMode` is `withdraw_mode` in SQL. */
const inSql = (name: string): string =>
  RENAMED[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function columnsOf(kind: Kind): Column[] {
  const known = new Set(base.map(({ of }) => of));
  return Object.entries(asDeclared(kind).fields).flatMap(([name, { shown, as = name, codec, presence }]) => {
    if (!shown || codec === 'derived' || known.has(name)) return [];
    const says = shown.meta()?.description;
    return [(presence === 'sure' ? sure : maybe)(inSql(as), typeOf[codec], name, says)];
  });
}

/** What is in no column of its own, by the names of its fields. */
export const REST = 'record';
/** By what it is found besides its id and its reference. */
export const NAMES = 'names';
/** Of a campaign: its recipients by what became of them. */
export const TOTALS = 'totals';

function tableOf(kind: Kind, history: HistoryTable): Table {
  return {
    ...history,
    says: `One ${kind.replace('_', ' ')}.`,
    columns: [
      ...base,
      ...columnsOf(kind),
      ...(kind === 'campaign' ? [sure('totals', 'json', TOTALS, 'Its recipients by what became of them.')] : []),
      sure(
        NAMES,
        'text[]',
        NAMES,
        'By what it is found: `p:` the person, `t:` token, `x:` transaction, `r:` of the provider, `d:` disburse_id, `b:` batch.',
      ),
      sure('record', 'json', REST, 'What has no column of its own, what the service said included.'),
    ],
    key: ['id', ROW_TIME],
    rev: 'rev',
  };
}

/** By the kind of the records that stand in it. */
export const kindTables: Readonly<Partial<Record<Kind, Table>>> = Object.fromEntries(
  kinds.flatMap((kind) => {
    const { history } = asDeclared(kind);
    return history ? [[kind, tableOf(kind, history)]] : [];
  }),
);

export const recipientTable: Table = {
  table: 'recipients',
  by: 'day',
  says: 'One person in a campaign.',
  columns: [
    sure(
      'slice',
      'text',
      'slice',
      'Up to a thousand recipients that were sent to together; of those who were left out, the upload that they came in.',
    ),
    sure('place', 'bigint', 'place', 'Which of them.'),
    sure('rev', 'bigint', 'rev', 'Each change of the slice is one more; the highest is how it is now.'),
    sure('campaign', 'text', 'campaign'),
    sure('account', 'text', 'account'),
    sure('row_number', 'bigint', 'row', 'The row of the file.'),
    sure(
      'phone',
      'text',
      'to',
      'In international form, of those who were left out as it was written; `purged-…` where the person was forgotten.',
    ),
    maybe('country', 'text', 'country'),
    sure('state', 'text', 'state', '`sent failed unknown skipped expired cancelled`'),
    maybe('code', 'text', 'code', "The service's code, where it gave one."),
    maybe('sent_at', 'timestamptz', 'sentAt', 'When the last request with it left.'),
    maybe('column_values', 'json', 'values', "The values of the text's variables, in their order."),
    maybe('reason', 'text', 'reason', 'Why nothing was sent, where they were left out.'),
    maybe('resent', 'bigint', 'resent', 'How often it was sent again after a doubt.'),
    maybe('own', 'json', 'own', 'What else the file had in its row, in the order of its columns.'),
    sure(ROW_TIME, 'timestamptz', 'createdAt', 'When the campaign was made.'),
  ],
  key: ['slice', 'place', ROW_TIME],
  rev: 'rev',
};

export const batchRowTable: Table = {
  table: 'batch_rows',
  by: 'month',
  says: 'One row of a batch as it was approved, or was to be. What became of it is in `disbursements`.',
  columns: [
    sure('batch', 'text', 'batch'),
    sure('place', 'bigint', 'place', 'Which of them.'),
    sure('rev', 'bigint', 'rev', 'Each change of the batch is one more; the highest is how it is now.'),
    sure('account', 'text', 'account'),
    sure('row_number', 'bigint', 'row', 'The row of the file.'),
    sure('disbursement', 'text', 'id', 'What it became, or would have.'),
    sure('reference', 'text', 'reference'),
    sure('account_alias', 'text', 'accountAlias'),
    sure('amount', 'bigint', 'amount', 'Whole XOF.'),
    sure('withdraw_mode', 'text', 'withdrawMode'),
    maybe('debit_account_number', 'text', 'debitAccountNumber'),
    maybe('allow_duplicate', 'boolean', 'allowDuplicate'),
    maybe('reason', 'text', 'reason', 'Why it was refused when its turn came.'),
    maybe('own', 'json', 'own', 'What else the file had in its row, in the order of its columns.'),
    sure(ROW_TIME, 'timestamptz', 'createdAt', 'When the batch was uploaded.'),
  ],
  key: ['batch', 'place', ROW_TIME],
  rev: 'rev',
};

export const eventTable: Table = {
  table: 'events',
  by: 'month',
  says: 'One event that callers were told.',
  columns: [
    sure('place', 'text', 'place', 'In the stream of events.'),
    sure('type', 'text', 'type'),
    sure('operation', 'text', 'operation'),
    sure('sequence', 'bigint', 'sequence', 'Counts the events of its operation.'),
    sure('account', 'text', 'account'),
    sure('data', 'json', 'data'),
    sure(ROW_TIME, 'timestamptz', 'at'),
  ],
  key: ['place', ROW_TIME],
};

export const auditTable: Table = {
  table: 'audit',
  by: 'month',
  says: 'One act of a person or a program.',
  columns: [
    sure('place', 'text', 'id', 'In the audit.'),
    ...['by', 'person', 'role', 'door', 'requestId', 'act', 'target'].map((name) => sure(inSql(name), 'text', name)),
    maybe('before', 'json', 'before'),
    maybe('after', 'json', 'after'),
    sure('hash', 'text', 'hash', 'Made of this line and the one before it.'),
    sure(ROW_TIME, 'timestamptz', 'at'),
  ],
  key: ['place', ROW_TIME],
};

export const balanceTable: Table = {
  table: 'balances',
  by: 'month',
  says: 'What an account had left in a country when somebody looked.',
  columns: [
    sure('account', 'text', 'account'),
    sure('country', 'text', 'country'),
    maybe('xof', 'bigint', 'xof', 'Empty: it could not be read.'),
    sure(ROW_TIME, 'timestamptz', 'at'),
  ],
  key: ['account', 'country', ROW_TIME],
};

/** All of them, in the order in which people are shown them. */
export const tables: readonly Table[] = [
  ...Object.values(kindTables),
  recipientTable,
  batchRowTable,
  eventTable,
  auditTable,
  balanceTable,
];

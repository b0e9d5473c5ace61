/** Translates between rows of the table `operation` and typed records of each kind. */
import { type Field, type Fields, maybeText, count, text, time } from '../kinds/fields.ts';
import { type Kind, asDeclared, kinds, statesOf } from '../kinds/index.ts';
import { type RecordAt, UnreadableRecord } from '../operations/record.ts';

/** The kinds whose operations are rows of the table `operation`. */
export type LedgerKind = 'disbursement' | 'direct_credit' | 'invoice' | 'payment_request' | 'message';

const ledgerKinds: readonly string[] = ['disbursement', 'direct_credit', 'invoice', 'payment_request', 'message'];

export function isLedgerKind(kind: Kind): kind is LedgerKind {
  return ledgerKinds.includes(kind);
}

type Json = Readonly<Record<string, unknown>>;

/** As `pg` returns the columns: a bigint is text. */
export interface OperationRow {
  readonly id: string;
  readonly kind: string;
  readonly account: string;
  readonly reference: string | null;
  readonly state: string;
  readonly amount: string | null;
  readonly request: Json;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly payee_name: string | null;
  readonly purpose: string | null;
  readonly provider_id: string | null;
  readonly token: string | null;
  readonly transaction_id: string | null;
  readonly provider_ref: string | null;
  readonly facts: Json;
  readonly evidence: readonly string[];
  readonly evidence_total: number;
  readonly reason: string | null;
  readonly sends: number;
  readonly tries: number;
  readonly token_at: Date | null;
  readonly sent_at: Date | null;
  readonly quiet_until: Date | null;
  readonly not_before: Date | null;
  readonly batch: string | null;
  readonly created_by: string;
  readonly approved_by: string | null;
  readonly approved_at: Date | null;
  readonly rejected_by: string | null;
  readonly note: string | null;
  readonly trace: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly since: Date;
  readonly version: number;
}

export type Column = Exclude<keyof OperationRow, 'kind' | 'request' | 'facts' | 'evidence' | 'evidence_total'>;

/** The fields of every kind that have a column. All others are in `facts`, or in `request` as received. */
const shared: Readonly<Record<string, Column>> = {
  id: 'id',
  state: 'state',
  account: 'account',
  reference: 'reference',
  amount: 'amount',
  metadata: 'metadata',
  payeeName: 'payee_name',
  purpose: 'purpose',
  disburseId: 'provider_id',
  token: 'token',
  transactionId: 'transaction_id',
  providerRef: 'provider_ref',
  reason: 'reason',
  sends: 'sends',
  tries: 'tries',
  tokenAt: 'token_at',
  sentAt: 'sent_at',
  quietUntil: 'quiet_until',
  notBefore: 'not_before',
  batch: 'batch',
  by: 'created_by',
  approvedBy: 'approved_by',
  approvedAt: 'approved_at',
  rejectedBy: 'rejected_by',
  note: 'note',
  trace: 'trace',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  since: 'since',
  rev: 'version',
};

/** Fields with a column that has another name in this kind. */
const own: Readonly<Partial<Record<string, Readonly<Record<string, Column>>>>> = {
  invoice: { totalAmount: 'amount' },
  message: { sendAt: 'not_before' },
  payment_request: { askedAmount: 'amount', referenceNumber: 'provider_ref' },
};

/** The column of a field; undefined: it has none. */
export function columnOf(kind: LedgerKind, field: string): Column | undefined {
  return own[kind]?.[field] ?? (Object.hasOwn(shared, field) ? shared[field] : undefined);
}

/** The fields that every record has. */
const base: Fields = {
  id: text,
  state: text,
  account: text,
  reference: maybeText,
  createdAt: time,
  updatedAt: time,
  since: time,
  rev: count,
  tries: count,
  by: maybeText,
  keys: maybeText,
  mode: maybeText,
  acceptedFor: maybeText,
  trace: maybeText,
};

interface Step {
  readonly name: string;
  readonly field: Field;
  readonly column: Column | undefined;
}

const plans: Readonly<Record<string, readonly Step[]>> = Object.fromEntries(
  kinds.map((kind) => [
    kind,
    Object.entries({ ...asDeclared(kind).fields, ...base })
      .filter(([, { codec }]) => codec !== 'derived')
      .map(([name, field]) => ({ name, field, column: columnOf(kind as LedgerKind, name) })),
  ]),
);

/** The record, or why this version cannot read it. */
export function readRow<K extends LedgerKind>(kind: K, row: OperationRow): RecordAt<K> | UnreadableRecord {
  const unreadable = (why: string): UnreadableRecord => new UnreadableRecord(row.id, row.account, why);
  if (row.kind !== kind) return unreadable(`it is a ${row.kind}, not a ${kind}`);
  const states: readonly string[] = statesOf(kind);
  if (!states.includes(row.state)) return unreadable(`it has no state of a ${kind}`);
  const record: Record<string, unknown> = { kind };
  for (const step of plans[kind] ?? []) {
    const value = valueOf(row, step);
    if (value !== undefined) record[step.name] = value;
    else if (step.field.presence === 'sure') return unreadable(`it has no field ${step.name}`);
  }
  record['evidence'] = { lines: row.evidence, total: row.evidence_total };
  // Read according to the declaration that defines its type, which the compiler cannot follow through a loop.
  return record as unknown as RecordAt<K>;
}

function valueOf(row: OperationRow, { name, field, column }: Step): unknown {
  const stored = column === undefined ? (row.facts[name] ?? row.request[name]) : row[column];
  // An erased text is an empty one.
  if (stored === '' && field.codec === 'text' && field.presence === 'sure') return stored;
  if (stored === null || stored === undefined || stored === '') return field.otherwise;
  const { codec } = field;
  if (codec === 'text') return typeof stored === 'string' ? stored : JSON.stringify(stored);
  if (codec === 'json') return stored;
  if (codec === 'flag') return stored === true || Number(stored) > 0;
  return stored instanceof Date ? stored.getTime() : numberIn(stored);
}

function numberIn(stored: unknown): number | undefined {
  const value = Number(stored);
  return Number.isFinite(value) ? value : undefined;
}

/** Fields of a new record that are not part of the request and have no column. */
const NOT_ASKED: ReadonlySet<string> = new Set(['acceptedFor', 'keys', 'mode']);

export interface NewColumns {
  readonly columns: Readonly<Partial<Record<Column, string | number>>>;
  readonly request: Json;
  readonly facts: Json;
}

/** Where acceptance stores each field. */
export function columnsOfNew(kind: LedgerKind, fields: Readonly<Record<string, string | number>>): NewColumns {
  const columns: Partial<Record<Column, string | number>> = {};
  const request: Record<string, unknown> = {};
  const facts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const column = columnOf(kind, name);
    if (column !== undefined) columns[column] = value;
    else if (NOT_ASKED.has(name)) facts[name] = value;
    else request[name] = asDeclared(kind).fields[name]?.codec === 'json' ? JSON.parse(String(value)) : value;
  }
  return { columns, request, facts };
}

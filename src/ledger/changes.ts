/** Translates a processor's change of a record to columns and facts of its row. */
import { type Kind, type StateOf, asDeclared, isFinal, queueOf } from '../kinds/index.ts';
import { goneAtTheEnd } from '../kinds/disbursement-fields.ts';
import type { RecordBase } from '../operations/record.ts';
import {
  type Change as AskedChange,
  type EvidenceDraft,
  type FieldValues,
  type Said,
  linesOf,
} from '../operations/transition.ts';
import { actOf, actToJson } from './acts.ts';
import type { JournalItem } from './journal.ts';
import type { Change, Json } from './operation-items.ts';
import { type Column, type LedgerKind, columnOf } from './records.ts';

type Changed<K extends Kind> = RecordBase<K> & { readonly lane?: string };

/** Columns that hold a number or text, and the parameter that sets each. */
const settable: Readonly<Partial<Record<Column, keyof Change>>> = {
  token: 'token',
  transaction_id: 'transactionId',
  provider_ref: 'providerRef',
  sends: 'sends',
  tries: 'tries',
  reason: 'reason',
};
/** Columns that hold a time: it is set as ms from the time of the statement. */
const times: Readonly<Partial<Record<Column, keyof Change>>> = {
  token_at: 'tokenMs',
  sent_at: 'sentMs',
  quiet_until: 'quietMs',
};
/** Columns that few changes set. */
const more: Readonly<Partial<Record<Column, string>>> = {
  note: 'note',
  trace: 'trace',
  approved_by: 'approved_by',
  rejected_by: 'rejected_by',
  approved_at: 'approved_ms',
};

interface Parts {
  readonly columns: Record<string, string | number>;
  readonly cleared: string[];
  readonly more: Record<string, unknown>;
  readonly facts: Record<string, unknown>;
  readonly factTimes: Record<string, number>;
  readonly erased: string[];
}

/**
 * The change as a parameter of the shared statement. `trace`: the trace of a user's act, to which the operation
 * belongs from then on.
 */
export function changeOf<K extends LedgerKind>(
  record: Changed<K>,
  lease: string | undefined,
  asked: AskedChange<K>,
  trace?: string,
): Change {
  const { kind, id, state: was, rev, lane } = record;
  const { to, keepMs, hasEffect = false, inRecovery, event, act } = asked;
  const parts = partsOf(kind, { ...endOf(kind, to), ...asked.set });
  if (act && trace !== undefined) parts.more['trace'] = trace;
  const queue = queueOf(kind, to, lane);
  return {
    id,
    lease,
    was,
    state: to,
    queue,
    unlessHeld: asked.unlessHeld,
    dueMs: queue === undefined ? undefined : asked.dueInMs,
    nudgeMs: queue === undefined ? 0 : (asked.nudgeAfterMs ?? 0),
    keepMs,
    ...(hasEffect && keepMs !== undefined ? { sendMs: keepMs / 2 } : {}),
    ...(inRecovery === undefined ? {} : { rev, inRecovery: true }),
    ...parts.columns,
    cleared: parts.cleared,
    more: some(parts.more),
    facts: some(parts.facts),
    factTimes: some(parts.factTimes) as Record<string, number> | undefined,
    erased: parts.erased,
    lines: evidenceLines(asked.evidence),
    event: event && { type: event.type, data: event.data },
    act: act && actToJson(actOf(act, { before: { state: was }, facts: { state: to } })),
    finished: isFinal(kind, to),
    forgetsCallback: asked.forgetsCallback,
    intends: hasEffect && inRecovery === undefined,
    ...(hasEffect && keepMs !== undefined ? { journalItem: journalItemOf(record, asked.set) } : {}),
  };
}

/** Fields that a restored ledger needs to record the operation again and to check its status. */
const JOURNALED = [
  'account',
  'reference',
  'metadata',
  'payeeName',
  'purpose',
  'amount',
  'accountAlias',
  'withdrawMode',
  'notify',
  'debitAccountNumber',
  'disburseId',
  'token',
  'batch',
  'by',
  'createdAt',
  'sends',
];

function journalItemOf<K extends Kind>(record: Changed<K>, set: FieldValues = {}): JournalItem {
  const stored: Readonly<Record<string, unknown>> = { ...record };
  const item: Record<string, unknown> = {};
  for (const name of JOURNALED) {
    const value = set[name] ?? stored[name];
    if (value !== undefined) item[name] = value;
  }
  return { ...item, id: record.id, kind: record.kind };
}

/** Fields that a final payment no longer needs. */
function endOf<K extends Kind>(kind: K, to: StateOf<K>): FieldValues {
  if (kind !== 'disbursement' || !isFinal(kind, to)) return {};
  return Object.fromEntries(goneAtTheEnd.map((name) => [name, '']));
}

const some = (values: Record<string, unknown>): Json | undefined =>
  Object.keys(values).length === 0 ? undefined : values;

function partsOf(kind: LedgerKind, set: FieldValues): Parts {
  const parts: Parts = { columns: {}, cleared: [], more: {}, facts: {}, factTimes: {}, erased: [] };
  for (const [given, value] of Object.entries(set)) {
    const isTime = given.startsWith('@');
    const name = isTime ? given.slice(1) : given;
    const column = columnOf(kind, name);
    if (value === '') remove(parts, kind, name, column);
    else if (column === undefined && isTime) parts.factTimes[name] = Number(value);
    else if (column === undefined) parts.facts[name] = value;
    else put(parts, column, value, isTime);
  }
  return parts;
}

function remove(parts: Parts, kind: LedgerKind, name: string, column: Column | undefined): void {
  if (column !== undefined && column in more) parts.more[more[column] ?? ''] = null;
  else if (column !== undefined) parts.cleared.push(column);
  else {
    parts.facts[name] = null;
    if (mayBeAsked(kind, name)) parts.erased.push(name);
  }
}

function put(parts: Parts, column: Column, value: string | number | object, isTime: boolean): void {
  const param = (isTime ? times : settable)[column];
  const rare = more[column];
  if (typeof value === 'object') throw new Error(`no change sets ${column} to an object`);
  if (param !== undefined) parts.columns[param] = value;
  else if (rare !== undefined && isTime === rare.endsWith('_ms')) parts.more[rare] = value;
  else throw new Error(`no change sets ${column} ${isTime ? 'as' : 'but as'} a time`);
}

/** A request has texts and numbers, never a time written by an attempt. */
function mayBeAsked(kind: LedgerKind, name: string): boolean {
  return asDeclared(kind).fields[name]?.codec === 'text';
}

/** `submit|ok|200|pending`, one for each line. */
export function evidenceLines(said: Said | undefined): readonly string[] {
  return linesOf(said).map(evidenceLine);
}

const UNFIT = /[|\s]+/g;
const LINE_MOST = 200;

export function evidenceLine({ operation, code, httpStatus, detail }: EvidenceDraft): string {
  const words = [operation, code, httpStatus === undefined ? '' : String(httpStatus), detail ?? ''];
  return words
    .map((word) => clean(word).replaceAll(UNFIT, (found) => (found.includes('|') ? '/' : ' ')))
    .join('|')
    .replace(/\|+$/, '')
    .slice(0, LINE_MOST);
}

/** Text that PostgreSQL stores: without NUL and halves of surrogate pairs. */
export function clean(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}

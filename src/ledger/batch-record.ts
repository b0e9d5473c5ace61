/** Rows of the tables `batch` and `batch_row`, as the API and the workers read them. */
import type { BatchTotals, BatchUploadOptions, Findings, Sum } from '../kinds/batch.ts';
import { ELSEWHERE } from '../kinds/batch-outcome.ts';
import { type StateOf, isFinal, statesOf } from '../kinds/index.ts';
import type { BatchRow } from '../kinds/batch-rows.ts';
import type { RowNow } from '../kinds/batch-rows.ts';
import type { BatchRecord } from '../operations/record.ts';

export interface LedgerBatch extends BatchRecord {
  /** Null: no attempt is under way. */
  readonly lease: string | null;
}

export interface StoredBatch {
  readonly id: string;
  readonly account: string;
  readonly content_hash: string;
  readonly file_name: string | null;
  readonly retry_of: string | null;
  readonly options: BatchUploadOptions;
  readonly columns: readonly string[];
  readonly state: StateOf<'batch'>;
  readonly reason: string | null;
  readonly totals: BatchTotals;
  readonly problems: Findings;
  readonly warnings: Findings;
  readonly fed: number;
  readonly settled: number;
  readonly tries: number;
  readonly ended_as: Readonly<Record<string, Sum>> | null;
  readonly created_by: string;
  readonly approved_by: string | null;
  readonly approved_at: Date | null;
  readonly rejected_by: string | null;
  readonly note: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly since: Date;
  readonly version: number;
  readonly lease: string | null;
}

export function batchRecord(row: StoredBatch): LedgerBatch {
  const { id, account, state, columns, totals, problems, warnings, fed, tries, lease, options } = row;
  return {
    kind: 'batch',
    id,
    account,
    state,
    columns,
    totals,
    problems,
    warnings,
    fed,
    tries,
    lease,
    options,
    ...optional('reason', row.reason),
    ...optional('fileName', row.file_name),
    ...optional('retryOf', row.retry_of),
    ...optional('approvedBy', row.approved_by),
    ...optional('approvedAt', row.approved_at?.getTime()),
    ...optional('rejectedBy', row.rejected_by),
    ...optional('note', row.note),
    contentHash: row.content_hash,
    endedAs: row.ended_as ?? {},
    mark: row.settled,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    since: row.since.getTime(),
    rev: row.version,
    by: row.created_by,
    evidence: { lines: [], total: 0 },
    fields: {},
  };
}

function optional<Name extends string, Value>(name: Name, value: Value | null | undefined) {
  // TypeScript widens a computed name to string.
  return (value === null || value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: Value };
}

export interface StoredBatchRow {
  readonly n: number;
  readonly line: number;
  readonly operation: string;
  readonly request: Omit<BatchRow, 'row' | 'id' | 'own'>;
  /** Null: the file has no additional columns, or they were erased. */
  readonly cells: readonly string[] | null;
}

export function batchRow({ line, operation, request, cells }: StoredBatchRow): BatchRow {
  return { row: line, id: operation, ...request, ...(cells && cells.length > 0 ? { own: cells } : {}) };
}

export interface StoredRowNow extends StoredBatchRow {
  readonly state: string;
  readonly reason: string | null;
  /** Its payment was accepted, in this batch or earlier. */
  readonly found: boolean;
  readonly found_in: string | null;
  readonly provider_id: string | null;
  readonly token: string | null;
  readonly transaction_id: string | null;
  readonly provider_ref: string | null;
}

export function rowNow(stored: StoredRowNow): RowNow {
  const { state, found, found_in: foundIn } = stored;
  const row = batchRow(stored);
  if (!found) return { row, state, ...optional('reason', stored.reason) };
  const reason =
    state === ELSEWHERE ? `accepted_before: ${foundIn === null ? 'by itself' : `in ${foundIn}`}` : stored.reason;
  return { row, state, ...optional('reason', reason), fields: fieldsOf(stored) };
}

function fieldsOf(stored: StoredRowNow): Readonly<Record<string, string>> {
  const { state, reason, found_in: batch, provider_id: disburseId, token } = stored;
  const all = { state, reason, batch, disburseId, token, ...providerNames(stored) };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

const providerNames = ({ transaction_id: transactionId, provider_ref: providerRef }: StoredRowNow) => ({
  transactionId,
  providerRef,
});

/** Final, or in review: the batch no longer waits for such a row. */
export const SETTLED: readonly string[] = [
  'needs_review',
  ELSEWHERE,
  ...statesOf('disbursement').filter((state) => isFinal('disbursement', state)),
];

/** The fingerprint as the ledger compares it. */
export const fingerprintBytes = (text: string): Buffer => Buffer.from(text);

/** What became of each row of a batch, with the names that both sides have for it. */
import type { Sum } from '../../kinds/batch.ts';
import type { BatchRecord } from '../../operations/record.ts';
import { csvCell } from '../../lib/csv-cell.ts';
import { Sums } from '../../operations/batch-record.ts';
import { type Batches, type RowNow, WAITING } from '../../operations/batches.ts';

export interface ReportLine {
  readonly row: number;
  readonly reference: string;
  /** null while no disbursement was accepted for the row, or when acceptance refused it. */
  readonly id: string | null;
  readonly state: string;
  readonly reason: string | null;
  /** Whole XOF. */
  readonly amount: number;
  readonly accountAlias: string;
  readonly withdrawMode: string;
  readonly disburseId: string | null;
  readonly token: string | null;
  readonly transactionId: string | null;
  readonly providerRef: string | null;
}

const TOLD = ['disburseId', 'token', 'transactionId', 'providerRef'] as const;

function reportLine({ row, state, reason, fields }: RowNow): ReportLine {
  const { reference, amount, accountAlias, withdrawMode } = row;
  const told = Object.fromEntries(TOLD.map((name) => [name, fields?.[name] ?? null])) as Pick<
    ReportLine,
    (typeof TOLD)[number]
  >;
  return {
    row: row.row,
    reference,
    id: fields ? row.id : null,
    state,
    reason: reason ?? null,
    amount,
    accountAlias,
    withdrawMode,
    ...told,
  };
}

/** Nobody waits any more once the batch was dropped. */
function stateOfWaiting({ state }: BatchRecord): string {
  return state === 'cancelled' || state === 'expired' ? state : WAITING;
}

/** Page by page, in the order of the file. */
export async function* reportPages(record: BatchRecord, batches: Batches): AsyncGenerator<ReportLine[]> {
  const whole = { from: 0, to: record.state === 'invalid' ? 0 : record.totals.count, fields: TOLD };
  for await (const page of batches.rowsNow(record, whole)) {
    yield page.map((now) => reportLine(now.state === WAITING ? { ...now, state: stateOfWaiting(record) } : now));
  }
}

/** How many rows stand in each state, and for how many XOF: they sum to the totals of the batch. */
export async function progressOf(record: BatchRecord, batches: Batches): Promise<Record<string, Sum>> {
  const sums = new Sums();
  // Before the approval no row has begun anything, whatever else stands under its reference.
  if (!['running', 'finished', 'needs_review'].includes(record.state)) return sums.read();
  for await (const page of batches.rowsNow(record, { from: 0, to: record.totals.count })) {
    for (const { row, state } of page) sums.add(state, row.amount);
  }
  return sums.read();
}

const COLUMNS = [
  'row',
  'reference',
  'id',
  'state',
  'reason',
  'amount',
  'accountAlias',
  'withdrawMode',
  ...TOLD,
] as const satisfies readonly (keyof ReportLine)[];

/** Tells a spreadsheet that this is UTF-8. */
export const REPORT_CSV_HEAD = `\ufeff${COLUMNS.join(';')}\r\n`;

export function reportCsvLine(line: ReportLine): string {
  return `${COLUMNS.map((name) => csvCell(line[name] ?? '')).join(';')}\r\n`;
}

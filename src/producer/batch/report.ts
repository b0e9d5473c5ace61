/** The result of each row of a batch, with both sides' names. */
import type { FindingText, Sum } from '../../kinds/batch.ts';
import type { BatchRecord } from '../../operations/record.ts';
import { csvCell } from '../../files/csv.ts';
import { WAITING } from '../../kinds/batch-outcome.ts';
import { type BatchRow, type RowNow, Sums } from '../../kinds/batch-rows.ts';
import type { Batches } from '../../ledger/batches.ts';
import { reportColumns, reportedOfPayment, reportedOfRow } from '../../kinds/disbursement-fields.ts';
import type { Rows } from './rows.ts';
import type { Public } from '../../lib/public.ts';

/** `id` is null if no disbursement was accepted for the row, or if acceptance refused it. */
export interface ReportLine extends ReportedOfRow, ReportedOfPayment {
  readonly row: number;
  readonly reference: string;
  readonly id: string | null;
  readonly state: string;
  readonly reason: string | null;
  /** Additional cells of its row. */
  readonly own?: Readonly<Record<string, string>>;
}
type ReportedOfRow = Pick<BatchRow, (typeof reportedOfRow)[number]>;
type ReportedOfPayment = { readonly [Name in (typeof reportedOfPayment)[number]]: string | null };

function reportLine({ row, state, reason, fields }: RowNow, columns: readonly string[]): ReportLine {
  const asked = Object.fromEntries(reportedOfRow.map((name) => [name, row[name]])) as ReportedOfRow;
  const told = Object.fromEntries(
    reportedOfPayment.map((name) => [name, fields?.[name] ?? null]),
  ) as ReportedOfPayment;
  const { reference } = row;
  const own = Object.fromEntries((row.own ?? []).map((cell, at) => [columns[at] ?? '', cell]));
  return {
    row: row.row,
    reference,
    id: fields ? row.id : null,
    state,
    reason: reason ?? null,
    ...asked,
    ...told,
    ...(row.own && { own }),
  };
}

/** Rows of a cancelled batch no longer wait. */
function stateOfWaiting({ state }: BatchRecord): string {
  return state === 'cancelled' || state === 'expired' ? state : WAITING;
}

/** Page by page, in the order of the file. */
export async function* reportPages(record: BatchRecord, batches: Public<Batches>): AsyncGenerator<ReportLine[]> {
  const whole = { from: 0, to: record.state === 'invalid' ? 0 : record.totals.count, fields: reportedOfPayment };
  for await (const page of batches.rowsNow(record, whole)) {
    yield page.map((now) =>
      reportLine(now.state === WAITING ? { ...now, state: stateOfWaiting(record) } : now, record.columns),
    );
  }
}

/**
 * Count and XOF of the rows by state: the sums equal the totals of the batch. Before the approval no row has begun,
 * even if its reference exists elsewhere; in a batch that was cancelled later some rows may have.
 */
export async function progressOf(record: BatchRecord, batches: Public<Batches>): Promise<Record<string, Sum>> {
  const sums = new Sums();
  const { state: stands, approvedBy, totals } = record;
  const isApproved = ['running', 'finished', 'needs_review'].includes(stands) || approvedBy !== undefined;
  if (!isApproved) return sums.read();
  for await (const page of batches.rowsNow(record, { from: 0, to: totals.count })) {
    for (const { row, state } of page) sums.add(state === WAITING ? stateOfWaiting(record) : state, row.amount);
  }
  return sums.read();
}

/** The byte order mark declares UTF-8 to a spreadsheet. */
export function reportCsvHead(columns: readonly string[]): string {
  return `\ufeff${[...reportColumns, ...columns.map(csvCell)].join(';')}\r\n`;
}

export function reportCsvLine(line: ReportLine, columns: readonly string[]): string {
  const ours = reportColumns.map((name) => csvCell(line[name] ?? ''));
  return `${[...ours, ...columns.map((name) => csvCell(line.own?.[name] ?? ''))].join(';')}\r\n`;
}

/** Every invalid row, in the columns of the file; undefined if the file has none. */
export function problemsCsv({ columns, cells }: Rows, findings: readonly FindingText[]): string | undefined {
  if (!columns || !cells) return undefined;
  const ofRow = new Map<number | null, FindingText[]>();
  for (const finding of findings) ofRow.set(finding.row, [...(ofRow.get(finding.row) ?? []), finding]);
  const lines = [...ofRow].map(([row, found]) => {
    const own = columns.map((_, at) => (row === null ? '' : (cells.get(row)?.[at] ?? '')));
    const why = found.map(({ column, reason }) => [column, reason].filter((part) => part !== null).join(' '));
    return [...own, row ?? '', why.join('; ')].map(csvCell).join(';');
  });
  return `\ufeff${[[...columns, 'row', 'problem'].map(csvCell).join(';'), ...lines].join('\r\n')}\r\n`;
}

/** Open operations of a restored ledger that may have left: they need review, or the provider is asked. */
import { type Kind, queueOf, restoringOf, statesOf } from '../kinds/index.ts';
import type { Restoring } from '../kinds/kind.ts';
import { type RecordAt, isUnreadable } from '../operations/record.ts';
import { type EventDraft, eventOf } from '../operations/transition.ts';
import type { Run } from './pool.ts';
import { RESTORED } from './recovery-report.ts';
import { type LedgerKind, type OperationRow, readRow } from './records.ts';

export interface Patience {
  /** From the deadline of an intent until `created` proves that nothing was sent, ms. */
  readonly quietMs: number;
  /** Until the provider's statistics show sent SMS, ms. */
  readonly settleMs: number;
}

export interface Open {
  readonly kind: LedgerKind;
  readonly state: string;
}

export function openOf(of: readonly LedgerKind[], as: readonly Restoring[]): readonly Open[] {
  return of.flatMap((kind) =>
    statesOf(kind).flatMap((state) => (as.some((one) => one === restoringOf(kind, state)) ? [{ kind, state }] : [])),
  );
}

export interface Led {
  readonly count: number;
  /** Operations that this version cannot read: no event reports them. */
  readonly unreadable: readonly string[];
}

/** The next operations in these states, `most` of them; `only`: among these. */
export async function leadOn(
  run: Run,
  { open, most, only }: { readonly open: readonly Open[]; readonly most: number; readonly only?: readonly string[] },
  patience: Patience,
): Promise<Led> {
  const rows = await run<OperationRow>('restorable', [
    open.map(({ kind }) => kind),
    open.map(({ state }) => state),
    most,
    only ?? null,
  ]);
  const endings = rows.map((row) => endingOf(row, patience));
  await run('restore_operations', [
    endings.map(({ id }) => id),
    endings.map(({ state }) => state),
    endings.map(({ queue }) => queue),
    endings.map(({ dueMs }) => dueMs),
    endings.map(({ quietMs }) => quietMs),
    endings.map(({ event }) => (event ? JSON.stringify(event) : null)),
    null,
  ]);
  return { count: rows.length, unreadable: endings.filter(({ event }) => event === undefined).map(({ id }) => id) };
}

function endingOf(row: OperationRow, { quietMs, settleMs }: Patience) {
  const isMessage = row.kind === 'message';
  const state = isMessage ? 'unknown' : 'needs_review';
  const canBeAsked = isMessage || (row.token !== null && queueOf(row.kind as Kind, state) !== undefined);
  return {
    id: row.id,
    state,
    queue: canBeAsked ? 'status-poll' : null,
    dueMs: isMessage ? settleMs : 0,
    quietMs: row.token === null ? null : quietMs,
    event: isMessage ? null : eventOfRestored(row, 'needs_review'),
  };
}

/** Undefined: this version cannot read the row, so no event reports it. */
export function eventOfRestored(row: OperationRow, to: 'needs_review' | 'cancelled'): EventDraft | undefined {
  const record = readRow(row.kind as LedgerKind, row);
  if (isUnreadable(record)) return undefined;
  return eventOf(record as RecordAt<'disbursement'>, to, { reason: RESTORED });
}

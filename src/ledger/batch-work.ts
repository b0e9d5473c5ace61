/**
 * Attempts of workers at payment batches.
 *
 *   accept the next rows ──▶ check the accepted ones ──▶ … ──▶ every row is settled ──▶ `finished`
 *
 * Each row becomes a payment named after its reference. A repeated attempt therefore finds its earlier payments
 * instead of accepting them again. Payments do not notify their batch, which would become a hot row; a worker polls
 * the batch instead. The statement that finishes the batch also writes the event, so at most one attempt writes it.
 */
import { WAITING } from '../kinds/batch-outcome.ts';
import { type Clock, toMs } from '../lib/clock.ts';
import type { BatchRow } from '../kinds/batch-rows.ts';
import { batch as declaration } from '../queues/index.ts';
import {
  type LedgerBatch,
  SETTLED,
  type StoredBatch,
  type StoredRowNow,
  batchRecord,
  batchRow,
} from './batch-record.ts';
import type { Batches } from './batches.ts';
import { LedgerClosed } from './errors.ts';
import type { Database } from './pool.ts';
import type { Message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';

export type RowAnswer =
  | { readonly outcome: 'accepted' | 'duplicate' }
  | { readonly outcome: 'conflict'; readonly existingId: string; readonly differs: readonly string[] }
  | {
      readonly outcome: 'invalid';
      readonly problems: readonly { readonly pointer: string; readonly message: Message }[];
    };

export interface BatchWorkOptions {
  readonly database: Database;
  readonly batches: Batches;
  readonly accept: (row: BatchRow, batch: LedgerBatch) => Promise<RowAnswer>;
  /** Whether this process has the keys of the account. */
  readonly hasAccount: (account: string) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly leaseMs: number;
  /** The delay before a batch that cannot continue is checked again. */
  readonly recheckMs: number;
  /** For tests: the time of each statement. */
  readonly now?: () => Date;
}

/** The result of an attempt for metrics and logs. */
export interface BatchAttempt {
  readonly outcome: 'advanced' | 'ended' | 'waits' | 'idle' | 'lost';
  readonly reason: string;
}

const CHECKS_MS = declaration.retryAfter.map(toMs);
const APPROVE_WITHIN_MS = 86_400_000;
/** Rows accepted in one attempt, which must end well within its lease. */
const ROWS_PER_ATTEMPT = 200;
/** Maximum rows of one batch that wait for their first submit: ten thousand would block all other payments. */
const UNBEGUN_MAX = 500;
const UNBEGUN: readonly string[] = [WAITING, 'queued', 'held', 'created', 'submitting'];
const REASON_MAX = 300;

interface Placed {
  readonly place: number;
  readonly row: BatchRow;
}

interface Check {
  readonly finished: boolean;
  readonly settled: number;
}

type Progress = Pick<LedgerBatch, 'fed' | 'mark' | 'tries'>;
type Leased = LedgerBatch & { readonly lease: string };

export class BatchWork {
  readonly #options: BatchWorkOptions;

  constructor(options: BatchWorkOptions) {
    this.#options = options;
  }

  /** Leases due batches, and returns their ids for `attempt`. */
  async take(most: number): Promise<readonly Leased[]> {
    return this.#claim(null, most);
  }

  /** One attempt at the batch of this id, if it is due and not leased. */
  async attempt(id: string): Promise<BatchAttempt> {
    const [leased] = await this.#claim([id], 1);
    return leased ? this.attemptLeased(leased) : { outcome: 'idle', reason: 'not due, or leased' };
  }

  async attemptLeased(batch: Leased): Promise<BatchAttempt> {
    try {
      return await (batch.state === 'running' ? this.#continue(batch) : this.#expire(batch));
    } catch (error) {
      if (error instanceof LedgerClosed) return this.#wait(batch, this.#options.recheckMs, error.reason);
      throw error;
    }
  }

  async #claim(ids: readonly string[] | null, most: number): Promise<readonly Leased[]> {
    const { database, leaseMs } = this.#options;
    const claimed = await database.run<{ id: string }>('claim_batches', [ids, most, leaseMs, this.#at]);
    if (claimed.length === 0) return [];
    const rows = await database.run<StoredBatch>('read_batches', [claimed.map(({ id }) => id)]);
    return rows.map(batchRecord).filter((one): one is Leased => one.lease !== null);
  }

  async #expire(batch: Leased): Promise<BatchAttempt> {
    const leftMs = batch.since + APPROVE_WITHIN_MS - (this.#at?.getTime() ?? this.#options.clock.now());
    if (leftMs > 0) return this.#wait(batch, leftMs, batch.state);
    const expired = await this.#options.database.run('expire_batch', [batch.id, batch.lease, this.#at]);
    return expired.length > 0 ? { outcome: 'ended', reason: 'expired' } : LOST;
  }

  async #continue(batch: Leased): Promise<BatchAttempt> {
    const { database, batches, hasAccount, recheckMs } = this.#options;
    const { id, fed, totals, account } = batch;
    let settled = batch.mark;
    if (fed === totals.count) {
      const [check] = await database.run<Check>('finish_batch', [id, SETTLED, this.#at]);
      if (check === undefined) return LOST;
      if (check.finished) return { outcome: 'ended', reason: 'finished' };
      settled = check.settled;
    }
    const { unbegun, missing } = await this.#unbegun(batch);
    const room = Math.max(0, Math.min(ROWS_PER_ATTEMPT, UNBEGUN_MAX - unbegun));
    const next = fed < totals.count && room > 0 ? await batches.rows(id, fed, room) : [];
    const placed = [...missing, ...next.map((row, at) => ({ place: fed + at, row }))];
    // Acceptance would refuse each row permanently; a worker that has the keys can take the batch next.
    if (placed.length > 0 && !hasAccount(account)) return this.#wait(batch, recheckMs, 'account_not_configured');
    await this.#acceptRows(placed, batch);
    return this.#progress(batch, next.length, settled);
  }

  /** Rows that wait for their first submit, and rows whose acceptance gave no answer. */
  async #unbegun({ id, fed }: Leased): Promise<{ readonly unbegun: number; readonly missing: readonly Placed[] }> {
    if (fed === 0) return { unbegun: 0, missing: [] };
    const ranks = UNBEGUN.map(() => 0);
    const most = UNBEGUN_MAX + ROWS_PER_ATTEMPT;
    const rows = await this.#options.database.run<StoredRowNow>('batch_rows_page', [id, UNBEGUN, ranks, -1, 0, most]);
    const begun = rows.filter(({ n }) => n < fed);
    const missing = begun.filter(({ state }) => state === WAITING).slice(0, ROWS_PER_ATTEMPT);
    return { unbegun: begun.length, missing: missing.map((row) => ({ place: row.n, row: batchRow(row) })) };
  }

  /** A refusal is committed before the batch continues, and is permanent. */
  async #acceptRows(placed: readonly Placed[], batch: LedgerBatch): Promise<void> {
    if (placed.length === 0) return;
    const { batches, accept } = this.#options;
    // Another attempt may have refused some rows if this process paused until its lease ended.
    const refused = await batches.areRefused(
      batch.id,
      placed.map(({ place }) => place),
    );
    const open = placed.filter((_, at) => !refused[at]);
    const answers = await Promise.allSettled(open.map(({ row }) => accept(row, batch)));
    const reasons = answers.flatMap((answer, at): [string, string][] => {
      const reason = answer.status === 'fulfilled' ? reasonOf(answer.value) : undefined;
      return reason === undefined ? [] : [[String(open[at]?.place), reason]];
    });
    await batches.refuse(batch.id, Object.fromEntries(reasons));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #progress(batch: Leased, accepted: number, settled: number): Promise<BatchAttempt> {
    const fed = batch.fed + accepted;
    const isMoved = accepted > 0 || settled > batch.mark;
    // A full attempt stopped at its own limit, not because rows wait.
    const isAtOnce = accepted === ROWS_PER_ATTEMPT && fed < batch.totals.count;
    const checkMs = CHECKS_MS[isMoved ? 0 : Math.min(batch.tries, CHECKS_MS.length - 1)] ?? 0;
    const tries = isMoved ? 0 : batch.tries + 1;
    if (!(await this.#release(batch, isAtOnce ? 0 : checkMs, { fed, mark: settled, tries }))) return LOST;
    return accepted > 0
      ? { outcome: 'advanced', reason: 'handed_out' }
      : { outcome: 'waits', reason: 'rows_under_way' };
  }

  async #wait(batch: Leased, dueMs: number, reason: string): Promise<BatchAttempt> {
    return (await this.#release(batch, dueMs, batch)) ? { outcome: 'waits', reason } : LOST;
  }

  async #release({ id, lease }: Leased, dueMs: number, { fed, mark, tries }: Progress): Promise<boolean> {
    const values = [id, lease, dueMs, fed, mark, tries, this.#at];
    return (await this.#options.database.run('continue_batch', values)).length > 0;
  }

  get #at(): Date | null {
    return this.#options.now?.() ?? null;
  }
}

const LOST: BatchAttempt = { outcome: 'lost', reason: 'not yours' };

function reasonOf(answer: RowAnswer): string | undefined {
  if (answer.outcome === 'conflict') {
    const { existingId, differs } = answer;
    const other = differs.length === 0 ? '' : `; not the same: ${differs.join(', ')}`;
    return `not_accepted: the reference stands for ${existingId} already${other}`;
  }
  if (answer.outcome !== 'invalid') return undefined;
  const problems = answer.problems.map(({ pointer, message }) => `${pointer.slice(1)} ${textOf(message)}`).join('; ');
  return `not_accepted: ${problems}`.slice(0, REASON_MAX);
}

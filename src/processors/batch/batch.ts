/**
 * Takes an approved batch from its first row to its last word.
 *
 *   accept the next rows ──▶ look at those that are out ──▶ … ──▶ all ended, or need review ──▶ `finished`
 *
 * Each row becomes a disbursement named after its reference, so an attempt that died half-way is simply made again:
 * what was accepted is found, not accepted twice. The watermark never goes back, and nothing before it is read again.
 */
import { notTheSame } from '../../operations/differing.ts';
import { toMs } from '../../lib/clock.ts';
import type { BatchRow } from '../../operations/batch-rows.ts';
import { APPROVE_WITHIN_MS, Sums, type Batches, isSettled } from '../../operations/batches.ts';
import { WAITING } from '../../kinds/batch-outcome.ts';
import type { BatchRecord } from '../../operations/record.ts';
import type { Leased } from '../../operations/acquiring.ts';
import type { EventDraft } from '../../operations/transition.ts';
import { batch as declaration } from '../../queues/index.ts';
import { finish } from '../intent.ts';
import { type ProcessorContext, type AttemptResult, closedFor, isRecovering, waitAt } from '../context.ts';
import type { Public } from '../../lib/public.ts';

const LOOK_MS = declaration.retryAfter.map(toMs);

/** Rows accepted in one attempt: it must be over well within its lease. */
const ROWS_PER_ATTEMPT = 200;
const ACCEPTED_TOGETHER = 20;
/** Rows of one batch that wait for their first submit at a time, so that others are not behind ten thousand. */
const UNBEGUN_MAX = 500;
const UNBEGUN: readonly string[] = [WAITING, 'queued', 'held', 'created', 'submitting'];

/** The shape of what acceptance answers; handed in, since both stand on the same row. */
type RowAnswer =
  | { readonly outcome: 'accepted' | 'duplicate' }
  | { readonly outcome: 'conflict'; readonly existingId: string; readonly differs: readonly string[] }
  | { readonly outcome: 'invalid'; readonly problems: readonly { pointer: string; message: string }[] };

export interface BatchTools {
  readonly batches: Public<Batches>;
  readonly accept: (row: BatchRow, batch: BatchRecord) => Promise<RowAnswer>;
}

interface Placed {
  readonly place: number;
  readonly row: BatchRow;
}

interface Look {
  readonly mark: number;
  readonly unbegun: number;
  /** Handed out, and yet without a record. */
  readonly missing: readonly Placed[];
}

export function batchProcessor(tools: BatchTools) {
  return async (id: string, context: ProcessorContext): Promise<AttemptResult> => {
    const acquired = await context.operations.acquire('batch', id, 'batch', context.policy.leaseMs);
    if (acquired.is !== 'acquired') return { outcome: 'idle', reason: acquired.is };
    if (acquired.record.state === 'awaiting_approval') return expire(acquired, context);
    return continueBatch(acquired, tools, context);
  };
}

function wait(
  held: Leased<'batch'>,
  dueInMs: number,
  because: string,
  context: ProcessorContext,
): Promise<AttemptResult> {
  return finish(held, context, { to: held.record.state, dueInMs, outcome: 'waits', reason: because });
}

function expire(held: Leased<'batch'>, context: ProcessorContext): Promise<AttemptResult> {
  const { record, at } = held;
  const leftMs = record.since + APPROVE_WITHIN_MS - at;
  if (leftMs > 0) {
    return wait(held, leftMs, 'awaiting_approval', context);
  }
  if (isRecovering(context)) return wait(held, context.policy.holdRecheckMs, 'recovering', context);
  // Nor does a copy know of an approval since.
  return finish(held, context, { to: 'expired', hasEffect: true, outcome: 'ended', reason: 'expired' });
}

async function continueBatch(
  held: Leased<'batch'>,
  tools: BatchTools,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = held;
  const closed = closedFor(context);
  if (closed) {
    return wait(held, context.policy.holdRecheckMs, closed, context);
  }
  const look = await lookAtRows(record, tools.batches);
  if (look.mark === record.totals.count) return end(held, tools, context);

  const room = Math.min(ROWS_PER_ATTEMPT, UNBEGUN_MAX - look.unbegun);
  const next = room > 0 ? await tools.batches.rows(record.id, record.fed, room) : [];
  const placed = [...look.missing, ...next.map((row, offset) => ({ place: record.fed + offset, row }))];
  if (placed.length > 0 && context.account(record.account) === undefined) {
    // Acceptance would refuse each row for good; a worker that has the keys may come by.
    return wait(held, context.policy.holdRecheckMs, 'account_not_configured', context);
  }
  await acceptRows(placed, record, tools);
  return settleProgress(held, { mark: look.mark, fed: record.fed + next.length }, context);
}

/**
 * While rows are still to be handed out, all that are out are counted; afterwards only the first that has not ended
 * matters.
 */
async function lookAtRows(record: BatchRecord, batches: Public<Batches>): Promise<Look> {
  let { mark } = record;
  let unbegun = 0;
  const missing: Placed[] = [];
  let place = mark;
  const allOut = record.fed === record.totals.count;
  for await (const page of batches.rowsNow(record, { from: mark, to: record.fed })) {
    for (const { row, state } of page) {
      if (mark === place && isSettled(state)) mark += 1;
      if (UNBEGUN.includes(state)) unbegun += 1;
      if (state === WAITING) missing.push({ place, row });
      place += 1;
    }
    if (allOut && mark < place) break;
  }
  return { mark, unbegun, missing: missing.slice(0, ROWS_PER_ATTEMPT) };
}

/**
 * A row that is refused is written down before the batch goes on, and stays refused whatever changes later. What
 * another attempt has refused meanwhile counts too: this one may have stood still until its lease was over.
 */
async function acceptRows(placed: readonly Placed[], record: BatchRecord, tools: BatchTools): Promise<void> {
  for (let from = 0; from < placed.length; from += ACCEPTED_TOGETHER) {
    const next = placed.slice(from, from + ACCEPTED_TOGETHER);
    const refused = await tools.batches.areRefused(
      record.id,
      next.map(({ place }) => place),
    );
    const together = next.filter((_, at) => !refused[at]);
    const answers = await Promise.all(together.map(({ row }) => tools.accept(row, record)));
    const reasons = together.flatMap(({ place }, index) => {
      const reason = reasonOf(answers[index]);
      return reason === undefined ? [] : [[place, reason] as const];
    });
    await tools.batches.refuse(record.id, Object.fromEntries(reasons));
  }
}

const REASON_MAX = 300;

function reasonOf(answer: RowAnswer | undefined): string | undefined {
  if (answer?.outcome === 'conflict') {
    return `not_accepted: the reference stands for ${answer.existingId} already${notTheSame(answer.differs)}`;
  }
  if (answer?.outcome !== 'invalid') return undefined;
  const told = answer.problems.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ');
  return `not_accepted: ${told}`.slice(0, REASON_MAX);
}

async function settleProgress(
  held: Leased<'batch'>,
  { mark, fed }: { mark: number; fed: number },
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = held;
  const handedOut = fed - record.fed;
  const moved = handedOut > 0 || mark > record.mark;
  // A full attempt was cut short by its own bound, not by the rows that are out.
  const atOnce = handedOut === ROWS_PER_ATTEMPT && fed < record.totals.count;
  const result = await finish(held, context, {
    to: record.state,
    dueInMs: atOnce ? 0 : waitAt(LOOK_MS, moved ? 0 : record.tries),
    set: { mark, fed, tries: moved ? 0 : record.tries + 1 },
    outcome: handedOut > 0 ? 'advanced' : 'waits',
    reason: handedOut > 0 ? 'handed_out' : 'rows_under_way',
  });
  if (atOnce && result.outcome !== 'lost') context.wake('batch', record.id, record.rev + 1);
  return result;
}

/** What callers are told about a batch that a person must look at. */
export function batchEvent({ id, contentHash, by, approvedBy, totals }: BatchRecord, reason: string): EventDraft {
  const { count, xof } = totals;
  const data = { id, state: 'needs_review', contentHash, by, approvedBy, totals: { count, xof }, reason };
  return { type: 'batch.needs_review', data };
}

async function end(
  held: Leased<'batch'>,
  { batches }: BatchTools,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = held;
  const sums = new Sums();
  for await (const page of batches.rowsNow(record, { from: 0, to: record.totals.count })) {
    for (const { row, state } of page) sums.add(state, row.amount);
  }
  const states = sums.read();
  const { id, contentHash, by, approvedBy, totals } = record;
  const { count, xof } = totals;
  return finish(held, context, {
    to: 'finished',
    set: { mark: count, endedAs: JSON.stringify(states) },
    event: {
      type: 'batch.finished',
      data: { id, state: 'finished', contentHash, by, approvedBy, totals: { count, xof }, states },
    },
    outcome: 'ended',
    reason: 'finished',
  });
}

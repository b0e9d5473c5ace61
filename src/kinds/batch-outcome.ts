/** Rows of a batch by payment outcome, whatever their states are called. */
import { type BatchOutcome, batchOutcomes, type Sum } from './batch.ts';
import { isFinal, isState, type StateOf } from './index.ts';

/** A row whose disbursement is not accepted yet; used like a state. */
export const WAITING = 'waiting';

/** A row whose disbursement was accepted alone or in another batch: it is counted there. */
export const ELSEWHERE = 'elsewhere';

/** Order for display: paid, not paid, unknown. */
export const toldInOrder: readonly BatchOutcome[] = ['paid', 'notPaid', 'uncertain', 'open', 'elsewhere'];

const UNCERTAIN: readonly string[] = ['unknown', 'needs_review'] satisfies StateOf<'disbursement'>[];

/** `state`: of a row's disbursement, or of a row without one. */
export function outcomeOf(state: string): BatchOutcome {
  if (state === ELSEWHERE) return 'elsewhere';
  if (state === WAITING) return 'open';
  // The whole batch was not approved in time.
  if (state === 'expired' || isState('disbursement', state, 'without effect')) return 'notPaid';
  if (UNCERTAIN.includes(state)) return 'uncertain';
  return isFinal('disbursement', state) ? 'paid' : 'open';
}

/** Each state belongs to exactly one outcome, so the sums are equal. */
export function outcomesOf(states: Readonly<Record<string, Sum>>): Readonly<Record<BatchOutcome, Sum>> {
  const sums = Object.fromEntries(batchOutcomes.map((outcome) => [outcome, { count: 0, xof: 0 }])) as Record<
    BatchOutcome,
    { count: number; xof: number }
  >;
  for (const [state, { count, xof }] of Object.entries(states)) {
    const sum = sums[outcomeOf(state)];
    sum.count += count;
    sum.xof += xof;
  }
  return sums;
}

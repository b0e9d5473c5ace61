/** The rows of a batch by what became of the money: what a person asks first, whatever the states are called. */
import { type BatchOutcome, batchOutcomes, type Sum } from './batch.ts';
import { isFinal, isState, type StateOf } from './index.ts';

/** A row whose disbursement has not been accepted yet, in the places of states of disbursements. */
export const WAITING = 'waiting';

/** A row whose disbursement was accepted before, by itself or in another batch: it is counted there and not here. */
export const ELSEWHERE = 'elsewhere';

/** As people ask: who has the money, who has not, and of whom it is not known. */
export const toldInOrder: readonly BatchOutcome[] = ['paid', 'notPaid', 'uncertain', 'open', 'elsewhere'];

const UNCERTAIN: readonly string[] = ['unknown', 'needs_review'] satisfies StateOf<'disbursement'>[];

/** `state`: of the disbursement of a row, or of a row without one. */
export function outcomeOf(state: string): BatchOutcome {
  if (state === ELSEWHERE) return 'elsewhere';
  if (state === WAITING) return 'open';
  // The whole batch was not approved in time.
  if (state === 'expired' || isState('disbursement', state, 'without effect')) return 'notPaid';
  if (UNCERTAIN.includes(state)) return 'uncertain';
  return isFinal('disbursement', state) ? 'paid' : 'open';
}

/** The outcomes add up to the states, each of which is in exactly one. */
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

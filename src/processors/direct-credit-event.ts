import type { DirectCreditRecord } from '../operations/payment-records.ts';
import type { EventDraft } from '../operations/settle.ts';

type Announced = 'succeeded' | 'rejected' | 'failed' | 'needs_review';

/** What callers are told about a direct credit. Whom it credits is theirs to know, by its reference. */
export function directCreditEvent(
  record: DirectCreditRecord,
  state: Announced,
  more: Readonly<Record<string, unknown>> = {},
): EventDraft {
  const { id, reference, amount, transactionId } = record;
  return { type: `direct_credit.${state}`, data: { id, state, reference, amount, transactionId, ...more } };
}

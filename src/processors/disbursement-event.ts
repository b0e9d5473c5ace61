import type { DisbursementRecord } from '../operations/record.ts';
import type { EventDraft } from '../operations/settle.ts';

type Announced = 'succeeded' | 'failed' | 'rejected' | 'cancelled' | 'needs_review' | 'held';

/** What callers are told about a disbursement. No telephone number: a caller knows whom it paid by its reference. */
export function disbursementEvent(
  record: DisbursementRecord,
  state: Announced,
  more: Readonly<Record<string, unknown>> = {},
): EventDraft {
  const { id, reference, amount, withdrawMode, disburseId, transactionId, providerRef } = record;
  const data = { id, state, reference, amount, withdrawMode, disburseId, transactionId, providerRef, ...more };
  return { type: `disbursement.${state}`, data };
}

import type { PaymentRequestRecord } from '../operations/payment-records.ts';
import type { EventDraft } from '../operations/settle.ts';

/** `untracked`: it was sent and can never be looked at, so this is the last that is heard of it. */
type Announced = 'completed' | 'failed' | 'needs_review' | 'untracked';

/** What callers are told about a payment request. */
export function paymentRequestEvent(
  record: PaymentRequestRecord,
  state: Announced,
  more: Readonly<Record<string, unknown>> = {},
): EventDraft {
  const { id, reference, askedAmount, referenceNumber } = record;
  const data = {
    id,
    state: state === 'untracked' ? 'pending' : state,
    reference,
    amount: askedAmount,
    referenceNumber,
  };
  return { type: `payment_request.${state}`, data: { ...data, ...more } };
}

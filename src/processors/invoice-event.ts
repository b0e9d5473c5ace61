import type { InvoiceRecord } from '../operations/payment-records.ts';
import type { EventDraft } from '../operations/settle.ts';

type Announced = 'completed' | 'cancelled' | 'failed' | 'needs_review';

/** What callers are told about an invoice. Who paid it is theirs to know: nothing here names a person. */
export function invoiceEvent(
  record: InvoiceRecord,
  state: Announced,
  more: Readonly<Record<string, unknown>> = {},
): EventDraft {
  const { id, reference, totalAmount, token } = record;
  return { type: `invoice.${state}`, data: { id, state, reference, totalAmount, token, ...more } };
}

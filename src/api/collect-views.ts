/** Invoices and payment requests for callers. */
import type { RecordOf } from '../operations/record.ts';
import { viewOf } from './views.ts';

export function invoiceView(record: RecordOf['invoice']) {
  const paid = record.amountPaid ?? (record.state === 'completed' ? record.totalAmount : null);
  return viewOf<'invoice'>(record, { amountPaid: paid });
}

export function paymentRequestView(record: RecordOf['payment_request']) {
  // False: the provider sent it itself and returned no number, so its status can never be checked.
  const tracked = record.publishedAt === undefined || record.referenceNumber !== undefined;
  return viewOf<'payment_request'>(record, { tracked });
}

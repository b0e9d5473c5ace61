/** Invoices and payment requests as callers see them. */
import type { RecordOf } from '../operations/record.ts';
import { viewOf } from './views.ts';

export function invoiceView(record: RecordOf['invoice']) {
  const paid = record.amountPaid ?? (record.state === 'completed' ? record.totalAmount : null);
  return viewOf<'invoice'>(record, { amountPaid: paid });
}

export function paymentRequestView(record: RecordOf['payment_request']) {
  // False: sent by the service itself and answered without a number, so nobody can ask how it ends.
  const tracked = record.publishedAt === undefined || record.referenceNumber !== undefined;
  return viewOf<'payment_request'>(record, { tracked });
}

/** Invoices, payment requests and direct credits as callers see them. */
import { readEvidence } from '../operations/evidence.ts';
import type { DirectCreditRecord, InvoiceRecord, PaymentRequestRecord } from '../operations/payment-records.ts';
import type { RecordBase } from '../operations/record.ts';
import { decisionsIn } from './views.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

export function invoiceView(record: InvoiceRecord) {
  return {
    id: record.id,
    state: record.state,
    token: record.token ?? null,
    url: record.url ?? null,
    totalAmount: record.totalAmount,
    amountPaid: record.amountPaid ?? (record.state === 'completed' ? record.totalAmount : null),
    receiptUrl: record.receiptUrl ?? null,
    reason: record.reason ?? null,
    failure: record.failure ?? null,
    ...storyOf(record),
  };
}

export function paymentRequestView(record: PaymentRequestRecord) {
  return {
    id: record.id,
    state: record.state,
    referenceNumber: record.referenceNumber ?? null,
    url: record.url ?? null,
    amount: record.askedAmount,
    feesPaidBy: record.feesPaidBy,
    notify: record.notify,
    // False: sent by the service itself and answered without a number, so nobody can ask how it ends.
    tracked: record.publishedAt === undefined || record.referenceNumber !== undefined,
    reason: record.reason ?? null,
    failure: record.failure ?? null,
    ...storyOf(record),
  };
}

export function directCreditView(record: DirectCreditRecord) {
  return {
    id: record.id,
    state: record.state,
    amount: record.amount,
    accountAlias: record.accountAlias,
    transactionId: record.transactionId ?? null,
    reason: record.reason ?? null,
    failure: record.failure ?? null,
    ...storyOf(record),
  };
}

function storyOf(record: Omit<RecordBase, 'kind' | 'state'>) {
  const { lines, dropped } = readEvidence(record.fields);
  return {
    reference: record.reference ?? null,
    account: record.account,
    ...decisionsIn(record.fields),
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    history: lines.map(({ at, ...line }) => ({ at: iso(at), ...line })),
    ...(dropped > 0 ? { historyDropped: dropped } : {}),
  };
}

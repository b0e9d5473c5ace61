import { defineQueue, takenInBulk } from './define.ts';

export const invoiceConfirm = defineQueue({
  name: 'invoice-confirm',
  summary: 'Invoices: creates those that a caller asked for in vain, and asks whether they are paid.',
  ...takenInBulk,
  share: 0.5,
  // Creating is repeated: nobody has seen an invoice that was not handed out, and it ends by itself after a day.
  retryAfter: ['1s', '5s', '30s', '1m', '5m'],
  waits: 'INVOICE_POLL between looks',
  givesUpAs: '`failed` when it could not be created within an hour; `needs_review` 25 hours after its creation',
  keepSeconds: 0,
});

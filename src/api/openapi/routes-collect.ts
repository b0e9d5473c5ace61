import { paymentRequestRequest } from '../../kinds/payment-request.ts';
import { invoiceRequest } from '../../kinds/invoice-request.ts';
import { LEAST_PATIENCE_MS } from '../../upstream/payments/softpay.ts';
import { confirmationBody, softpayBody } from '../softpay-body.ts';
import { invoice, paymentRequest, softpayStarted } from './answers-collect.ts';
import { answer, json } from './pieces.ts';
import { defineRoutes } from '../route.ts';
import { askable } from './routes-askable.ts';

const WHILE_WAITING =
  'The service is asked while you wait: 502 and 504 name what was recorded, and the same request again goes on with ' +
  'it (202 while somebody else is at it).';

/** interface: Limits. The service may wait for its payer before it answers. */
const PAYER_TAKES_TIME =
  `The service may let the payer confirm before it answers, so it is given ${LEAST_PATIENCE_MS / 1_000} s or ` +
  'UPSTREAM_TIMEOUT, whichever is longer: be as patient. An answer that is unclear, or does not come, is no refusal. ' +
  'The invoice is looked at before you are told: 200 with `completed` where it was paid, else 504 or 502 with ' +
  '`retryable: false`, since the payer may still pay; the looks of INVOICE_POLL begin anew. Read the invoice, or wait ' +
  'for its event, before you ask the payer again.';

const invoices = { path: '/v1/invoices', name: 'Invoice', tag: 'Invoices', schema: invoice } as const;
const paymentRequests = {
  path: '/v1/payment-requests',
  name: 'PaymentRequest',
  tag: 'Payment requests',
  schema: paymentRequest,
} as const;

export const invoiceRoutes = defineRoutes([
  {
    method: 'post',
    path: '/v1/invoices',
    id: 'createInvoice',
    tag: 'Invoices',
    summary: 'Make an invoice with a payment page.',
    description: WHILE_WAITING,
    role: 'enqueue',
    scope: 'named',
    identity: 'required',
    durable: true,
    body: json(invoiceRequest),
    answers: {
      201: answer('Made: send the payer to `url`.', invoice),
      202: answer('Somebody is still at it: repeat the request.', invoice),
    },
    problems: ['upstream-refused', 'upstream-silent'],
  },
  ...askable({ ...invoices, outcomes: ['completed', 'cancelled', 'failed'] }),
  {
    method: 'post',
    path: '/v1/invoices/{id}/softpay',
    id: 'startSoftpay',
    tag: 'Invoices',
    summary: 'Have a pending invoice paid directly from a wallet.',
    description:
      'Each method asks for its own words; 422 names them. What the payer typed is in memory for this one request and ' +
      `is written down nowhere. ${PAYER_TAKES_TIME}`,
    role: 'enqueue',
    scope: 'record',
    body: json(softpayBody),
    answers: { 200: answer('The payer was asked.', softpayStarted) },
    problems: ['wrong-state', 'recovering', 'upstream-refused', 'upstream-silent'],
  },
  {
    method: 'post',
    path: '/v1/invoices/{id}/softpay/confirm',
    id: 'confirmSoftpay',
    tag: 'Invoices',
    summary: 'The second step of `wallet-h-senegal`.',
    description: PAYER_TAKES_TIME,
    role: 'enqueue',
    scope: 'record',
    body: json(confirmationBody),
    answers: { 200: answer('The service took the code.', softpayStarted) },
    problems: ['wrong-state', 'recovering', 'upstream-refused', 'upstream-silent'],
  },
]);

export const paymentRequestRoutes = defineRoutes([
  {
    method: 'post',
    path: '/v1/payment-requests',
    id: 'createPaymentRequest',
    tag: 'Payment requests',
    summary: 'Ask somebody to pay, by a link.',
    description: WHILE_WAITING,
    role: 'enqueue',
    scope: 'named',
    identity: 'required',
    durable: true,
    body: json(paymentRequestRequest),
    answers: {
      201: answer('Made: send the customer to `url`.', paymentRequest),
      202: answer('Somebody is still at it: repeat the request.', paymentRequest),
    },
    problems: ['upstream-refused', 'upstream-silent'],
  },
  ...askable({ ...paymentRequests, outcomes: ['completed', 'failed'] }),
]);

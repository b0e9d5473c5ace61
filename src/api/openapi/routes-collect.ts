import { invoiceRequest, paymentRequestRequest } from '../../queues/requests-collect.ts';
import { resolveBodyOf } from '../collect-resolve.ts';
import { confirmationBody, softpayBody } from '../softpay-body.ts';
import { invoice, paymentRequest, softpayStarted } from './answers-collect.ts';
import { answer, json } from './pieces.ts';
import { defineRoutes } from './route.ts';

const WHILE_WAITING =
  'The service is asked while you wait: 502 and 504 name what was recorded, and the same request again goes on with ' +
  'it (202 while somebody else is at it).';

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
  {
    method: 'get',
    path: '/v1/invoices/{id}',
    id: 'getInvoice',
    tag: 'Invoices',
    summary: 'Where one stands.',
    role: 'read',
    scope: 'record',
    answers: { 200: answer('As it is now.', invoice) },
  },
  {
    method: 'post',
    path: '/v1/invoices/{id}/confirm',
    id: 'confirmInvoice',
    tag: 'Invoices',
    summary: 'Ask the service now whether it was paid.',
    role: 'enqueue',
    scope: 'record',
    answers: { 200: answer('As the service says.', invoice) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  {
    method: 'post',
    path: '/v1/invoices/{id}/softpay',
    id: 'startSoftpay',
    tag: 'Invoices',
    summary: 'Have a pending invoice paid directly from a wallet.',
    description:
      'Each method asks for its own words; 422 names them. What the payer typed is in memory for this one request and ' +
      'is written down nowhere.',
    role: 'enqueue',
    scope: 'record',
    body: json(softpayBody),
    answers: { 200: answer('The payer was asked.', softpayStarted) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  {
    method: 'post',
    path: '/v1/invoices/{id}/softpay/confirm',
    id: 'confirmSoftpay',
    tag: 'Invoices',
    summary: 'The second step of `wallet-h-senegal`.',
    role: 'enqueue',
    scope: 'record',
    body: json(confirmationBody),
    answers: { 200: answer('The service took the code.', softpayStarted) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  {
    method: 'post',
    path: '/v1/invoices/{id}/resolve',
    id: 'resolveInvoice',
    tag: 'Invoices',
    summary: "A person's word about one that needs review.",
    description: 'The service is asked first, and its word is stronger (409).',
    role: 'approve',
    scope: 'record',
    body: json(resolveBodyOf(['completed', 'cancelled', 'failed']).meta({ id: 'InvoiceResolution' })),
    answers: { 200: answer('As it is now.', invoice) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
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
  {
    method: 'get',
    path: '/v1/payment-requests/{id}',
    id: 'getPaymentRequest',
    tag: 'Payment requests',
    summary: 'Where one stands.',
    role: 'read',
    scope: 'record',
    answers: { 200: answer('As it is now.', paymentRequest) },
  },
  {
    method: 'post',
    path: '/v1/payment-requests/{id}/confirm',
    id: 'confirmPaymentRequest',
    tag: 'Payment requests',
    summary: 'Ask the service now whether it was paid.',
    role: 'enqueue',
    scope: 'record',
    answers: { 200: answer('As the service says.', paymentRequest) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  {
    method: 'post',
    path: '/v1/payment-requests/{id}/resolve',
    id: 'resolvePaymentRequest',
    tag: 'Payment requests',
    summary: "A person's word about one that needs review.",
    description: 'The service is asked first, and its word is stronger (409).',
    role: 'approve',
    scope: 'record',
    body: json(resolveBodyOf(['completed', 'failed']).meta({ id: 'PaymentRequestResolution' })),
    answers: { 200: answer('As it is now.', paymentRequest) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
]);

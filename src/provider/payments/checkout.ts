import { readXof } from '../../lib/money.ts';
import { unasked, type JsonObject, readText, isObject } from '../exchange.ts';
import {
  askPayments,
  type PaymentContext,
  type PaymentQuestion,
  type Refine,
  readPayment,
  isWebUrl,
  present,
  type InvoiceItem,
  type InvoiceRecord,
  type InvoiceRequest,
  type InvoiceTax,
  type Payments,
} from './ask.ts';

type Checkout = Pick<Payments, 'createInvoice' | 'confirmInvoice'>;

/** interface: Checkout invoice. */
export function checkout(context: PaymentContext): Checkout {
  return {
    createInvoice: async (account, request, call = {}) => {
      const problem = problemOf(request);
      if (problem) return unasked(account, 'invoice_create', 'field_invalid', problem);
      const question: PaymentQuestion<{ token: string; url: string }> = {
        operation: 'invoice_create',
        kind: 'harmless',
        method: 'POST',
        path: '/v1/checkout-invoice/create',
        body: invoiceBody(request),
        read: (answer) => readPayment(answer, takeInvoice),
      };
      return askPayments(context, account, question, call);
    },

    confirmInvoice: async (account, { token }, call = {}) => {
      if (token.trim() === '') return unasked(account, 'invoice_confirm', 'field_missing', 'token');
      return askPayments(context, account, confirmQuestion(token.trim()), call);
    },
  };
}

function confirmQuestion(token: string): PaymentQuestion<InvoiceRecord> {
  return {
    operation: 'invoice_confirm',
    kind: 'read',
    method: 'GET',
    path: `/v1/checkout-invoice/confirm/${encodeURIComponent(token)}`,
    read: (answer) => readPayment(answer, readInvoiceRecord, refineConfirm),
  };
}

/**
 * interface: the codes of confirm are not shown. Only an authentication failure is trusted; every other refusal means
 * "not now".
 */
const refineConfirm: Refine = (_envelope, code) =>
  code === 'rejected' || code === '1001' || code === '4002' ? { consequence: 'transient' } : {};

function problemOf(request: InvoiceRequest): string | undefined {
  if (!Number.isFinite(request.totalAmount) || request.totalAmount <= 0) return 'total_amount: above 0';
  return request.store.name.trim() === '' ? 'store.name: not empty' : undefined;
}

function invoiceBody(request: InvoiceRequest): Record<string, unknown> {
  const { store, customer } = request;
  return {
    invoice: {
      total_amount: request.totalAmount,
      ...present('description', request.description),
      ...present('items', numbered('item', request.items?.map(itemBody))),
      ...present('taxes', numbered('tax', request.taxes?.map(taxBody))),
      ...present('customer', customer && pick({ name: customer.name, email: customer.email, phone: customer.phone })),
      ...present('channels', request.channels),
    },
    store: pick({
      name: store.name,
      tagline: store.tagline,
      postal_address: store.postalAddress,
      phone: store.phone,
      logo_url: store.logoUrl,
      website_url: store.websiteUrl,
    }),
    ...present('custom_data', request.customData),
    actions: pick({
      cancel_url: request.cancelUrl,
      return_url: request.returnUrl,
      callback_url: request.callbackUrl,
    }),
  };
}

/** interface: prices are strings, quantities and tax amounts numbers. */
function itemBody(item: InvoiceItem): object {
  return pick({
    name: item.name,
    quantity: item.quantity,
    unit_price: item.unitPrice === undefined ? undefined : String(item.unitPrice),
    total_price: item.totalPrice === undefined ? undefined : String(item.totalPrice),
    description: item.description,
  });
}

function taxBody(tax: InvoiceTax): object {
  return pick({ name: tax.name, amount: tax.amount });
}

/** `item_0`, `item_1`, … */
function numbered(word: string, list: readonly object[] | undefined): object | undefined {
  if (!list || list.length === 0) return undefined;
  return Object.fromEntries(list.map((entry, index) => [`${word}_${index}`, entry]));
}

function pick(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Without a payment address, the token is not a usable invoice. */
function takeInvoice(body: JsonObject): { token: string; url: string } | undefined {
  const token = typeof body['token'] === 'string' ? body['token'].trim() : '';
  const url = readText(body['response_text']) ?? '';
  return token !== '' && isWebUrl(url) ? { token, url } : undefined;
}

/**
 * interface: Invoice status record, as confirm returns it. Numbers may be texts. Only the last four digits of a card
 * number are stored; the hash proves nothing about the content and is discarded.
 */
function readInvoiceRecord(body: JsonObject): InvoiceRecord | undefined {
  const status = readStatusWord(body['status']);
  if (status === undefined) return undefined;
  const invoice = isObject(body['invoice']) ? body['invoice'] : {};
  return {
    status,
    ...present('token', readText(invoice['token']) ?? readText(body['token'])),
    ...present('totalAmount', readXof(invoice['total_amount'])),
    ...present('totalWithoutFees', readXof(invoice['total_amount_without_fees'])),
    ...present('mode', readText(body['mode'])?.toLowerCase()),
    ...present('customData', isObject(body['custom_data']) ? body['custom_data'] : undefined),
    ...present('customer', isObject(body['customer']) ? readCustomer(body['customer']) : undefined),
    ...present('receiptUrl', readReceipt(body['receipt_url'])),
    ...present('failReason', readText(body['fail_reason'])),
    ...present('failure', isObject(body['errors']) ? readFailure(body['errors']) : undefined),
    ...present('panLast4', readText(body['pan'])?.replace(/\D/g, '').slice(-4)),
  };
}

/** A truncated address is useless: it is stored whole, or not at all. */
const RECEIPT_MOST = 2_000;

function readReceipt(value: unknown): string | undefined {
  const address = readText(value);
  return address !== undefined && address.length <= RECEIPT_MOST && isWebUrl(address) ? address : undefined;
}

/** Some providers of this kind write `canceled`. */
export function readStatusWord(value: unknown): string | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word === '') return undefined;
  return word === 'canceled' ? 'cancelled' : word;
}

function readCustomer(customer: JsonObject): NonNullable<InvoiceRecord['customer']> {
  return {
    ...present('name', readText(customer['name'])),
    ...present('email', readText(customer['email'])),
    ...present('phone', readText(customer['phone'])),
  };
}

function readFailure(errors: JsonObject): NonNullable<InvoiceRecord['failure']> {
  return {
    ...present('message', readText(errors['message'])),
    ...present('description', readText(errors['description'])),
  };
}

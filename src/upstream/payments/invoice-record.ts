import { isObject, type JsonObject, readText } from '../json.ts';
import { readXof } from '../../lib/money.ts';
import { present } from './fields.ts';
import type { InvoiceRecord } from './types.ts';

/**
 * interface: Invoice status record, as confirm answers it. Numbers may be texts. Of a card number the last four
 * digits are kept; the hash proves nothing about the content and is not kept at all.
 */
export function readInvoiceRecord(body: JsonObject): InvoiceRecord | undefined {
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
    ...present('receiptUrl', readText(body['receipt_url'])),
    ...present('failReason', readText(body['fail_reason'])),
    ...present('failure', isObject(body['errors']) ? readFailure(body['errors']) : undefined),
    ...present('panLast4', readText(body['pan'])?.replace(/\D/g, '').slice(-4)),
  };
}

/** `cancelled` is also written `canceled` by services of this kind. */
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

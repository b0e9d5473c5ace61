import { unasked } from '../exchange.ts';
import { type JsonObject, readText } from '../json.ts';
import { askPayments, type PaymentContext, type PaymentQuestion } from './ask.ts';
import { type Refine, readPayment } from './envelope.ts';
import { isWebUrl, present } from './fields.ts';
import { readStatusWord } from './invoice-record.ts';
import type { CreatedPaymentRequest, PaymentRequest, Payments } from './types.ts';

type PaymentRequests = Pick<Payments, 'createPaymentRequest' | 'paymentRequestStatus'>;

/** interface: Limits, in XOF. */
const LEAST = 200;
const MOST = 3_000_000;

/** interface: Payment request. Live only; a test account is refused here, as upstream would with 4001. */
export function paymentRequests(context: PaymentContext): PaymentRequests {
  return {
    createPaymentRequest: async (account, request, call = {}) => {
      const problem = problemOf(request);
      if (problem) return unasked(account, 'payment_request_create', 'field_invalid', problem);
      const question: PaymentQuestion<CreatedPaymentRequest> = {
        operation: 'payment_request_create',
        kind: 'effect',
        method: 'POST',
        path: '/v1/dmp-api',
        only: 'live_always',
        body: requestBody(request),
        read: (answer) => readPayment(answer, (body) => takeCreated(body, request.notify === true)),
      };
      return askPayments(context, account, question, call);
    },

    paymentRequestStatus: async (account, { referenceNumber }, call = {}) => {
      const question: PaymentQuestion<{ status: string }> = {
        operation: 'payment_request_status',
        kind: 'read',
        method: 'POST',
        path: '/v1/dmp-api/check-status',
        only: 'live_always',
        body: { reference_number: referenceNumber },
        read: (answer) => readPayment(answer, takeStatus, refineStatus),
      };
      return askPayments(context, account, question, call);
    },
  };
}

function problemOf({ amount, email, phone }: PaymentRequest): string | undefined {
  if (!Number.isSafeInteger(amount) || amount < LEAST || amount > MOST) return `amount: ${LEAST} to ${MOST} XOF`;
  if (!email?.trim() && !phone?.trim()) return 'recipient_email or recipient_phone: one is required';
  return email?.trim() && !/^[^\s@]+@[^\s@]+$/.test(email.trim())
    ? 'recipient_email: not an e-mail address'
    : undefined;
}

/** interface: 0 means that the customer bears the fees, 1 that the merchant does. */
function requestBody(request: PaymentRequest): Record<string, unknown> {
  return {
    ...present('recipient_email', request.email?.trim() || undefined),
    ...present('recipient_phone', request.phone?.replace(/[^\d]/g, '').replace(/^00/, '') || undefined),
    amount: request.amount,
    support_fees: request.feesPaidBy === 'merchant' ? 1 : 0,
    send_notification: request.notify === true ? 1 : 0,
  };
}

/**
 * Three shapes of success are shown. Without a notification, a request nobody can find or pay is not one we made; with
 * one, all carry a message, and without that it may be the answer to anything.
 */
function takeCreated(body: JsonObject, notified: boolean): CreatedPaymentRequest | undefined {
  const referenceNumber = readText(body['reference_number']);
  const written = readText(body['url']);
  const url = written !== undefined && isWebUrl(written) ? written : undefined;
  if (!notified && (referenceNumber === undefined || url === undefined)) return undefined;
  if (referenceNumber === undefined && readText(body['message']) === undefined) return undefined;
  return { ...present('referenceNumber', referenceNumber), ...present('url', url) };
}

function takeStatus(body: JsonObject): { status: string } | undefined {
  const status = readStatusWord(body['status']);
  return status === undefined ? undefined : { status };
}

const refineStatus: Refine = (_envelope, code) =>
  code === 'rejected' || code === '1001' ? { consequence: 'transient' } : {};

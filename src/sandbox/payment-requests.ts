/** Payment requests: live mode only, answers under `response-code` (interface: Payment request). */
import { z } from 'zod';
import { type Answer, ok, refuseIn, undocumentedStatus } from './answers.ts';
import { readBody } from './body.ts';
import { amountOutcomeOf } from './magic.ts';
import type { PaymentRequest } from './records.ts';
import type { Handler, Simulator } from './simulator.ts';

const createBody = z
  .strictObject({
    recipient_email: z.string().min(1).optional(),
    recipient_phone: z.string().min(1).optional(),
    amount: z.number().min(200).max(3_000_000),
    support_fees: z.literal([0, 1]),
    send_notification: z.literal([0, 1]),
  })
  .refine((body) => body.recipient_email !== undefined || body.recipient_phone !== undefined, {
    message: 'recipient_email or recipient_phone is required',
  });

export const createPaymentRequest: Handler = (call, simulator) => {
  const { random, records } = simulator;
  const read = readBody(createBody, call, simulator);
  if (!read.ok) return malformed(read.problem, simulator);
  const { amount, recipient_email, recipient_phone, support_fees, send_notification } = read.data;
  const request: PaymentRequest = {
    reference: random.hex(6).toUpperCase(),
    amount,
    email: recipient_email,
    phone: recipient_phone,
    supportFees: support_fees,
    notified: send_notification === 1,
    status: 'pending',
  };
  records.paymentRequests.set(request.reference, request);
  awaitCustomer(request, simulator);
  // With a notification the answer has no reference, so no client can query the status later.
  if (request.notified) return ok(notified(simulator));
  return ok({
    'response-code': '00',
    reference_number: request.reference,
    url: requestUrl(request.reference, simulator),
    description: 'Payment request created',
  });
};

/** The page on which the customer pays. */
export const requestUrl = (reference: string, { base }: Simulator): string => `${base}/payment-request/${reference}`;

/** Some amounts select their outcome. */
export function awaitCustomer(request: PaymentRequest, simulator: Simulator): void {
  const outcome = amountOutcomeOf(request.amount);
  if (outcome === 'completed' || outcome === 'failed')
    simulator.time.after(simulator.settings.values.settleDelayMs, () => {
      if (request.status === 'pending') settlePaymentRequest(request, outcome, simulator);
    });
}

export function settlePaymentRequest(
  request: PaymentRequest,
  status: 'completed' | 'failed',
  simulator: Simulator,
): void {
  request.status = status;
  simulator.revision += 1;
}

const notified = ({ settings }: Simulator): object =>
  settings.values.notifiedAnswer === 'success'
    ? { success: true, message: 'The payment request was sent' }
    : { 'response-code': '00', message: 'The payment request was sent', description: 'Sent by SMS and e-mail' };

const statusBody = z.strictObject({ reference_number: z.string().min(1) });

export const paymentRequestStatus: Handler = (call, simulator) => {
  const read = readBody(statusBody, call, simulator);
  if (!read.ok) return malformed(read.problem, simulator);
  const request = simulator.records.paymentRequests.get(read.data.reference_number);
  if (request === undefined)
    return refuseIn('payment-request', '4004', 'Payment request not found', undocumentedStatus(simulator, 404));
  return ok({ 'response-code': '00', status: request.status });
};

/** The interface has one code for a malformed request, 4000, though it explains it by missing keys. */
const malformed = (problem: string, simulator: Simulator): Answer =>
  refuseIn('payment-request', '4000', problem, undocumentedStatus(simulator, 400));

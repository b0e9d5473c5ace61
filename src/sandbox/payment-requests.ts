/** Payment requests: live mode only, answers under `response-code` (interface: Payment request). */
import { z } from 'zod';
import { type Answer, ok, refuseIn } from './answers.ts';
import type { PaymentRequest } from './books.ts';
import { amountOutcomeOf } from './magic.ts';
import { understood } from './understood.ts';
import { type Ask, type Handler, undocumentedStatus, type World } from './world.ts';

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

export const createPaymentRequest: Handler = (ask, world) => {
  const parsed = understood(createBody, ask, world);
  if (!parsed.success) return refuseFields(parsed.error, ask, world);
  const { amount, recipient_email, recipient_phone, support_fees, send_notification } = parsed.data;
  const request: PaymentRequest = {
    reference: world.random.hex(6).toUpperCase(),
    amount,
    email: recipient_email,
    phone: recipient_phone,
    supportFees: support_fees,
    notified: send_notification === 1,
    status: 'pending',
  };
  world.books.paymentRequests.set(request.reference, request);
  awaitCustomer(request, world);
  // With a notification the service answers without the reference, so nobody can ask about it later.
  if (request.notified) return ok(notified(world));
  return ok({
    'response-code': '00',
    reference_number: request.reference,
    url: requestUrl(request.reference, world),
    description: 'Payment request created',
  });
};

/** Where its customer pays. */
export const requestUrl = (reference: string, { base }: World): string => `${base}/payment-request/${reference}`;

/** Some amounts are decided without anybody. */
export function awaitCustomer(request: PaymentRequest, world: World): void {
  const outcome = amountOutcomeOf(request.amount);
  if (outcome === 'completed' || outcome === 'failed')
    world.time.after(world.settings.values.settleDelayMs, () => {
      if (request.status === 'pending') decide(request, outcome, world);
    });
}

export function decide(request: PaymentRequest, status: 'completed' | 'failed', world: World): void {
  request.status = status;
  world.revision += 1;
}

const notified = ({ settings }: World): object =>
  settings.values.notifiedAnswer === 'success'
    ? { success: true, message: 'The payment request was sent' }
    : { 'response-code': '00', message: 'The payment request was sent', description: 'Sent by SMS and e-mail' };

const statusBody = z.strictObject({ reference_number: z.string().min(1) });

export const paymentRequestStatus: Handler = (ask, world) => {
  const parsed = understood(statusBody, ask, world);
  if (!parsed.success) return refuseFields(parsed.error, ask, world);
  const request = world.books.paymentRequests.get(parsed.data.reference_number);
  if (request === undefined)
    return refuseIn('payment-request', '4004', 'Payment request not found', undocumentedStatus(world, 404));
  return ok({ 'response-code': '00', status: request.status });
};

/** The page has one word for a malformed request, 4000, though it explains it by missing keys. */
function refuseFields(error: z.ZodError, { operation }: Ask, world: World): Answer {
  const [first] = error.issues;
  const what = `${first?.path.join('.') || 'body'}: ${first?.message ?? 'not valid'}`;
  world.books.breach(operation, what);
  return refuseIn('payment-request', '4000', what, undocumentedStatus(world, 400));
}

import { z } from 'zod';
import { defineQueue } from './define.ts';
import { campaignRequest, disbursementRequest, messageRequest } from './requests.ts';
import { directCreditRequest, invoiceRequest, paymentRequestRequest } from './requests-collect.ts';

/** What any BullMQ client, in any language, may add. Each kind is the HTTP body of the same name, plus `kind`. */
const intakePayload = z.discriminatedUnion('kind', [
  disbursementRequest.extend({ kind: z.literal('disbursement') }),
  messageRequest.extend({ kind: z.literal('message') }),
  campaignRequest.extend({ kind: z.literal('campaign') }),
  invoiceRequest.extend({ kind: z.literal('invoice') }),
  paymentRequestRequest.extend({ kind: z.literal('payment_request') }),
  directCreditRequest.extend({ kind: z.literal('direct_credit') }),
]);

export const intake = defineQueue({
  name: 'intake',
  summary: 'Requests from any BullMQ client: accepted, recorded, and answered with `{id, outcome}`.',
  payload: intakePayload,
  share: 0.5,
  retryAfter: [],
  waits: 'never',
  givesUpAs: 'a failed job that names every problem; nothing is recorded and nothing sent',
  // The caller reads `{id, outcome}` from the finished job; a day is enough for a caller that was restarted.
  keepSeconds: 86_400,
});

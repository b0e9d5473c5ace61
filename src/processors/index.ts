/** One processor per queue that is fed by wake-ups. A queue without one does not compile. */
import type { QueueName } from '../kinds/due-queues.ts';
import { type Kind, kindOf } from '../kinds/index.ts';
import { isSlice } from '../operations/slices.ts';
import { feedCampaign } from './campaign.ts';
import { advanceInvoice } from './collect/invoice.ts';
import { advancePaymentRequest } from './collect/payment-request.ts';
import type { AttemptResult, ProcessorContext } from './context.ts';
import { advanceDirectCredit } from './disbursement/direct-credit.ts';
import { lookAtDisbursement } from './disbursement/look.ts';
import { payDisbursement } from './disbursement/pay.ts';
import { lookAtSlice } from './text/look.ts';
import { sendNextSlice } from './text/slice.ts';

export type Processor = (id: string, context: ProcessorContext) => Promise<AttemptResult>;

/** Two are handed what stands on the same row: `batch` the one way in, `event-delivery` the way out. */
export const processors: { readonly [Name in Exclude<QueueName, 'batch' | 'event-delivery'>]: Processor } = {
  disbursement: payDisbursement,
  'sms-batch': sendNextSlice,
  'sms-otp': (id, context) => sendNextSlice(id, context, 'sms-otp'),
  'invoice-confirm': advanceInvoice,
  'status-poll': pollStatus,
  'direct-credit': advanceDirectCredit,
  campaign: feedCampaign,
};

/** What is looked at, by kind. A kind that can be in doubt and is not listed here would stay so for ever. */
const looks: Partial<Record<Kind, Processor>> = {
  disbursement: lookAtDisbursement,
  payment_request: advancePaymentRequest,
};

export async function pollStatus(id: string, context: ProcessorContext): Promise<AttemptResult> {
  if (isSlice(id)) return lookAtSlice(id, context);
  const kind = kindOf(id) ?? (await context.queries.kindOf(id));
  const look = kind ? looks[kind] : undefined;
  return look ? look(id, context) : { outcome: 'idle', reason: kind ? 'nothing_to_look_at' : 'none' };
}

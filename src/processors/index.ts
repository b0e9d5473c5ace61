/** One processor per queue that is fed by wake-ups. A queue without one does not compile. */
import type { QueueName } from '../kinds/due-queues.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { feedCampaign } from './campaign.ts';
import { advanceDirectCredit } from './direct-credit.ts';
import { advanceDisbursement } from './disbursement.ts';
import { advanceInvoice } from './invoice.ts';
import { isSlice } from '../operations/slices.ts';
import { sendChunk } from './sms-batch.ts';
import { sendNextSlice } from './text/slice.ts';
import { pollStatus } from './status-poll.ts';

export type Processor = (id: string, context: ProcessorContext) => Promise<AttemptResult>;

/** Two are handed what stands on the same row: `batch` the one way in, `event-delivery` the way out. */
export const processors: { readonly [Name in Exclude<QueueName, 'batch' | 'event-delivery'>]: Processor } = {
  disbursement: advanceDisbursement,
  'sms-batch': (id, context) => (isSlice(id) ? sendNextSlice(id, context) : sendChunk(id, 'sms-batch', context)),
  'sms-otp': (id, context) => sendChunk(id, 'sms-otp', context),
  'invoice-confirm': advanceInvoice,
  'status-poll': pollStatus,
  'direct-credit': advanceDirectCredit,
  campaign: feedCampaign,
};

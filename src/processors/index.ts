/** One processor per queue that is fed by wake-ups. A queue without one does not compile. */
import type { QueueName } from '../operations/due-queues.ts';
import type { Bench, Settlement } from './bench.ts';
import { feedCampaign } from './campaign.ts';
import { advanceDisbursement } from './disbursement.ts';
import { sendChunk } from './sms-batch.ts';
import { pollStatus } from './status-poll.ts';

export type Processor = (id: string, bench: Bench) => Promise<Settlement>;

export const processors: { readonly [Name in QueueName]: Processor } = {
  disbursement: advanceDisbursement,
  'sms-batch': (id, bench) => sendChunk(id, 'sms-batch', bench),
  'sms-otp': (id, bench) => sendChunk(id, 'sms-otp', bench),
  'status-poll': pollStatus,
  campaign: feedCampaign,
};

/**
 * What relais can be asked, and what it asks itself to do.
 *
 * To add a queue, write its declaration next to the others and list it here. The compiler then points at the one thing
 * that is still missing: its processor.
 */
import { batch } from './batch.ts';
import { campaign } from './campaign.ts';
import { directCredit } from './direct-credit.ts';
import { disbursement } from './disbursement.ts';
import { eventDelivery } from './event-delivery.ts';
import { intake } from './intake.ts';
import { invoiceConfirm } from './invoice-confirm.ts';
import { smsBatch } from './sms-batch.ts';
import { smsOtp } from './sms-otp.ts';
import { statusPoll } from './status-poll.ts';

export const queues = {
  intake,
  disbursement,
  'sms-batch': smsBatch,
  'sms-otp': smsOtp,
  'invoice-confirm': invoiceConfirm,
  'status-poll': statusPoll,
  'direct-credit': directCredit,
  campaign,
  batch,
  'event-delivery': eventDelivery,
} as const;

export type AnyQueueName = keyof typeof queues;
export const queueNames = Object.keys(queues) as AnyQueueName[];

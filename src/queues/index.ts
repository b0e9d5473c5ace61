/**
 * What relais can be asked, and what it asks itself to do.
 *
 * To add a queue, write its declaration next to the others and list it here. The compiler then points at the one thing
 * that is still missing: its processor.
 */
import { campaign } from './campaign.ts';
import { disbursement } from './disbursement.ts';
import { intake } from './intake.ts';
import { smsBatch } from './sms-batch.ts';
import { smsOtp } from './sms-otp.ts';
import { statusPoll } from './status-poll.ts';

export const queues = {
  intake,
  disbursement,
  'sms-batch': smsBatch,
  'sms-otp': smsOtp,
  'status-poll': statusPoll,
  campaign,
} as const;

export type AnyQueueName = keyof typeof queues;
export const queueNames = Object.keys(queues) as AnyQueueName[];

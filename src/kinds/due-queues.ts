/** The queues of the due index. Each has a declaration with the same name in src/queues. */
export const dueQueues = [
  'disbursement',
  'sms-batch',
  'sms-otp',
  'invoice-confirm',
  'status-poll',
  'direct-credit',
  'campaign',
  'batch',
  'event-delivery',
] as const;

export type QueueName = (typeof dueQueues)[number];

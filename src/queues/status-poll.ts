import { defineQueue, takenInBulk } from './define.ts';

export const statusPoll = defineQueue({
  name: 'status-poll',
  summary:
    'Looks at what was sent: the status of a disbursement or a payment request, the statistics of texts in doubt.',
  ...takenInBulk,
  share: 0.5,
  // The waits of a disbursement that is under way are DISBURSEMENT_POLL; these are for texts that are in doubt.
  retryAfter: ['2s', '10s', '30s', '1m', '5m'],
  waits: 'DISBURSEMENT_POLL, PAYMENT_REQUEST_POLL between looks; SMS_SETTLE_DELAY before the first look at a text',
  givesUpAs:
    '`needs_review` after DISBURSEMENT_LIMIT, looked at daily, or after 30 days; recipients: `unknown` after two looks',
  keepSeconds: 0,
});

import { defineQueue, takenInBulk } from './define.ts';

export const directCredit = defineQueue({
  name: 'direct-credit',
  summary: 'Direct credits: one request that moves money, sent at most once.',
  ...takenInBulk,
  share: 0.2,
  // Only for a request of which no byte left us: there is no reference of ours to ask about afterwards.
  retryAfter: ['1s', '5s', '30s', '1m', '5m', '15m'],
  waits: 'HOLD_RECHECK while direct credits of the account are held (funds, not authorised)',
  givesUpAs: '`rejected` after DISBURSEMENT_LIMIT while nothing was sent; `needs_review` when it may have been',
  keepSeconds: 0,
});

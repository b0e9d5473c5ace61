import { defineQueue, wakeUp } from './define.ts';

export const smsBatch = defineQueue({
  name: 'sms-batch',
  summary: 'Slices: up to 1,000 recipients of a campaign, or up to 50 messages, sent in requests of up to 50.',
  payload: wakeUp,
  share: 1,
  attemptsPerRequest: 1.5,
  // Only a request that provably never left, or that upstream refused before sending, is tried again.
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m', '5m'],
  waits: 'while the campaign is paused or the account is held',
  givesUpAs: '`failed` for whom upstream refuses it; `unknown` when it may have been sent',
  keepSeconds: 0,
});

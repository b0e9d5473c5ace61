import { defineQueue, wakeUp } from './define.ts';

export const campaign = defineQueue({
  name: 'campaign',
  summary: 'Hands out the slices of running campaigns, a bounded number at a time.',
  payload: wakeUp,
  share: 0.1,
  retryAfter: ['1s', '5s', '30s'],
  waits: 'for slices that are out to be sent',
  givesUpAs: 'never: a campaign ends when its last recipient is settled, or when it is cancelled',
  keepSeconds: 0,
});

import { defineQueue, wakeUp } from './define.ts';

export const batch = defineQueue({
  name: 'batch',
  summary: 'Approved files of disbursements: their rows are accepted, a bounded number at a time, and followed.',
  payload: wakeUp,
  share: 0.1,
  retryAfter: ['1s', '2s', '5s', '10s', '30s'],
  waits: 'for its disbursements to end, or to need review',
  givesUpAs: '`expired` when nobody approved it for a day; one that was approved ends as `finished`',
  keepSeconds: 0,
});

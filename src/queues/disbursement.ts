import { defineQueue, takenInBulk } from './define.ts';

export const disbursement = defineQueue({
  name: 'disbursement',
  summary: 'Disbursements before their first submit: token, then submit.',
  ...takenInBulk,
  share: 1,
  // Nothing happened upstream before the submit, so trying again is safe; the waits only spare a sick service.
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m', '5m', '15m'],
  waits:
    'HOLD_RECHECK while the account is held (funds, callback unreachable, not authorised, maintenance), and at most so long where the service cannot be reached',
  givesUpAs: '`rejected` after DISBURSEMENT_LIMIT, only while no submit was ever intended',
  keepSeconds: 0,
});

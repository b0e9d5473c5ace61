import { defineQueue, wakeUp } from './define.ts';

export const smsOtp = defineQueue({
  name: 'sms-otp',
  summary: 'Slices of one-time passwords: the lane that no campaign can hold up.',
  payload: wakeUp,
  share: 0.5,
  retryAfter: ['1s', '2s', '5s', '10s', '30s', '1m'],
  waits: 'while the account is held',
  givesUpAs: '`expired` past its `expiresAt`, else as sms-batch',
  keepSeconds: 0,
});

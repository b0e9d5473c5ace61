/** Recipients that one attempt sends, some in each request. Callers see recipients and messages, never these. */
import { kind } from './kind.ts';

export const slice = kind({
  prefix: 'slc',
  area: 'messaging',
  states: {
    queued: {
      says: 'It waits for its turn; nothing was sent.',
      queue: { normal: 'sms-batch', otp: 'sms-otp' },
      to: ['unknown', 'settled'],
    },
    unknown: {
      says: 'It may or may not have been sent; the statistics of the service are asked.',
      queue: 'status-poll',
      to: ['queued', 'settled'],
      is: ['in doubt'],
    },
    settled: { says: 'It is over.', retried: ['queued'] },
  },
  fields: {},
});

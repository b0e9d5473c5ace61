import { defineQueue, wakeUp } from './define.ts';

export const eventDelivery = defineQueue({
  name: 'event-delivery',
  summary: 'Endpoints that have events to take: each is posted what is due, signed.',
  payload: wakeUp,
  share: 0.5,
  // 47 h 42 m in all, each with up to a fifth more, so that endpoints which failed together are not tried together.
  retryAfter: ['5s', '30s', '2m', '10m', '30m', '1h', '2h', '4h', '8h', '12h', '20h'],
  waits: 'for an endpoint that fails, at most five minutes between two tries of it',
  givesUpAs: 'an undelivered event after the last try; the endpoint is disabled after three days without a success',
  keepSeconds: 0,
});

/** A caller's webhook endpoint. */
import { z } from 'zod';
import { events } from './events.ts';

const place = z
  .string()
  .meta({ description: 'Where it is, without path and query: they are its owner’s, and may be a password.' });

export const eventEndpoint = {
  prefix: 'ep',
  states: {
    enabled: { says: 'Events are posted to it.' },
    disabled: { says: 'It took no event for days, so no more are sent to it.' },
  },
  events: events(
    {
      'endpoint.disabled': {
        says: 'The webhook endpoint accepted no event for days, so no more events are delivered to it.',
        example: { url: 'https://shop.example', reason: 'http_500' },
      },
      'endpoint.tested': {
        says: 'A user sent a test to this webhook endpoint. No other endpoint gets it, and no list of events has it.',
        example: { url: 'https://shop.example', reason: 'test' },
      },
    },
    { id: 'The id of the endpoint.', carries: { url: place, reason: z.string() }, more: {} },
  ),
} as const;

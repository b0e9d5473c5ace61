import { z } from 'zod';

/** Every event we tell our callers, by `<operation>.<state>`. A type that is not listed here is never emitted. */
export const eventTypes = [
  'disbursement.succeeded',
  'disbursement.failed',
  'disbursement.rejected',
  'disbursement.cancelled',
  'disbursement.needs_review',
  'disbursement.held',
  'message.sent',
  'message.failed',
  'message.unknown',
  'message.expired',
  'campaign.finished',
  'campaign.paused',
  'campaign.cancelled',
  'campaign.held',
  'account.held',
  'account.released',
] as const;

export type EventType = (typeof eventTypes)[number];

/** One event. Delivered at least once; `id` is the same each time, so that a reader can tell. */
export const eventSchema = z
  .looseObject({
    id: z.string().meta({ description: 'Stable: the operation and its sequence.', example: 'dsb_….3' }),
    type: z.enum(eventTypes),
    timestamp: z.iso.datetime(),
    sequence: z.int().positive().meta({ description: 'Grows by one per operation; no order between operations.' }),
    account: z.string(),
    data: z.looseObject({ id: z.string(), state: z.string().optional(), reference: z.string().optional() }),
  })
  .meta({ id: 'Event' });

export type CompletionEvent = z.output<typeof eventSchema>;

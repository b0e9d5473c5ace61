/** Holds of an account, and their events. */
import { z } from 'zod';
import { type EventsOf } from './events.ts';

/**
 * Payments and messages have separate holds: an empty SMS balance stops no disbursement. Direct credits are an option
 * at the provider, so their refusal stops no disbursement either.
 */
export const holdAreas = ['payments', 'messaging', 'direct_credit'] as const;
export type HoldArea = (typeof holdAreas)[number];

const example = { id: 'main', area: 'payments', reason: 'funds' };

export const account = {
  events: {
    types: {
      'account.held': { says: 'The operations of the account wait for a condition.', example },
      'account.released': { says: 'The condition of the account has cleared.', example },
    },
    data: z.looseObject({
      id: z.string().meta({ description: 'Name of the account.' }),
      area: z.enum(holdAreas),
      reason: z.string().meta({ description: 'The condition, as a word for programs.' }),
    }),
  },
} as const satisfies { readonly events: EventsOf };

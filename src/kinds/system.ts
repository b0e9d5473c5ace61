/** What callers are told of relais itself. */
import { z } from 'zod';
import { events } from './events.ts';

export const system = {
  events: events(
    {
      'system.recovering': {
        says: 'Redis may have lost something: nothing is accepted and nothing leaves until somebody has looked.',
        example: { id: 'system', because: 'rolled_back' },
      },
      'system.recovered': {
        says: 'Somebody has looked, and it goes on. Cursors of events from before are refused: take stock.',
        example: { id: 'system', because: 'rolled_back', by: 'maker' },
      },
    },
    {
      id: '`system`: it is about relais itself.',
      carries: {
        because: z.string().meta({ description: 'What was noticed, as a word for programs.' }),
        by: z.string().optional().meta({ description: 'The key of the person who ended it, or `witness`.' }),
      },
      more: {},
    },
  ),
};

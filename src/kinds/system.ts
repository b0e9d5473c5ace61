/** Events about relais itself. */
import { z } from 'zod';
import { events } from './events.ts';

/** Causes of a recovery that prove a loss: the memory of something else is newer than PostgreSQL. */
export const recoveryProofs = [
  /** A process remembers it. */
  'rolled_back',
  /** A witness remembers it. */
  'witness',
] as const;

export const system = {
  events: events(
    {
      'system.recovering': {
        says: 'PostgreSQL may have lost data: relais accepts and sends nothing until an operator has reviewed it.',
        example: { id: 'system', because: 'rolled_back' },
      },
      'system.recovered': {
        says: 'An operator ended the recovery. Earlier event cursors are refused: re-read the state.',
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

/** Ages of payments in doubt: each count excludes the younger ages. */
export const doubtAges = ['<10m', '<1h', '<1d', '>=1d'] as const;

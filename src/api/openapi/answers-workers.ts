/** The status of workers and their waiting work. */
import { z } from 'zod';
import { count, text } from './answers-shared.ts';

const age = z.int().meta({ example: 1_200, description: 'ms; 0 where nothing waits.' });

/** The name identifies the machine. */
const workerHere = z.looseObject({
  name: text('pay-7c9f:12 5e1b09ac').meta({ description: 'Machine or container, process, and a word of its own.' }),
  slots: count.meta({ description: 'How many requests it may have in flight.' }),
});

export const workersAtWork = {
  queues: z.array(
    z.looseObject({
      name: text('disbursement'),
      waiting: count.meta({ description: 'What no worker has taken yet.' }),
      oldestMs: age,
    }),
  ),
  workers: count.meta({ description: 'Those that have said within ten seconds that they are at work.' }),
  workersHere: z.array(workerHere).meta({ description: 'The same by name, a hundred at most.' }),
};

/** What is answered about sessions of the console. */
import { z } from 'zod';
import { languages } from '../../words/languages.ts';
import { perhaps, text, time } from './answers-shared.ts';

export const sessionAnswer = z
  .looseObject({
    name: text('awa-phone').meta({ description: 'The name of the key.' }),
    person: perhaps(text('awa')).meta({ description: 'Whose key it is, where that is said.' }),
    roles: z.array(text('approve')).meta({ description: 'What it may do now.' }),
    accounts: perhaps(z.array(text('main'))).meta({ description: 'null: all.' }),
    language: perhaps(z.enum(languages)).meta({
      description: 'The first that the browser asks for of those that there are here.',
    }),
    expiresAt: time.meta({ description: 'The end, whatever is done until then: eight hours after it began.' }),
    idleUntil: time.meta({ description: 'The end where nothing is asked until then.' }),
    confirmedUntil: time.meta({ description: 'Until then, what asks for a fresh sign-in is done without one.' }),
  })
  .meta({ id: 'Session' });

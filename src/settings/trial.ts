/** The setting of a trial: the only numbers that relais pays and sends SMS to. */
import { z } from 'zod';
import { PrivateList } from './private-list.ts';
import { commaSeparated, orIssue } from './types.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

const E164 = /^\+[1-9]\d{7,14}$/;

/** Throws without a number in the message. */
function readTrialNumbers(text: string): PrivateList<string> {
  const numbers = commaSeparated(text);
  const wrong = numbers.findIndex((number) => !E164.test(number));
  if (wrong >= 0) throw new MessageError(message('trial_number', { number: wrong + 1 }));
  return new PrivateList('numbers', numbers);
}

export const trial = {
  TRIAL_NUMBERS: [
    z
      .string()
      .optional()
      .transform((text, context) => (text === undefined ? undefined : orIssue(readTrialNumbers)(text, context))),
    'Only numbers that relais pays and sends SMS to, in live and test mode: +221771234567,+2250701020304. Requests with other numbers are refused. Unset: all numbers.',
  ],
} as const;

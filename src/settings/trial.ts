/** The setting of a trial: the only numbers that relais pays and sends SMS to. */
import { inspect } from 'node:util';
import { z } from 'zod';
import { orIssue } from './types.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

const E164 = /^\+[1-9]\d{7,14}$/;

/** Personal data: printing, logging and JSON show only the count. */
export class TrialNumberList {
  readonly #numbers: readonly string[];

  constructor(numbers: readonly string[]) {
    this.#numbers = numbers;
  }

  get numbers(): readonly string[] {
    return this.#numbers;
  }

  toJSON(): string {
    return `${this.#numbers.length} numbers`;
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}

/** Throws without a number in the message. */
function readTrialNumbers(text: string): TrialNumberList {
  const numbers = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const wrong = numbers.findIndex((number) => !E164.test(number));
  if (wrong >= 0) throw new MessageError(message('trial_number', { number: wrong + 1 }));
  return new TrialNumberList(numbers);
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

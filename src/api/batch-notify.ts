/** The SMS to the payees of a batch, as parameters of its upload. */
import type { BatchNotify } from '../kinds/batch.ts';
import { NOTIFY_ON_DEFAULT, notifyOn, notifyText } from '../kinds/notify.ts';
import { message } from '../messages/message.ts';
import { invalid } from './problem.ts';

export const notifyQuery = {
  notify: notifyText.optional().meta({
    description:
      'Text of an SMS to each payee, with the columns of the file as variables: `{{prenom}}`, `{{amount}}`.',
    example: 'Bonjour {{prenom}}, vous avez recu {{amount}} F.',
  }),
  notifyFailedText: notifyText.optional().meta({ description: 'Text for `failed`. Default: the text of `notify`.' }),
  notifyOn: notifyOn.optional(),
} as const;

interface Asked {
  readonly notify?: string | undefined;
  readonly notifyFailedText?: string | undefined;
  readonly notifyOn?: BatchNotify['on'] | undefined;
}

/** Undefined: no payee gets an SMS. */
export function notifyIn({
  notify: text,
  notifyFailedText: failedText,
  notifyOn: on,
}: Asked): BatchNotify | undefined {
  if (text !== undefined)
    return { text, on: on ?? NOTIFY_ON_DEFAULT, ...(failedText === undefined ? {} : { failedText }) };
  if (failedText === undefined && on === undefined) return undefined;
  throw invalid([{ pointer: '/notify', message: message('required') }]);
}

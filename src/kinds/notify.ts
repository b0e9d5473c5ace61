/** The SMS that tells the payee of a payment how it ended. */
import { z } from 'zod';
import { phone, textToSend } from './request-pieces.ts';

/** States that can be reported to a payee. */
export const notifiedStates = ['succeeded', 'failed'] as const;
export type NotifiedState = (typeof notifiedStates)[number];

export const notifyText = textToSend.meta({
  description: 'Text of the SMS to the payee, with variables such as `{{amount}}` and `{{payeeName|client}}`.',
  example: 'Bonjour {{payeeName|client}}, vous avez recu {{amount}} F.',
});

/** In a query too, where it has no default. */
export const notifyOn = z
  .array(z.enum(notifiedStates))
  .min(1)
  .max(notifiedStates.length)
  // The order is not part of the request.
  .overwrite((asked) => notifiedStates.filter((state) => asked.includes(state)))
  .meta({ description: 'States that the payee is told, each at most once. Default: `succeeded`.' });

export const NOTIFY_ON_DEFAULT: NotifiedState[] = ['succeeded'];

export const notifyRequest = z
  .strictObject({
    text: notifyText,
    failedText: notifyText.optional().meta({
      description: 'Text for `failed`. Default: `text`.',
      example: 'Votre paiement de {{amount}} F a echoue.',
    }),
    on: notifyOn.default(NOTIFY_ON_DEFAULT),
    phone: phone.optional().meta({
      description: 'Phone of the payee in international form. Default: the number that is paid.',
      example: '+221771234567',
    }),
  })
  .meta({ description: 'An SMS to the payee, from the SMS account of the payment.' });

export type NotifyRequest = z.output<typeof notifyRequest>;

/** Whether the payee of a payment gets an SMS when the payment enters a state. */
export function tellsPayee(
  { state, notify }: { readonly state: string; readonly notify?: unknown },
  to: string,
): boolean {
  const { texts = {} } = (notify ?? {}) as Partial<NotifyPlan>;
  return state !== to && to in texts;
}

/** As the payment keeps it. */
export interface NotifyPlan {
  /** E.164. */
  readonly phone: string;
  /** The person, as operations are found by. */
  readonly payee: string;
  readonly texts: Readonly<Partial<Record<NotifiedState, string>>>;
}

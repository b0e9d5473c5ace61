/** Pieces that several requests are made of. The HTTP bodies, the intake jobs and the library's arguments are these. */
import { z } from 'zod';
import { READABLE, SEEN, seenText, unseenIn } from '../lib/letters.ts';
import { smsFaultOf, withPlainLines } from '../lib/sms-text.ts';
import { readInternationalNumber } from '../lib/written-number.ts';

/** A text that a person could read aloud. */
export const visible = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(READABLE, { error: ({ input }) => unseenIn(String(input), READABLE) });

/**
 * Text that identifies: a request, an account, a sender. The same letters are the same name however they are composed,
 * every character can be seen, and only the ordinary space looks like a space.
 */
export const identityText = (max: number) => identifying(z.string(), max);

/** Such a text that is looked for: characters that cannot be seen are left out, since no name has them. */
export const soughtText = (max: number) => identifying(z.string().overwrite(seenText), max);

const identifying = (text: z.ZodString, max: number) =>
  text
    .trim()
    .normalize('NFC')
    .min(1)
    .max(max)
    .regex(SEEN, { error: ({ input }) => unseenIn(String(input)) });

/** The caller's own name for the operation: unique per account and kind, and safe to repeat. */
export const askedReference = identityText(128).meta({
  description: 'Your own reference: the same reference never creates a second operation.',
  example: 'order-1042',
});
export const accountName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be the name of an account, such as main')
  .meta({ description: 'Account at the provider. Default: `main`.' });

/** XOF has no minor unit: a whole number of francs, as a JSON integer. */
export const amountXof = z
  .int('must be a whole number of XOF, written without quotes or decimals')
  .positive()
  .max(1e12)
  .meta({ description: 'Amount in whole francs (XOF).' });

const [FIRST_TIME, LAST_TIME] = [0, Date.parse('9999-12-31T23:59:59.999Z')];

/** Of years that every clock and every database here can hold. */
export const askedTime = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-21T08:00:00Z' })
  .refine((text) => !(Date.parse(text) < FIRST_TIME || Date.parse(text) > LAST_TIME), {
    error: 'must be a time between the years 1970 and 9999',
  });

/** The name of the sender that the recipient of an SMS sees. */
export const senderId = identityText(20);

/** Becomes E.164; written as people write numbers. */
export const phone = z
  .string()
  .max(32)
  .transform((text, context) => {
    const read = readInternationalNumber(text);
    if ('number' in read) return read.number;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });

/** Long enough for ten segments of the plain alphabet; upstream publishes no maximum (interface: Limits). */
export const textToSend = z
  .string()
  .overwrite(withPlainLines)
  .min(1)
  .max(1_600)
  .refine((text) => text === '' || smsFaultOf(text) !== 'blank', 'must contain at least one visible character')
  .refine(
    (text) => smsFaultOf(text) !== 'controls',
    'must not contain control characters other than line breaks and tabs',
  )
  .refine((text) => smsFaultOf(text) !== 'half', 'must not contain half of a character (an unpaired surrogate)');

export const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address such as https://shop.example/thanks' })
  .max(2_000);
export const email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');

/** ISO 3166, as in SN. */
export const country = z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters, such as SN');

const [METADATA_MOST, METADATA_VALUE] = [50, 500];

/** What a person reads about a payment: approvers see it, reports and CSV files have it, and the provider never gets it. */
export const paymentDescription = {
  payeeName: visible(120).optional().meta({ description: 'Name of the payee, for approvers and reports.' }),
  purpose: visible(200).optional().meta({ description: 'Purpose of the payment, for approvers and reports.' }),
  metadata: z
    .record(
      z.string().regex(/^[A-Za-z0-9_.-]{1,40}$/, 'must have 1 to 40 letters, digits, dots, dashes or underscores'),
      z
        .string()
        .max(METADATA_VALUE)
        .regex(READABLE, { error: ({ input }) => unseenIn(String(input), READABLE) }),
    )
    .refine((all) => Object.keys(all).length <= METADATA_MOST, `must have at most ${METADATA_MOST} entries`)
    .optional()
    .meta({ description: 'Your own data: at most 50 strings of 500 characters.' }),
};

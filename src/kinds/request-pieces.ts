/** Common parts of requests: HTTP bodies, intake jobs and library arguments. */
import { z } from 'zod';
import { READABLE, SEEN, seenText, unseenIn } from '../lib/letters.ts';
import { smsFaultOf, withPlainLines } from '../lib/sms-text.ts';
import { readInternationalNumber } from '../lib/written-number.ts';
import { says, written } from '../messages/schemas.ts';

/** Names the first forbidden character. */
const unseen = (allowed: RegExp) => (issue: { readonly input?: unknown }) => {
  const found = unseenIn(String(issue.input), allowed);
  return found && written(found);
};

/** A text of visible characters. */
export const visible = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(READABLE, { error: unseen(READABLE) });

/**
 * Identifier text: a request, an account, a sender ID. Equal letters are equal names in any Unicode composition,
 * every character is visible, and only the ordinary space looks like a space.
 */
export const identityText = (max: number) => identifying(z.string(), max);

/** Identifier text in a search: invisible characters are removed, since no name contains them. */
export const soughtText = (max: number) => identifying(z.string().overwrite(seenText), max);

const identifying = (text: z.ZodString, max: number) =>
  text
    .trim()
    .normalize('NFC')
    .min(1)
    .max(max)
    .regex(SEEN, { error: unseen(SEEN) });

/** The caller's own name of the operation: unique per account and kind, and safe to repeat. */
export const askedReference = identityText(128).meta({
  description: 'Your own reference: the same reference never creates a second operation.',
  example: 'order-1042',
});
export const accountName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, says('account_name'))
  .meta({ description: 'Account at the provider. Default: `main`.' });

/** XOF has no minor unit: a whole number of francs, as a JSON integer. */
export const amountXof = z
  .int(says('whole_xof_plain'))
  .positive()
  .max(1e12)
  .meta({ description: 'Amount in whole francs (XOF).' });

const [FIRST_TIME, LAST_TIME] = [0, Date.parse('9999-12-31T23:59:59.999Z')];

/** Limited to years that every clock and database supports. */
export const askedTime = z.iso
  .datetime({ offset: true, error: says('time') })
  .refine((text) => !(Date.parse(text) < FIRST_TIME || Date.parse(text) > LAST_TIME), {
    error: says('time_range'),
  });

/** The sender ID of an SMS. */
export const senderId = identityText(20);

/** Normalised to E.164 from the usual written forms. */
export const phone = z
  .string()
  .max(32)
  .transform((text, context) => {
    const read = readInternationalNumber(text);
    if ('number' in read) return read.number;
    context.addIssue({ code: 'custom', message: written(read.problem) });
    return z.NEVER;
  });

/** Enough for ten segments of the plain alphabet; the provider documents no maximum (interface: Limits). */
export const textToSend = z
  .string()
  .overwrite(withPlainLines)
  .min(1)
  .max(1_600)
  .refine((text) => text === '' || smsFaultOf(text) !== 'blank', says('visible_text'))
  .refine((text) => smsFaultOf(text) !== 'controls', says('no_controls'))
  .refine((text) => smsFaultOf(text) !== 'half', says('no_half_character'));

export const webUrl = z.url({ protocol: /^https?$/, error: says('web_address') }).max(2_000);
export const email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, says('email'));

/** ISO 3166, as in SN. */
export const country = z.string().regex(/^[A-Z]{2}$/, says('country_code'));

const [METADATA_MOST, METADATA_VALUE] = [50, 500];

/** The caller's own data. It is part of the request, and is never sent to the provider. */
export const askedMetadata = z
  .record(
    z.string().regex(/^[A-Za-z0-9_.-]{1,40}$/, says('metadata_name')),
    z
      .string()
      .max(METADATA_VALUE)
      .regex(READABLE, { error: unseen(READABLE) }),
  )
  .refine((all) => Object.keys(all).length <= METADATA_MOST, says('entries_at_most', { most: METADATA_MOST }))
  .optional()
  .meta({ description: 'Your own data: at most 50 strings of 500 characters.' });

/** Texts about a payment for approvers, reports and CSV files. They are never sent to the provider. */
export const paymentDescription = {
  payeeName: visible(120).optional().meta({ description: 'Name of the payee, for approvers and reports.' }),
  purpose: visible(200).optional().meta({ description: 'Purpose of the payment, for approvers and reports.' }),
  metadata: askedMetadata,
};

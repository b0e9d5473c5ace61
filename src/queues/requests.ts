/** What a caller may ask for. The HTTP bodies, the intake jobs and the library's arguments are these. */
import { z } from 'zod';
import { paceFields } from './requests-pace.ts';

/** A text that a person could read aloud. */
export const visible = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

/**
 * What tells one request from another: the same letters are the same name however they are composed, and nothing in it
 * is invisible.
 */
export const identityText = (max: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cf}\p{Cs}]*$/u, 'must not contain control characters, or others that cannot be seen');

/** The caller's own name for the operation: unique per account and kind, and safe to repeat. */
export const reference = identityText(128).meta({ example: 'order-1042' });
export const accountName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be the name of an account, such as main');

/** XOF has no minor unit: a whole number of francs, as a JSON integer. */
export const amountXof = z
  .int('must be a whole number of XOF, written without quotes or decimals')
  .positive()
  .max(1e12);

const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-21T08:00:00Z' });

export const disbursementRequest = z
  .strictObject({
    accountAlias: visible(64).meta({
      description: "Beneficiary's phone number without country code, or the service account id for `service`.",
      example: '771234567',
    }),
    amount: amountXof.meta({ example: 25_000 }),
    withdrawMode: visible(64).meta({ description: 'The channel it is paid through.', example: 'wallet-a-senegal' }),
    debitAccountNumber: visible(32).optional().meta({ description: 'Only with `service`: the balance to debit.' }),
    account: accountName.default('main'),
    reference: reference.optional(),
    notBefore: moment.optional().meta({ description: 'Not paid before this time.' }),
    allowDuplicate: z
      .boolean()
      .optional()
      .meta({ description: 'The same amount to the same beneficiary within DUPLICATE_WINDOW is meant.' }),
  })
  .meta({ id: 'DisbursementRequest' });

/** E.164; what people put between the digits is left out, and `00` is read as `+`. */
export const phone = z
  .string()
  .max(32)
  .transform((text) => text.replace(/[\s().\-\u00a0\u202f]/g, '').replace(/^00/, '+'))
  .pipe(z.string().regex(/^\+[1-9]\d{7,14}$/, 'must be a number in international form, such as +221771234567'));

/** Long enough for ten segments of the plain alphabet; upstream publishes no maximum (interface: Limits). */
const TEXT_MAX = 1_600;

export const messageRequest = z
  .strictObject({
    to: phone.meta({ description: 'In international form.', example: '+221771234567' }),
    text: z.string().min(1).max(TEXT_MAX).meta({ example: 'Your code is 4711' }),
    from: visible(20).optional().meta({ description: 'Sender signature configured on the messaging account.' }),
    account: accountName.default('main'),
    lane: z.enum(['otp', 'normal']).default('normal').meta({
      description: '`otp`: not behind anything else, and the text is erased once it is settled.',
    }),
    expiresAt: moment.optional().meta({ description: 'Not sent after this time.' }),
    reference: reference.optional(),
  })
  .meta({ id: 'MessageRequest' });

/** ISO 3166, as in SN. */
export const country = z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters, such as SN');

export const campaignRequest = z
  .strictObject({
    name: visible(100).meta({ example: 'November' }),
    text: z.string().min(1).max(TEXT_MAX).meta({
      description: 'Words in {{braces}} are filled in from the columns of the recipients.',
      example: 'Bonjour {{prenom}}',
    }),
    reference: reference.optional(),
    from: visible(20).optional(),
    account: accountName.default('main'),
    country: country.optional().meta({ description: 'Country of the numbers that are written without one.' }),
    onUnknown: z.enum(['hold', 'resend'], 'must be hold or resend').optional().meta({
      description:
        'Recipients who may have been sent to or not: `hold` leaves them unknown, `resend` sends again (up to 3 times).',
    }),
    replaceCostly: z
      .boolean()
      .optional()
      .meta({ description: 'Characters that make texts dear (ê ç œ ’ « ») become look-alikes (e c oe).' }),
    ...paceFields,
  })
  .meta({ id: 'CampaignRequest' });

export type DisbursementRequest = z.output<typeof disbursementRequest>;
export type MessageRequest = z.output<typeof messageRequest>;
export type DisbursementInput = z.input<typeof disbursementRequest>;
export type MessageInput = z.input<typeof messageRequest>;
export type CampaignInput = z.input<typeof campaignRequest>;

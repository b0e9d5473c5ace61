/** The request of a campaign, and the fields that can change while it is sent. */
import { z } from 'zod';
import { readQuietHours, readTimeZone } from '../lib/quiet-hours.ts';
import {
  accountName,
  askedMetadata,
  askedReference,
  askedTime,
  country,
  senderId,
  textToSend,
  visible,
} from './request-pieces.ts';
import { says, written } from '../messages/schemas.ts';
import { messageIn } from '../messages/texts.ts';

/** Turns the error of a reader into an issue with its message. */
function readable(read: (text: string) => unknown) {
  return (text: string, context: z.RefinementCtx): void => {
    try {
      read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: written(messageIn(error)) });
    }
  };
}

const hours = z.string().max(16).superRefine(readable(readQuietHours));

const pace = {
  quietHours: z
    .union([z.boolean(), z.literal('off'), hours])
    .optional()
    .meta({
      description:
        'Hours without sending, such as `21:00-08:00`. Absent or true: QUIET_HOURS. `off` or false: none, it sends at night too.',
    }),
  timezone: z
    .string()
    .max(64)
    .superRefine(readable(readTimeZone))
    .optional()
    .meta({ description: 'Whose clock the quiet hours are read on.', example: 'Africa/Abidjan' }),
  pauseOnFailure: z
    .union([z.literal(false), z.int().min(1).max(100)])
    .optional()
    .meta({
      description: 'Percent of failures and doubt among the last 200 or more at which it stops itself; false: never.',
    }),
};

const perSecond = z.int().min(1).max(100_000);

const paceFields = {
  ...pace,
  perSecond: perSecond.optional().meta({ description: 'Recipients per second, at most.' }),
  sendAt: askedTime.optional().meta({ description: 'Once started, it begins by itself at this time.' }),
  canary: z
    .union([z.boolean(), z.int().min(1).max(10_000)])
    .optional()
    .meta({
      description: 'How many recipients go first, alone; true: 50. Above 1,000 recipients they do, unless false.',
    }),
  requireSender: z
    .boolean()
    .optional()
    .meta({ description: 'Stops as soon as a text went out under another sender than was asked.' }),
};

const name = visible(100).meta({ example: 'November' });

/** While it has no recipients yet; null removes a value. */
const drafted = {
  name: name.optional(),
  text: textToSend.optional(),
  from: senderId.nullable().optional(),
  country: country.nullable().optional(),
  replaceCostly: z.boolean().optional(),
  sendAt: askedTime.nullable().optional(),
};

/** Fields that can change from the next request on. null removes the limit. */
export const campaignAmendment = z
  .strictObject({ ...pace, perSecond: perSecond.nullable().optional().meta({ example: 20 }), ...drafted })
  .refine((fields) => Object.keys(fields).length > 0, says('needs_change'))
  .meta({ id: 'CampaignAmendment' });

export type Pace = z.output<z.ZodObject<typeof paceFields>>;
export type Amendment = z.output<typeof campaignAmendment>;

export const campaignRequest = z
  .strictObject({
    name,
    text: textToSend.optional().meta({
      description:
        'Words in {{braces}} are filled in from the columns of the recipients. Absent: a draft, which takes no ' +
        'recipients before it has one (PATCH).',
      example: 'Bonjour {{prenom}}',
    }),
    reference: askedReference.optional(),
    metadata: askedMetadata,
    from: senderId.optional(),
    account: accountName.default('main'),
    country: country.optional().meta({ description: 'Country of the numbers that are written without one.' }),
    onUnknown: z.enum(['hold', 'resend']).optional().meta({
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

/** When and how fast a campaign is sent: what its request may say, and what may be changed while it is sent. */
import { z } from 'zod';
import { readQuietHours, readTimeZone } from '../lib/quiet-hours.ts';

/** A reader that throws becomes an issue with its message. */
function readable(read: (text: string) => unknown) {
  return (text: string, context: z.RefinementCtx): void => {
    try {
      read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    }
  };
}

const hours = z.string().max(16).superRefine(readable(readQuietHours));

const pace = {
  quietHours: z
    .union([z.boolean(), hours])
    .optional()
    .meta({ description: 'true: the hours of QUIET_HOURS; or such as `21:00-08:00`. It waits through them.' }),
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

export const paceFields = {
  ...pace,
  perSecond: perSecond.optional().meta({ description: 'Recipients per second, at most.' }),
  sendAt: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-11-21T08:00:00Z' })
    .optional()
    .meta({ description: 'Once started, it begins by itself at this time.' }),
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

/** What may be changed from the next chunk on. null takes the limit away. */
export const campaignAmendment = z
  .strictObject({ ...pace, perSecond: perSecond.nullable().optional().meta({ example: 20 }) })
  .refine((fields) => Object.keys(fields).length > 0, 'must say what to change')
  .meta({ id: 'CampaignAmendment' });

type Pace = z.output<z.ZodObject<typeof paceFields>>;
type Amendment = z.output<typeof campaignAmendment>;
type PaceFields = Readonly<Record<string, string | number>>;

const CANARY = 50;

/** The fields of the record; '' takes one away, what is not said is left out. */
export function paceToRecord({
  quietHours,
  timezone,
  pauseOnFailure,
  perSecond: limit,
}: Pace | Amendment): PaceFields {
  return {
    ...(quietHours === undefined ? {} : { quietHours: writtenHours(quietHours) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(pauseOnFailure === undefined ? {} : { pauseOnFailure: pauseOnFailure === false ? 0 : pauseOnFailure }),
    ...(limit === undefined ? {} : { perSecond: limit ?? '' }),
  };
}

/** As above, with what is said once, when the campaign is made. */
export function wholePaceToRecord(request: Pace): PaceFields {
  const { sendAt, canary, requireSender } = request;
  const first = typeof canary === 'boolean' ? (canary ? CANARY : 0) : canary;
  return {
    ...paceToRecord(request),
    ...(sendAt === undefined ? {} : { sendAt: Date.parse(sendAt) }),
    ...(first === undefined ? {} : { canary: first }),
    ...(requireSender ? { requireSender: 1 } : {}),
  };
}

function writtenHours(quietHours: boolean | string): string {
  if (typeof quietHours === 'string') return quietHours;
  return quietHours ? 'on' : '';
}

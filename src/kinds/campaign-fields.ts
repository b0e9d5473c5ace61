/** Fields of a campaign record in the order for callers, followed by internal fields. */
import { z } from 'zod';
import {
  account,
  createdAt,
  example,
  howMany,
  id,
  metadata,
  moment,
  perhaps,
  reason,
  reference,
  rejection,
  stateLike,
} from './answer-pieces.ts';
import { count, derived, flag, json, maybeNumber, maybeText, maybeTime, maybeWord, shown, text } from './fields.ts';
import { type CampaignBin, campaignBins } from './recipient.ts';

export interface UploadRecord {
  /** Part of the names of its requests. */
  readonly tag: string;
  /** SHA-256 of the bytes: the same bytes with the same options are a repeated upload. */
  readonly hash: string;
  /** The read options, if given: another sheet of the same bytes has other recipients. */
  readonly read?: string;
  readonly slices: number;
  readonly recipients: number;
  readonly skipped: number;
  /** Number of recipients by country. */
  readonly countries?: Readonly<Record<string, number>>;
  /** Estimated cost at the upload, XOF; absent if no prices were known. */
  readonly cost?: UploadCost;
  /** Columns that reports return; absent if the file has only numbers. */
  readonly columns?: readonly UploadColumn[];
}

/** A column of the file other than the number. */
export interface UploadColumn {
  readonly at: number;
  readonly heading: string;
  /** The index among the values of the text, if the text uses it. */
  readonly value?: number;
}

interface UploadCost {
  readonly xof: number;
  /** Countries without a price; `xof` does not include them. */
  readonly unpriced: readonly string[];
}

const bins = Object.fromEntries(campaignBins.map((bin) => [bin, howMany])) as Record<CampaignBin, typeof howMany>;
const some = { total: 100, queued: 30, sending: 10, sent: 56, skipped: 4 };
const others = Object.fromEntries(campaignBins.filter((bin) => !(bin in some)).map((bin) => [bin, 0]));

export const campaignFields = {
  id,
  name: shown(text, example('November')),
  state: stateLike('running'),
  account,
  reference,
  metadata,
  totals: derived(
    z.looseObject(bins).meta({
      description: '`total` is all of them, and the others add up to it, always.',
      example: { ...some, ...others },
    }),
  ),
  recipients: derived(
    howMany.meta({
      example: 96,
      description: 'How many people get the SMS: `total` without `skipped`. An approval is for this number.',
    }),
  ),
  /** How often a recipient in doubt was sent to again. */
  resent: shown(
    count,
    z.int().optional().meta({ description: 'How often somebody was sent to again after a doubt: duplicates.' }),
  ),
  retries: shown(count, z.int().optional().meta({ description: 'How often those who failed went out again.' })),
  countries: derived(
    z.record(z.string(), z.looseObject({ recipients: howMany, sent: howMany, failed: howMany, unknown: howMany })),
  ),
  segments: shown(
    count,
    z.int().meta({ example: 2, description: 'An estimate: the provider shows neither segments nor encoding.' }),
  ),
  cost: derived(
    z
      .looseObject({
        estimated: z.literal(true),
        xof: z.number(),
        unpriced: z
          .array(z.string())
          .meta({ description: 'Countries without a price: what they cost is not in it.' }),
      })
      .optional()
      .meta({
        example: { estimated: true, xof: 2_000, unpriced: [] },
        description: 'XOF, estimated when it was uploaded; absent where not all of it was priced.',
      }),
  ),
  rate: derived(z.number().meta({ example: 48.5, description: 'Recipients per second since the start.' })),
  eta: derived(perhaps(moment).meta({ description: 'When the rest would be done at that rate.' })),
  reason,
  heldUntil: derived(
    perhaps(moment)
      .optional()
      .meta({ description: 'While its account is held: when it is tried again whether that has cleared.' }),
  ),
  /** Absent: at the rate of the account. */
  perSecond: shown(
    maybeNumber,
    perhaps(z.int()).meta({ example: 50, description: 'Recipients per second, at most; null: no limit.' }),
  ),
  sendAt: shown(maybeTime, perhaps(moment).meta({ description: 'When it begins by itself, once started.' })),
  /** `on`: the hours of the settings; otherwise hours such as `21:00-08:00`. Absent: none. */
  quietHours: shown(
    maybeText,
    z
      .union([z.boolean(), z.string()])
      .meta({ example: '21:00-08:00', description: 'true: the hours of QUIET_HOURS. false: it sends at any hour.' }),
  ),
  quiet: derived(
    z
      .looseObject({
        hours: perhaps(z.string()).meta({
          description: 'Its own hours, or QUIET_HOURS; null: it sends at any hour.',
        }),
        usual: perhaps(z.string()).meta({ description: 'QUIET_HOURS.' }),
        timezone: z.string(),
        clock: z.string().meta({ description: 'The time of day in this zone.' }),
        night: perhaps(z.looseObject({ until: moment, clock: z.string() })).meta({
          description: 'The end of the quiet hours of this moment; null by day, and before `sendAt`.',
        }),
      })
      .optional()
      .meta({
        example: {
          hours: '21:00-08:00',
          usual: '21:00-08:00',
          timezone: 'Africa/Dakar',
          clock: '14:05',
          night: null,
        },
        description: 'Quiet hours by name, and the clock of the recipients. Not in lists.',
      }),
  ),
  canaryWait: derived(
    perhaps(z.looseObject({ recipients: z.int(), restAt: perhaps(moment) }))
      .optional()
      .meta({
        example: null,
        description:
          'While the canary is alone: its recipients, and when the rest follows if it arrives. `eta` is null until then. Not in lists.',
      }),
  ),
  /** The time zone of the quiet hours; absent: that of the settings. */
  timezone: shown(maybeText, z.string().optional()),
  /** 0: no canary. Absent: a default canary for a large campaign. */
  canary: shown(maybeNumber, z.int().optional().meta({ description: 'How many recipients go first, alone.' })),
  /** An SMS that was sent with another sender ID than requested stops the campaign. */
  requireSender: shown(flag, z.boolean().optional()),
  /** Percentage of failures that stops the campaign; 0: never. Absent: the default. */
  pauseOnFailure: shown(maybeNumber, z.union([z.literal(false), z.int()]).optional()),
  contentHash: derived(
    example('b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c').meta({
      description: 'SHA-256 of text, recipients, sender and times: what is approved is exactly this.',
    }),
  ),
  askedBy: derived(
    z
      .array(example('maker'))
      .meta({ description: 'Keys that made, filled, changed or started it: none approves it.' }),
  ),
  approvedBy: shown(maybeText, perhaps(example('checker'))),
  approvedAt: shown(maybeTime, perhaps(moment)),
  ...rejection,
  createdAt,

  text: shown(text, z.string().meta({ example: 'Bonjour {{prenom}}' })),
  from: shown(
    maybeText,
    z.string().optional().meta({ example: 'SHOP', description: 'Absent: the sender of the account.' }),
  ),
  country: maybeText,
  /** Characters that make an SMS expensive are replaced by look-alikes in every SMS of the campaign. */
  replaceCostly: flag,
  uploads: json<readonly UploadRecord[]>([]),
  /** Requests of up to 50 recipients. */
  slices: count,
  /** Requests beyond one per fifty recipients, created after refusals of whole requests. */
  extra: count,
  /** The treatment of recipients that two checks did not find; absent: as in the settings. */
  onUnknown: maybeWord<'hold' | 'resend'>(),
  startedAt: maybeTime,
  /** The canary was checked, or there is none. */
  canaryOver: flag,
  /** Finished recipients at the last failure judgement, and those that failed or were in doubt. */
  judgedOver: count,
  judgedFailed: count,
  /** Absent: doubt was not judged yet. */
  judgedUnknown: maybeNumber,
} as const;

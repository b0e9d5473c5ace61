/** What is answered about texts: messages, campaigns, their recipients. */
import { z } from 'zod';
import { campaignBins, outcomeLetters, type RecipientState } from '../../kinds/recipient.ts';
import { statesOf } from '../../kinds/states.ts';
import { accountField, count, perhaps, reasonField, referenceField, text, time } from './answers-shared.ts';

export const recipientStates = Object.keys(outcomeLetters) as [RecipientState, ...RecipientState[]];

export const message = z
  .looseObject({
    id: text('msg_0f6c8d4b2a1e49578c3d'),
    state: z
      .enum(statesOf('message'))
      .meta({ example: 'sent', description: '`sent`: the service took it for sending.' }),
    to: text('+221771234567'),
    lane: z.enum(['otp', 'normal']).meta({ example: 'normal' }),
    account: accountField,
    reference: referenceField,
    code: perhaps(text('ERROR_110')).meta({ description: "The service's code, where it gave one." }),
    sentAt: perhaps(time),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Message' });

const verdict = z.looseObject({
  index: z.int().nonnegative().meta({ example: 0, description: 'Its place in the request.' }),
  id: perhaps(text('msg_0f6c8d4b2a1e49578c3d')),
  outcome: z.enum(['accepted', 'duplicate', 'conflict', 'invalid', 'unconfirmed', 'stopped']),
  problem: z
    .array(z.looseObject({ pointer: text('/to'), message: text('must be a number in international form') }))
    .optional()
    .meta({ description: 'Only with `invalid`: everything that is wrong with it.' }),
});

export const messageVerdicts = z.looseObject({ items: z.array(verdict) }).meta({ id: 'MessageVerdicts' });

const bins = Object.fromEntries(campaignBins.map((bin) => [bin, count])) as Record<
  (typeof campaignBins)[number],
  typeof count
>;

export const campaign = z
  .looseObject({
    id: text('cmp_0f6c8d4b2a1e49578c3d'),
    name: text('November'),
    state: z.enum(statesOf('campaign')).meta({ example: 'running' }),
    account: accountField,
    reference: referenceField,
    totals: z.looseObject(bins).meta({
      description: '`total` is all of them, and the others add up to it, always.',
      example: {
        total: 100,
        queued: 30,
        sending: 10,
        sent: 56,
        skipped: 4,
        held: 0,
        failed: 0,
        unknown: 0,
        expired: 0,
        cancelled: 0,
      },
    }),
    resent: z
      .int()
      .optional()
      .meta({ description: 'How often somebody was sent to again after a doubt: duplicates.' }),
    retries: z.int().optional().meta({ description: 'How often those who failed went out again.' }),
    countries: z.record(z.string(), z.looseObject({ recipients: count, sent: count, failed: count, unknown: count })),
    segments: z
      .int()
      .meta({ example: 2, description: 'An estimate: the service shows neither segments nor encoding.' }),
    rate: z.number().meta({ example: 48.5, description: 'Recipients per second since the start.' }),
    eta: perhaps(time).meta({ description: 'When the rest would be done at that rate.' }),
    reason: reasonField,
    perSecond: perhaps(z.int()).meta({ example: 50, description: 'Recipients per second, at most; null: no limit.' }),
    sendAt: perhaps(time).meta({ description: 'When it begins by itself, once started.' }),
    quietHours: z
      .union([z.boolean(), z.string()])
      .meta({ example: '21:00-08:00', description: 'true: the hours of QUIET_HOURS.' }),
    timezone: z.string().optional(),
    canary: z.int().optional().meta({ description: 'How many recipients go first, alone.' }),
    requireSender: z.boolean().optional(),
    pauseOnFailure: z.union([z.literal(false), z.int()]).optional(),
    createdAt: time,
  })
  .meta({ id: 'Campaign' });

const recipient = z.looseObject({
  to: text('+221771234567'),
  row: z.int().meta({ example: 2, description: 'As a spreadsheet numbers it.' }),
  state: z.enum(recipientStates).meta({ example: 'sent' }),
  code: z.string().optional(),
  reason: z.string().optional().meta({ description: 'Why it was skipped.' }),
  chunk: z.string().optional().meta({ description: 'The request that it went with.' }),
  sentAt: time.optional(),
  segments: z.int().optional(),
  resent: z.int().optional().meta({ description: 'How often it was sent again after a doubt.' }),
});

export const recipients = z
  .looseObject({
    items: z.array(recipient),
    next: perhaps(text('c.4.17')).meta({ description: 'Give it as `after` to go on; null at the end.' }),
  })
  .meta({ id: 'RecipientList' });

export const uploadReport = z
  .looseObject({
    replayed: z.boolean().meta({ example: false, description: 'true: these bytes were uploaded before.' }),
    total: count,
    recipients: count,
    skipped: z.int().nonnegative().meta({ example: 0 }),
    blank: z.int().optional(),
    reasons: z
      .record(z.string(), z.looseObject({ count }))
      .optional()
      .meta({ description: 'Why rows are left out, with examples.' }),
    countries: z.record(z.string(), z.looseObject({})).optional(),
    repaired: z.looseObject({}).optional().meta({ description: 'Old numbers that were renewed.' }),
    segments: z
      .looseObject({
        estimated: z.literal(true),
        total: z.int(),
        textsBySegments: z.record(z.string(), z.int()),
        long: z.int().meta({ description: 'Texts that are unusually long.' }),
        costly: z.looseObject({}).meta({ description: 'Characters that make texts dear, and what would not.' }),
      })
      .optional()
      .meta({ description: 'Counted by our own reading of the rules: an estimate.' }),
    cost: z.looseObject({}).optional(),
    format: z.string().optional(),
    encoding: z.string().optional(),
    delimiter: z.string().optional(),
    bytes: z.int().optional(),
    contentHash: z.string().optional(),
    columns: z.array(z.string()).optional(),
  })
  .meta({ id: 'UploadReport' });

const listedFor = {
  account: accountField,
  from: perhaps(text('Boutique')).meta({ description: 'null: every sender.' }),
};

export const optOuts = z
  .looseObject({
    ...listedFor,
    total: z.int().optional().meta({ example: 1 }),
    forgotten: z.int().optional().meta({ description: 'People who were forgotten and must not be texted either.' }),
    items: z.array(text('+221771234567')).optional(),
    next: perhaps(z.string()).optional(),
    phone: z.string().optional().meta({ description: 'Where one was asked about.' }),
    optedOut: z.boolean().optional(),
  })
  .meta({ id: 'OptOutList' });

export const optOutsChanged = z
  .looseObject({
    ...listedFor,
    added: z.int().optional(),
    already: z.int().optional(),
    removed: z.int().optional(),
    absent: z.int().optional(),
    refused: z.int().meta({ example: 0, description: 'Numbers that could not be read.' }),
    problems: z
      .array(z.looseObject({ at: z.int().meta({ example: 2 }), reason: text('too_short'), message: z.string() }))
      .meta({ description: 'The first twenty of them, by their place.' }),
  })
  .meta({ id: 'OptOutsChanged' });

/** Answers about SMS: messages, campaigns, recipients. */
import { z } from 'zod';
import { type RecipientState, outcomeLetters } from '../../kinds/recipient.ts';
import { accountField, answerOf, count, perhaps, text, time } from './answers-shared.ts';

const recipientStates = Object.keys(outcomeLetters) as [RecipientState, ...RecipientState[]];

export const message = answerOf('message');

const verdict = z.looseObject({
  index: z.int().nonnegative().meta({ example: 0, description: 'Its place in the request.' }),
  id: perhaps(text('msg_0f6c8d4b2a1e49578c3d')),
  outcome: z.enum(['accepted', 'duplicate', 'conflict', 'invalid', 'valid', 'unconfirmed', 'stopped']),
  problem: z
    .array(z.looseObject({ pointer: text('/to'), message: text('must be a number in international form') }))
    .optional()
    .meta({ description: 'Only with `invalid`: everything that is wrong with it.' }),
  differs: z
    .array(text('/text'))
    .optional()
    .meta({ description: 'Only with `conflict`: what is not as in the request that `id` stands for.' }),
});

export const messageVerdicts = z.looseObject({ items: z.array(verdict) }).meta({ id: 'MessageVerdicts' });

const phone = text('+221771234567');

export const smsStatistics = z
  .looseObject({
    account: accountField,
    startDate: perhaps(text('2026-11-21 00:00:00')).meta({ description: 'As it was sent to the provider.' }),
    endDate: perhaps(text('2026-11-22 00:00:00')).meta({ description: 'As it was sent to the provider.' }),
    items: z.array(
      z.looseObject({
        phone,
        outcome: z.enum(['sent', 'unclear']).meta({
          description: '`unclear`: listed with a code that does not say that the SMS was sent.',
        }),
        code: perhaps(text('00')).meta({ description: 'The code of the provider, if it is a clear one.' }),
        text: text('Your code is ••••'),
      }),
    ),
    invalid: z.array(phone).meta({ description: 'Numbers that the provider calls invalid.' }),
    notNamed: z
      .array(phone)
      .meta({ description: 'Numbers about which the provider said nothing: this proves nothing.' }),
  })
  .meta({ id: 'SmsStatistics' });

export const campaign = answerOf('campaign');

const recipient = z.looseObject({
  to: text('+221771234567'),
  row: z.int().meta({ example: 2, description: 'As a spreadsheet numbers it.' }),
  state: z.enum(recipientStates).meta({ example: 'sent' }),
  code: z.string().optional(),
  reason: z.string().optional().meta({ description: 'Why it was skipped.' }),
  sentAt: time.optional(),
  segments: z.int().optional(),
  resent: z.int().optional().meta({ description: 'How often it was sent again after a doubt.' }),
  own: z
    .record(z.string(), z.string())
    .optional()
    .meta({ example: { prenom: 'Awa' }, description: 'What else its row of the file had, by heading.' }),
});

export const recipients = z
  .looseObject({
    items: z.array(recipient),
    columns: z
      .array(text('prenom'))
      .meta({ description: 'Headings of the files; one that is taken gets a number, as in `Ville (2)`.' }),
    next: perhaps(text('c.4.17')).meta({ description: 'Give it as `after` to go on; null at the end.' }),
  })
  .meta({ id: 'RecipientList' });

export const textedList = z
  .looseObject({
    items: z.array(
      z.looseObject({
        campaign: text('cmp_0f6c8d4b2a1e49578c3d'),
        name: text('november'),
        account: accountField,
        row: z.int().meta({ example: 2, description: 'Of its file.' }),
        state: text('sent'),
        code: perhaps(z.string()),
        sentAt: perhaps(z.string()),
        createdAt: time,
      }),
    ),
    next: perhaps(text('1763800000000.cmp_0f6c8d4b2a1e49578c3d.200')).meta({
      description: 'Give it as `after` to go on; null at the end.',
    }),
  })
  .meta({ id: 'TextedList' });

const doubtfulPart = {
  written: z.string(),
  meant: z.string().optional().meta({ description: 'Absent where letters are lost.' }),
};

const shownText = z.looseObject({
  why: z.array(z.enum(['first', 'longest', 'dearest', 'asked'])),
  row: z.int().meta({ example: 2 }),
  to: text('+221771234567'),
  text: text('Bonjour Awa'),
  characters: z.int(),
  encoding: z.enum(['GSM-7', 'UCS-2']),
  segments: z.int(),
  estimatedXof: z.number().optional(),
  values: z.record(z.string(), z.string()).optional().meta({ description: 'The row, by the columns of the file.' }),
});

const uploadFields = {
  dryRun: z.boolean().optional().meta({ description: 'true: nothing was stored.' }),
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
  preview: z.array(shownText).optional().meta({ description: 'With `dryRun`: some SMS as they would be sent.' }),
  format: z.string().optional().meta({ description: '`csv`, `ndjson`, `xlsx` or `ods`.' }),
  encoding: z.string().optional().meta({ description: 'Of a text; a workbook has none.' }),
  delimiter: z.string().optional(),
  bytes: z.int().optional(),
  contentHash: z.string().optional(),
  columns: z.array(z.string()).optional(),
  titleRows: z.int().optional().meta({ description: 'Rows above the header.' }),
  sheet: z.string().optional(),
  otherSheets: z.array(z.string()).optional().meta({ description: 'Not read.' }),
  merged: z.int().optional().meta({ description: 'Cells over several rows; only the first has the value.' }),
  truncatedRows: z
    .int()
    .optional()
    .meta({ description: 'Rows with more beside the number than reports give back (1,000 characters).' }),
  stopLink: z
    .looseObject({ characters: z.int(), assumed: z.boolean() })
    .optional()
    .meta({ description: 'How long the link of `{{stop}}` is; it is counted in segments.' }),
  probablyMeant: z
    .array(z.looseObject({ reason: text('not_a_variable'), ...doubtfulPart }))
    .optional()
    .meta({ description: 'Parts of the text that a phone would probably not show as they are meant.' }),
};

export const uploadReport = z.looseObject(uploadFields).meta({ id: 'UploadReport' });

const costlyCharacter = z.looseObject({
  character: text('ê'),
  codePoint: text('U+00EA'),
  replacement: z.string().optional(),
  texts: z.int(),
  inTemplate: z.boolean(),
});

const example = z.looseObject({
  row: z.int(),
  to: z.string(),
  column: z.string().optional(),
  detail: z
    .looseObject({ code: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])) })
    .optional(),
});

export const fileReport = z
  .looseObject({
    ...uploadFields,
    reasons: z.record(z.string(), z.looseObject({ count: z.int(), examples: z.array(example) })).optional(),
    countries: z
      .record(
        z.string(),
        z.looseObject({ recipients: z.int(), segments: z.int(), estimatedXof: z.number().optional() }),
      )
      .optional(),
    repaired: z
      .looseObject({
        count: z.int(),
        examples: z.array(z.looseObject({ row: z.int(), before: z.string(), after: z.string() })),
      })
      .optional(),
    segments: z
      .looseObject({
        estimated: z.literal(true),
        total: z.int(),
        textsBySegments: z.record(z.string(), z.int()),
        long: z.int(),
        costly: z.looseObject({
          texts: z.int(),
          characters: z.array(costlyCharacter),
          segmentsSaved: z.int(),
          estimatedXofSaved: z.number().optional(),
        }),
      })
      .optional(),
    cost: z.looseObject({ estimated: z.literal(true), xof: z.number(), unpriced: z.array(z.string()) }).optional(),
    decisions: z
      .array(
        z.looseObject({
          reason: text('no_country'),
          rows: z.int(),
          meant: z.array(z.looseObject(doubtfulPart)).optional(),
        }),
      )
      .meta({
        description:
          'What is still to be decided, by `leaveOut`, `repair`, `takeHidden`, `take`, `asWritten` or the country.',
      }),
  })
  .meta({ id: 'FileReport' });

const fileWishes = z.looseObject({
  repair: z.array(z.string()),
  phoneColumn: z.string().optional(),
  sheet: z.string().optional(),
  takeHidden: z.boolean(),
  take: z.array(z.string()).optional(),
  leaveOut: z.array(z.string()),
  asWritten: z.boolean(),
});

export const keptFile = z
  .looseObject({
    name: perhaps(text('november.xlsx')),
    bytes: perhaps(z.int()),
    keptAt: perhaps(time),
    until: perhaps(time).meta({ description: 'Then it is forgotten.' }),
    country: perhaps(text('SN')).meta({ description: 'That the campaign gives to numbers without one.' }),
    replaceCostly: z.boolean().meta({ example: false, description: 'What the campaign says of it.' }),
    options: perhaps(fileWishes).meta({ description: 'How the file was read at its last check.' }),
    report: perhaps(fileReport).meta({ description: 'What that said.' }),
  })
  .meta({ id: 'KeptFile' });

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

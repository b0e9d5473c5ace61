/** Answers about outgoing money: disbursements, batches, balances. */
import { z } from 'zod';
import { contentHash, totals } from '../../kinds/batch.ts';
import { disbursementFields, reportedOfPayment, reportedOfRow } from '../../kinds/disbursement-fields.ts';
import { statesOf } from '../../kinds/index.ts';
import { accountField, answerOf, cursor, perhaps, reasonField, sums, text, time } from './answers-shared.ts';

export const disbursement = answerOf('disbursement');

export const batch = answerOf('batch');

export const judgedBatch = batch
  .pick({
    state: true,
    account: true,
    contentHash: true,
    totals: true,
    problems: true,
    problemCount: true,
    warnings: true,
    warningCount: true,
  })
  .extend({
    dryRun: z.literal(true),
    table: perhaps(
      z.looseObject({
        columns: z.array(text('Téléphone')),
        fields: z
          .record(z.string(), z.string())
          .meta({ example: { amount: 'Net à payer' }, description: 'By field, the heading that it was read from.' }),
        titleRows: z.int().meta({ example: 2, description: 'Rows above the header.' }),
        sheet: perhaps(text('Novembre')),
        otherSheets: z.array(text('Octobre')),
        wallets: z
          .array(
            z.looseObject({ name: text('Orange Money'), rows: z.int(), mode: perhaps(text('wallet-a-senegal')) }),
          )
          .meta({ description: 'Names of wallets in the table. `mode` is null until `wallets` names it.' }),
      }),
    ).meta({ description: 'How the table was read. null: the file was JSON, or no table.' }),
    sample: z
      .array(
        z.looseObject({
          row: z.int().meta({ example: 2 }),
          accountAlias: disbursementFields.accountAlias.shown,
          amount: disbursementFields.amount.shown,
          withdrawMode: disbursementFields.withdrawMode.shown,
          reference: z.string().optional(),
          payeeName: z.string().optional(),
        }),
      )
      .meta({ description: 'The first valid rows, as they would be paid.' }),
    questions: z
      .array(
        z.looseObject({
          ask: z.enum(['thousands', 'takeHidden', 'charset']),
          rows: z.int().meta({ example: 12 }),
          charset: z.string().optional(),
        }),
      )
      .meta({ description: 'Problems that an option of the upload settles.' }),
    refusedRows: z.array(z.int()).meta({ example: [203], description: 'Rows with a problem, the first thousand.' }),
  })
  .meta({ id: 'BatchDryRun' });

const reportLine = z.looseObject({
  row: z.int().meta({ example: 2 }),
  reference: text('salary-2026-11-awa'),
  id: perhaps(text('dsb_0f6c8d4b2a1e49578c3d')),
  state: text('succeeded'),
  reason: reasonField,
  ...Object.fromEntries(reportedOfRow.map((name) => [name, disbursementFields[name].shown])),
  ...Object.fromEntries(reportedOfPayment.map((name) => [name, perhaps(z.string())])),
  own: z
    .record(z.string(), z.string())
    .optional()
    .meta({ example: { Nom: 'Awa' }, description: 'What its row had in columns that are not read, by heading.' }),
});

export const batchReport = z
  .looseObject({
    id: text('bat_0f6c8d4b2a1e49578c3d'),
    state: z.enum(statesOf('batch')).meta({ example: 'awaiting_approval' }),
    contentHash,
    totals,
    columns: z.array(text('Nom')).meta({ description: 'Headings of the columns that are not read.' }),
    items: z.array(reportLine),
    states: sums,
  })
  .meta({ id: 'BatchReport' });

export const batchRows = z
  .looseObject({
    columns: z.array(text('Nom')).meta({ description: 'Headings of the columns that relais does not read.' }),
    items: z.array(reportLine),
    next: cursor,
  })
  .meta({ id: 'BatchRows' });

export const recentPayments = z
  .looseObject({
    from: time,
    people: z.int().meta({ example: 12, description: 'Rows with such payments.' }),
    count: z.int().meta({ example: 14 }),
    xof: z.int().meta({ example: 1_250_000 }),
    items: z.array(
      z.looseObject({
        row: z.int().meta({ example: 2 }),
        count: z.int().meta({ example: 1 }),
        xof: z.int().meta({ example: 95_000 }),
        last: z
          .looseObject({
            id: text('dsb_0f6c8d4b2a1e49578c3d'),
            amount: z.int().meta({ example: 95_000 }),
            state: z.enum(statesOf('disbursement')).meta({ example: 'succeeded' }),
            createdAt: time,
          })
          .meta({ description: 'The newest of them.' }),
      }),
    ),
  })
  .meta({ id: 'RecentPayments' });

export const balances = z
  .looseObject({
    account: accountField,
    approximate: z.literal(true).meta({ description: 'The provider calls its own figures an approximation.' }),
    balances: z
      .record(z.string(), perhaps(z.number()))
      .meta({ description: 'XOF by country; null: it could not be read.', example: { SN: 1_250_000 } }),
    inFlight: z
      .record(z.string(), z.int())
      .optional()
      .meta({
        description: 'XOF that have still to leave or are on their way, by country.',
        example: { SN: 25_000 },
      }),
    afterInFlight: z
      .record(z.string(), perhaps(z.number()))
      .optional()
      .meta({ description: 'What would be left then: advice, never a gate.', example: { SN: 1_225_000 } }),
  })
  .meta({ id: 'Balances' });

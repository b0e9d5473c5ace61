/** The daily report. */
import { z } from 'zod';
import { textStates } from '../../kinds/day-totals.ts';
import { accountField, count, perhaps, text, time } from './answers-shared.ts';

const sum = (description: string) =>
  z.looseObject({ count: z.int(), xof: z.int() }).meta({ example: { count: 2, xof: 50_000 }, description });

const byState = (description: string) =>
  z.looseObject(Object.fromEntries(textStates.map((state) => [state, count]))).meta({ description });

const dailyRow = z
  .looseObject({
    account: accountField,
    country: perhaps(text('SN')).meta({
      description: 'Of the withdraw mode, or of the number that was texted. null: it has none, as an invoice.',
    }),
    opening: sum('Disbursements that were accepted and not over when the day began.'),
    accepted: sum('Disbursements that were accepted.'),
    succeeded: sum('Paid. Less than nothing where a word of another day was taken back.'),
    failed: sum('Not paid. Less than nothing where a word of another day was taken back.'),
    rejected: sum('Never submitted.'),
    cancelled: sum('Called back before anything was paid.'),
    closing: sum('opening + accepted - (succeeded + failed + rejected + cancelled).'),
    reversed: sum('Came back after it was paid, on whatever day that was.'),
    inDoubt: sum('Of the closing, what may have been paid already: at midnight, or by now.'),
    collected: sum('Invoices and payment requests that were paid.'),
    credited: sum('Direct credits that succeeded.'),
    creditsOpen: sum('Direct credits that were accepted and are not over: at midnight, or by now.'),
    texts: byState('Texts by what became of them, those of campaigns and single ones.'),
    segments: byState('Their segments.'),
    costEstimated: perhaps(z.number()).meta({
      example: 4_380,
      description: 'XOF, of what was sent or is in doubt, by SMS_PRICES_FILE. null: no price is known.',
    }),
  })
  .meta({ id: 'DailyRow' });

export const dailyReport = z
  .looseObject({
    date: text('2026-11-22'),
    timezone: text('Africa/Dakar'),
    closed: z.boolean().meta({ description: 'The day is over: its report does not change any more.' }),
    rows: z.array(dailyRow),
  })
  .meta({ id: 'DailyReport' });

/** Balances over time. */
export const balancesSeen = z
  .looseObject({
    items: z.array(
      z.looseObject({
        at: time.meta({ description: 'When somebody looked.' }),
        account: accountField,
        balances: z
          .record(z.string(), perhaps(z.number()))
          .meta({ description: 'XOF by country; null: it could not be read.', example: { SN: 1_250_000 } }),
      }),
    ),
    next: perhaps(text('1763800000000.main')).meta({
      description: '`after` of the next page; null on the last one.',
    }),
  })
  .meta({ id: 'BalancesSeen' });

const ours = {
  id: text('dsb_0f6c8d4b2a1e49578c3d'),
  state: text('succeeded'),
  account: accountField,
  amount: z.int().meta({ example: 25_000 }),
  transactionId: perhaps(text('TX-20261121-0042')),
  reference: perhaps(text('salary-2026-11-awa')),
};
const theirs = {
  row: z.int().meta({ example: 2, description: 'As a spreadsheet numbers it.' }),
  transactionId: text('TX-20261121-0042'),
  amount: z.int().meta({ example: 25_000, description: 'Amount of the statement, in XOF.' }),
  date: z.iso.date().meta({ example: '2026-11-21' }),
};
const notRead = z.looseObject({ row: z.int().meta({ example: 7 }), problem: text('Montant is empty') });

export const reconciliation = z
  .looseObject({
    headings: z.array(text('Transaction')),
    columns: z.looseObject({
      transactionId: perhaps(text('Transaction')),
      amount: perhaps(text('Montant')),
      date: perhaps(text('Date')),
    }),
    sheet: perhaps(text('Novembre')),
    otherSheets: z.array(text('Octobre')),
    unreadable: z.array(notRead),
    result: perhaps(
      z.looseObject({
        from: z.iso.date().meta({ example: '2026-11-01' }),
        to: z.iso.date().meta({ example: '2026-11-30' }),
        matched: z.looseObject({ count: z.int(), xof: z.int() }).meta({ example: { count: 197, xof: 45_013_500 } }),
        onlyOurs: z
          .array(z.looseObject({ ...ours, at: time }))
          .meta({ description: 'Paid in these days, and not in the statement.' }),
        onlyTheirs: z
          .array(
            z.looseObject({
              ...theirs,
              here: z.looseObject({ id: ours.id, state: ours.state }).optional().meta({
                description: 'The operation with this transaction id, which did not succeed or was matched before.',
              }),
            }),
          )
          .meta({ description: 'In the statement, and not paid by relais.' }),
        differentAmount: z.array(
          z.looseObject({
            ...theirs,
            id: ours.id,
            reference: ours.reference,
            ours: z.int().meta({ example: 24_500 }),
          }),
        ),
        unreadable: z.array(notRead),
      }),
    ).meta({ description: 'null: a column is missing, or no row can be read.' }),
  })
  .meta({ id: 'Reconciliation' });

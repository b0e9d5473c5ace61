/** How a table of payments is read that an office made for itself: the query of an upload, and what a check says of it. */
import { z } from 'zod';
import { identityText } from '../kinds/request-pieces.ts';
import type { OfficeReading } from '../producer/batch/layout.ts';
import { says } from '../messages/schemas.ts';
import { named } from './campaign-upload.ts';
import { flag } from './route.ts';

const column = (description: string) => named.optional().meta({ description });

const WALLETS_MOST = 100;
const NAMED_MODE = /^([^:]{1,100}):([^:,]{1,64})$/u;

/** `Orange Money:wallet-a-senegal,Wave:wallet-d-senegal` */
const wallets = z
  .string()
  .refine((text) => {
    const pairs = text.split(',');
    return pairs.length <= WALLETS_MOST && pairs.every((pair) => NAMED_MODE.test(pair));
  }, says('named_modes'))
  .transform((text) =>
    Object.fromEntries(text.split(',').map((pair) => pair.split(':').map((part) => part.trim()) as [string, string])),
  );

const LEFT_OUT_MOST = 500;
const rows = z
  .string()
  .regex(/^[1-9]\d{0,6}(?:,[1-9]\d{0,6})*$/, says('row_numbers'))
  .transform((text) => [...new Set(text.split(',').map(Number))].toSorted((one, other) => one - other))
  .refine((list) => list.length <= LEFT_OUT_MOST, says('entries_at_most', { most: LEFT_OUT_MOST }));

export const readingQuery = {
  sheet: column('Sheet of a workbook; absent: the first visible sheet.'),
  phoneColumn: column('Column of the phone numbers, if its name does not tell.'),
  amountColumn: column('Column of the amounts, if its name does not tell.'),
  walletColumn: column('Column of the wallets, if its name does not tell.'),
  referenceColumn: column('Column of the references, such as a staff number, if its name does not tell.'),
  payeeColumn: column('Column of the names of the payees, if its name does not tell.'),
  purposeColumn: column('Column of the purposes, if its name does not tell.'),
  wallet: named.optional().meta({ description: 'Withdraw mode of all rows, if the table has no column for it.' }),
  wallets: wallets.optional().meta({
    description: 'Withdraw mode for each name that the wallet column has, as `NAME:MODE,NAME:MODE`.',
    example: 'Orange Money:wallet-a-senegal',
  }),
  referencePrefix: identityText(80).optional().meta({
    description: 'Begins each reference; the reference column follows, or the number of the row.',
    example: 'salaries-2026-11',
  }),
  thousands: flag.meta({ description: 'Read `346.500` as 346500.' }),
  takeHidden: flag.meta({ description: 'Also pay rows that the spreadsheet hides.' }),
  leaveOut: rows
    .optional()
    .meta({ description: 'Numbers of rows that are not paid, such as a total.', example: '203' }),
};

type ReadingQuery = { readonly [K in keyof typeof readingQuery]: z.output<(typeof readingQuery)[K]> };

/** The given options only: the same reading has the same hash, however it was requested. */
export function officeReading(query: ReadingQuery): OfficeReading {
  const { wallet, wallets: modes, referencePrefix, thousands, takeHidden, leaveOut } = query;
  const columns = given({
    accountAlias: query.phoneColumn,
    amount: query.amountColumn,
    withdrawMode: query.walletColumn,
    reference: query.referenceColumn,
    payeeName: query.payeeColumn,
    purpose: query.purposeColumn,
  });
  return given({
    columns: Object.keys(columns).length === 0 ? undefined : columns,
    wallet,
    wallets: modes,
    referencePrefix,
    thousands: thousands || undefined,
    takeHidden: takeHidden || undefined,
    leaveOut,
  });
}

function given<T extends Readonly<Record<string, unknown>>>(all: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

/** Flags that say how a table of payments is read that was not written for relais. */
import type { Command } from 'commander';
import { repeated } from './flags.ts';

export interface ReadingFlags {
  readonly sheet?: string;
  readonly phoneColumn?: string;
  readonly amountColumn?: string;
  readonly walletColumn?: string;
  readonly referenceColumn?: string;
  readonly payeeColumn?: string;
  readonly purposeColumn?: string;
  readonly wallet?: string;
  readonly walletName?: readonly string[];
  readonly referencePrefix?: string;
  readonly thousands?: true;
  readonly takeHidden?: true;
  readonly leaveOut?: string;
}

export function withReading(command: Command): Command {
  return command
    .option('--sheet <name>', 'sheet of a workbook; default: the first visible sheet')
    .option('--phone-column <name>', 'column of the phone numbers, if its name does not tell')
    .option('--amount-column <name>', 'column of the amounts')
    .option('--wallet-column <name>', 'column of the wallets')
    .option('--reference-column <name>', 'column of the references, such as a staff number')
    .option('--payee-column <name>', 'column of the names of the payees')
    .option('--purpose-column <name>', 'column of the purposes')
    .option('--wallet <mode>', 'withdraw mode of all rows, if the table has no column for it')
    .option('--wallet-name <name:mode>', 'withdraw mode for a name in the wallet column; repeat for each', repeated)
    .option('--reference-prefix <text>', 'begins each reference: salaries-2026-11')
    .option('--thousands', 'read 346.500 as 346500')
    .option('--take-hidden', 'also pay rows that the spreadsheet hides')
    .option('--leave-out <rows>', 'rows that are not paid, such as a total: 203,204');
}

export function readingOf({
  sheet,
  phoneColumn,
  amountColumn,
  walletColumn,
  referenceColumn,
  payeeColumn,
  purposeColumn,
  wallet,
  walletName,
  referencePrefix,
  thousands,
  takeHidden,
  leaveOut,
}: ReadingFlags): Readonly<Record<string, string | true | undefined>> {
  const wallets = walletName?.join(',');
  const columns = { phoneColumn, amountColumn, walletColumn, referenceColumn, payeeColumn, purposeColumn };
  return { sheet, ...columns, wallet, wallets, referencePrefix, thousands, takeHidden, leaveOut };
}

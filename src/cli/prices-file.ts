/** A price table on this machine: `--prices FILE`, else SMS_PRICES_FILE, as the API reads it. */
import { readFile } from 'node:fs/promises';
import { type Prices, readPrices, UnusablePrices } from '../files/prices.ts';
import { CommandFailed } from './failure.ts';
import type { CliIo } from './io.ts';

export async function pricesFor(flag: string | undefined, { env }: CliIo): Promise<Prices | undefined> {
  const path = flag ?? (env['SMS_PRICES_FILE'] || undefined);
  if (path === undefined) return undefined;
  try {
    return readPrices(await readFile(path, 'utf8'));
  } catch (cause) {
    const why = cause instanceof UnusablePrices ? cause.message : 'it cannot be read';
    throw new CommandFailed(`${path}: ${why}.`, {
      next: 'Write it as {"SN": 20, "CI": 22.5}: XOF per segment, by country.',
      cause,
    });
  }
}

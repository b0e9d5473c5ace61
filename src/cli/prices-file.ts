/** A price table on this machine: `--prices FILE`, otherwise SMS_PRICES_FILE, in the API's format. */
import { readFile } from 'node:fs/promises';
import { type Prices, readPrices, UnusablePrices } from '../files/prices.ts';
import { textOf } from '../lib/saved-text.ts';
import { describeDetail } from '../messages/details.ts';
import { CommandFailed } from './failure.ts';
import type { Shell } from './shell.ts';

export async function pricesFor(
  flag: string | undefined,
  { io: { env }, words: { commands }, language }: Shell,
): Promise<Prices | undefined> {
  const path = flag ?? (env['SMS_PRICES_FILE'] || undefined);
  if (path === undefined) return undefined;
  try {
    return readPrices(textOf(await readFile(path)));
  } catch (cause) {
    const why =
      cause instanceof UnusablePrices
        ? cause.problems.map((one) => describeDetail(one, language)).join('; ')
        : commands.unreadableFile.other;
    throw new CommandFailed(commands.aboutFile(path, why), { next: commands.prices.form, cause });
  }
}

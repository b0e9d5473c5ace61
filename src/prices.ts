/** What a segment costs in each country, from SMS_PRICES_FILE. */
import { readFileSync } from 'node:fs';
import { type Prices, readPrices } from './campaigns/check/prices.ts';
import { type Config, WrongSettings } from './config.ts';

/** Undefined where no file is named: uploads then say nothing about cost. */
export function readPricesOf({ SMS_PRICES_FILE: path }: Pick<Config, 'SMS_PRICES_FILE'>): Prices | undefined {
  if (path === undefined) return undefined;
  try {
    return readPrices(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new WrongSettings([`SMS_PRICES_FILE: ${path}: ${why}`]);
  }
}

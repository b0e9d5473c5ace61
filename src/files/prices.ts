import { isSupportedCountry } from 'libphonenumber-js/max';

/** XOF per segment, by country (`SN`). A country that is not here has no price; it is named, never guessed. */
export type Prices = Readonly<Record<string, number>>;

/** Says what is wrong with a price table, in words for its author. */
export class UnusablePrices extends Error {
  override readonly name = 'UnusablePrices';
}

/** Reads a table such as `{"SN": 20, "CI": 22.5}`. Throws an UnusablePrices. */
export function readPrices(json: string): Prices {
  const table = parse(json);
  const problems = Object.entries(table).flatMap(([country, price]) => {
    if (!isSupportedCountry(country))
      return [`"${country.slice(0, 20)}" is not a country (write two capital letters)`];
    return isPrice(price) ? [] : [`${country}: the price must be XOF per segment, with at most two decimals`];
  });
  if (problems.length === 0 && Object.keys(table).length === 0) problems.push('the table is empty');
  if (problems.length > 0) throw new UnusablePrices(problems.join('; '));
  return table as Prices;
}

/** XOF for so many segments, rounded to whole francs, since XOF has no smaller unit. */
export function costOf(segments: number, price: number): number {
  return Math.round((segments * Math.round(price * 100)) / 100);
}

function parse(json: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UnusablePrices('it is not JSON', { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UnusablePrices('it must be an object such as {"SN": 20}');
}

function isPrice(value: unknown): boolean {
  return (
    typeof value === 'number' &&
    value >= 0 &&
    value <= 100_000 &&
    Math.abs(value * 100 - Math.round(value * 100)) < 1e-6
  );
}

import { isSupportedCountry } from 'libphonenumber-js/max';
import { type Detail, detail } from '../messages/details.ts';

/** XOF per segment, by country (`SN`). A missing country has no price; it is reported, never guessed. */
export type Prices = Readonly<Record<string, number>>;

/** The error of a price table, for its author. */
export class UnusablePrices extends Error {
  override readonly name = 'UnusablePrices';
  readonly problems: readonly Detail[];

  constructor(problems: readonly Detail[], cause?: unknown) {
    super(problems.map(({ message }) => message).join('; '), { cause });
    this.problems = problems;
  }
}

/** Parses a table such as `{"SN": 20, "CI": 22.5}`. Throws an UnusablePrices. */
export function readPrices(json: string): Prices {
  const table = parse(json);
  const problems = Object.entries(table).flatMap(([country, price]) => {
    if (!isSupportedCountry(country)) return [detail('price_country', { country: country.slice(0, 20) })];
    return isPrice(price) ? [] : [detail('price_form', { country })];
  });
  if (problems.length === 0 && Object.keys(table).length === 0) problems.push(detail('price_none', {}));
  if (problems.length > 0) throw new UnusablePrices(problems);
  return table as Prices;
}

/** XOF for this many segments, rounded to whole francs, since XOF has no smaller unit. */
export function costOf(segments: number, price: number): number {
  return Math.round((segments * Math.round(price * 100)) / 100);
}

function parse(json: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UnusablePrices([detail('no_json', {})], error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UnusablePrices([detail('price_object', {})]);
}

function isPrice(value: unknown): boolean {
  return (
    typeof value === 'number' &&
    value >= 0 &&
    value <= 100_000 &&
    Math.abs(value * 100 - Math.round(value * 100)) < 1e-6
  );
}

/** Cost of an SMS by the country of its number, and the budget periods. */
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import { digitsOf } from './phone.ts';
import { countSegments } from './segments.ts';

/** Hundredths of XOF, since a price may have two decimals. */
export type Cents = number;

/** The longest country calling code. */
const CODE_LONGEST = 4;
/** Segments of the longest SMS: if a budget covers this many, any SMS may leave. */
const SEGMENTS_MOST = 10;

export class SmsCost {
  readonly #byCode = new Map<string, Cents>();
  readonly #highest: Cents;
  readonly pricesAreKnown: boolean;

  /** XOF per segment, by country. */
  constructor(prices: Readonly<Record<string, number>>) {
    for (const [country, price] of Object.entries(prices)) {
      if (!isSupportedCountry(country)) continue;
      const code = getCountryCallingCode(country);
      this.#byCode.set(code, Math.max(this.#byCode.get(code) ?? 0, Math.round(price * 100)));
    }
    this.#highest = Math.max(0, ...this.#byCode.values());
    this.pricesAreKnown = this.#byCode.size > 0;
  }

  /** A country without a price costs as much as the most expensive country with a price. */
  costOf(to: string, text: string): Cents {
    return countSegments(text).segments * this.#priceOf(to);
  }

  /** Whether a budget covers any SMS, or half of it is unused. XOF. */
  hasRoom({ value, spent }: { readonly value: number; readonly spent: number }): boolean {
    const left = value * 100 - Math.round(spent * 100);
    return left > 0 && left >= Math.min(SEGMENTS_MOST * this.#highest, value * 50);
  }

  #priceOf(to: string): Cents {
    const digits = digitsOf(to);
    for (let length = CODE_LONGEST; length > 0; length -= 1) {
      const price = this.#byCode.get(digits.slice(0, length));
      if (price !== undefined) return price;
    }
    return this.#highest;
  }
}

/** Day (`2026-11-28`) and month (`2026-11`) of a time zone. */
export interface Period {
  readonly day: string;
  readonly month: string;
}

const MINUTE_MS = 60_000;

export class Periods {
  readonly #days: Intl.DateTimeFormat;
  #known: { readonly minute: number; readonly period: Period } | undefined;

  constructor(timezone: string) {
    this.#days = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  }

  /** `at`: ms since the epoch. */
  of(at: number): Period {
    // Days begin with a minute, in every zone; a campaign calls this every few milliseconds.
    const minute = Math.floor(at / MINUTE_MS);
    if (this.#known?.minute !== minute) {
      const day = this.#days.format(at);
      this.#known = { minute, period: { day, month: day.slice(0, 7) } };
    }
    return this.#known.period;
  }
}

/**
 * What texts may cost an account in a day and in a month. The script that writes down what is about to leave counts it
 * (step-slice.lua); here is what a text costs, and whether a budget that was reached has room again.
 */
import type { Redis } from 'ioredis';
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import type { Prices } from '../files/prices.ts';
import { digitsOf } from '../lib/phone.ts';
import { countSegments } from '../lib/segments.ts';
import { keys } from './keys.ts';
import type { BudgetPeriod } from './slices.ts';
import { type Opinions, OFF, limitsOf, strictestOf } from '../kinds/limits.ts';

/** Hundredths of XOF, since a price may have two decimals. */
type Cents = number;

/** No country's code is longer. */
const CODE_LONGEST = 4;
/** Parts of the longest text that a phone takes for one: where so much is left, any text may leave. */
const SEGMENTS_MOST = 10;

interface BudgetsOptions {
  readonly timezone: string;
  /** XOF per segment, by country. Absent: this process knows no price, and sends nothing under a budget. */
  readonly prices?: Prices | undefined;
  /** What the settings of this process ask of the limits. */
  readonly limits?: Opinions | undefined;
}

/** What an attempt needs of budgets. */
export interface BudgetsContract {
  /** A step may count: from then on each request says what it costs. */
  reckons: boolean;
  readonly pricesAreKnown: boolean;
  costOf(to: string, text: string): Cents;
  periodOf(at: number): BudgetPeriod;
  hasRoom(account: string, at: number): Promise<boolean>;
}

const MINUTE_MS = 60_000;

/** A budget that there is: what it lets through in its period, and what was spent of it. */
export interface BudgetStanding {
  readonly limit: 'SMS_BUDGET_DAY' | 'SMS_BUDGET_MONTH';
  /** XOF, both. */
  readonly value: number;
  readonly spent: number;
}

export class Budgets implements BudgetsContract {
  reckons: boolean;
  readonly pricesAreKnown: boolean;
  readonly #redis: Redis;
  readonly #own: Opinions;
  readonly #days: Intl.DateTimeFormat;
  #asked: { readonly minute: number; readonly period: BudgetPeriod } | undefined;
  readonly #byCode = new Map<string, Cents>();
  readonly #dearest: Cents;

  constructor(redis: Redis, { timezone, prices = {}, limits = {} }: BudgetsOptions) {
    this.#redis = redis;
    this.#own = limits;
    this.#days = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
    for (const [country, price] of Object.entries(prices)) {
      if (!isSupportedCountry(country)) continue;
      const code = getCountryCallingCode(country);
      this.#byCode.set(code, Math.max(this.#byCode.get(code) ?? 0, Math.round(price * 100)));
    }
    this.#dearest = Math.max(0, ...this.#byCode.values());
    this.pricesAreKnown = this.#byCode.size > 0;
    this.reckons = limitsOf('texts').some((name) => typeof limits[name] === 'number');
  }

  /** A country without a price costs as much as the dearest that has one. */
  costOf(to: string, text: string): Cents {
    return countSegments(text).segments * this.#priceOf(to);
  }

  #priceOf(to: string): Cents {
    const digits = digitsOf(to);
    for (let length = CODE_LONGEST; length > 0; length -= 1) {
      const price = this.#byCode.get(digits.slice(0, length));
      if (price !== undefined) return price;
    }
    return this.#dearest;
  }

  periodOf(at: number): BudgetPeriod {
    // Days begin with a minute, in every zone; a step of a slice asks each few milliseconds.
    const minute = Math.floor(at / MINUTE_MS);
    if (this.#asked?.minute !== minute) {
      const day = this.#days.format(at);
      this.#asked = { minute, period: { day, month: day.slice(0, 7) } };
    }
    return this.#asked.period;
  }

  /** Whether any text may leave, or as much of the budget is unused as a small one ever has. */
  async hasRoom(account: string, at: number): Promise<boolean> {
    const budgets = await this.standing(account, at);
    if (budgets.length > 0 && !this.pricesAreKnown) return false;
    return budgets.every(({ value, spent }) => {
      const left = value * 100 - Math.round(spent * 100);
      return left > 0 && left >= Math.min(SEGMENTS_MOST * this.#dearest, value * 50);
    });
  }

  async standing(account: string, at: number): Promise<readonly BudgetStanding[]> {
    const { day, month } = this.periodOf(at);
    const names = ['SMS_BUDGET_DAY', 'SMS_BUDGET_MONTH'] as const;
    const [shared, spent] = await Promise.all([
      this.#redis.hmget(keys.limits, ...names),
      this.#redis.hmget(keys.textsCost(account, month), day, 'all'),
    ]);
    return names.flatMap((limit, place) => {
      const word = shared[place];
      const held = word === null || word === undefined ? undefined : word === OFF ? null : Number(word);
      const value = strictestOf(limit, [this.#own[limit], held]);
      return value === null ? [] : [{ limit, value, spent: Number(spent[place] ?? 0) / 100 }];
    });
  }
}

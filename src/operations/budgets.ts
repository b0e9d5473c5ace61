/**
 * What texts may cost an account in a day and in a month. The script that writes down what is about to leave counts it
 * (step-slice.lua); here is what a text costs, and whether a budget that was reached has room again.
 */
import type { Redis } from 'ioredis';
import type { Prices } from '../files/prices.ts';
import { type Cents, Periods, SmsCost } from '../lib/sms-cost.ts';
import { keys } from './keys.ts';
import type { BudgetPeriod } from './slices.ts';
import { type Opinions, OFF, limitsOf, strictestOf } from '../kinds/limits.ts';

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
  readonly #cost: SmsCost;
  readonly #periods: Periods;

  constructor(redis: Redis, { timezone, prices = {}, limits = {} }: BudgetsOptions) {
    this.#redis = redis;
    this.#own = limits;
    this.#periods = new Periods(timezone);
    this.#cost = new SmsCost(prices);
    this.pricesAreKnown = this.#cost.pricesAreKnown;
    this.reckons = limitsOf('texts').some((name) => typeof limits[name] === 'number');
  }

  costOf(to: string, text: string): Cents {
    return this.#cost.costOf(to, text);
  }

  periodOf(at: number): BudgetPeriod {
    return this.#periods.of(at);
  }

  /** Whether any text may leave, or as much of the budget is unused as a small one ever has. */
  async hasRoom(account: string, at: number): Promise<boolean> {
    const budgets = await this.standing(account, at);
    if (budgets.length > 0 && !this.pricesAreKnown) return false;
    return budgets.every((budget) => this.#cost.hasRoom(budget));
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

/** Budgets of SMS cost, by day and month. `step` counts the cost in the statement that releases a request. */
import { type Opinions, limitsOf, strictestOf } from '../kinds/limits.ts';
import { type Cents, type Period, Periods, SmsCost } from '../lib/sms-cost.ts';
import type { Database } from './pool.ts';

interface BudgetsOptions {
  readonly database: Database;
  readonly timezone: string;
  /** XOF per segment, by country. Absent: this process knows no price, and sends nothing under a budget. */
  readonly prices?: Readonly<Record<string, number>> | undefined;
  /** The limits in the settings of this process. */
  readonly limits?: Opinions | undefined;
}

interface BudgetRow {
  readonly name: BudgetStanding['limit'];
  readonly is_set: boolean;
  readonly value: string | null;
  readonly cents: string;
}

export interface BudgetStanding {
  readonly limit: 'SMS_BUDGET_DAY' | 'SMS_BUDGET_MONTH';
  /** Both in XOF. */
  readonly value: number;
  readonly spent: number;
}

export class Budgets {
  /** Steps count costs: each request from now on names its cost. */
  reckons: boolean;
  readonly pricesAreKnown: boolean;
  readonly #database: Database;
  readonly #own: Opinions;
  readonly #cost: SmsCost;
  readonly #periods: Periods;

  constructor({ database, timezone, prices = {}, limits = {} }: BudgetsOptions) {
    this.#database = database;
    this.#own = limits;
    this.#cost = new SmsCost(prices);
    this.#periods = new Periods(timezone);
    this.pricesAreKnown = this.#cost.pricesAreKnown;
    this.reckons = limitsOf('texts').some((name) => typeof limits[name] === 'number');
  }

  costOf(to: string, text: string): Cents {
    return this.#cost.costOf(to, text);
  }

  periodOf(at: number): Period {
    return this.#periods.of(at);
  }

  async hasRoom(account: string, at: number): Promise<boolean> {
    const budgets = await this.standing(account, at);
    if (budgets.length > 0 && !this.pricesAreKnown) return false;
    return budgets.every((budget) => this.#cost.hasRoom(budget));
  }

  async standing(account: string, at: number): Promise<readonly BudgetStanding[]> {
    const { day, month } = this.periodOf(at);
    const rows = await this.#database.run<BudgetRow>('sms_budgets', [account, day, month]);
    return rows.flatMap(({ name: limit, is_set, value: held, cents }) => {
      const shared = held === null ? null : Number(held);
      const value = strictestOf(limit, [this.#own[limit], is_set ? shared : undefined]);
      return value === null ? [] : [{ limit, value, spent: Number(cents) / 100 }];
    });
  }
}

/** Counts the cost of SMS against the budgets of their account before they leave. */
import type { Clock } from '../lib/clock.ts';
import type { Cents, Period } from '../lib/sms-cost.ts';
import type { Budgets } from './budgets.ts';
import type { Database } from './pool.ts';

export interface Charged {
  /** Number of requests that may leave, from the first on. */
  readonly allowed: number;
  /** The rest for the next request. */
  readonly spare: Cents;
  /** Absent: there is no budget, and nothing was counted. */
  readonly period?: Period;
}

interface Standing {
  readonly atMono: number;
  readonly limits: Promise<{ readonly day: Cents; readonly month: Cents } | undefined>;
}

interface SmsChargesOptions {
  readonly database: Database;
  readonly budgets: Pick<Budgets, 'standing' | 'periodOf' | 'pricesAreKnown'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Maximum age of cached budgets. */
const FRESH_MS = 1_000;

export class SmsCharges {
  readonly #options: SmsChargesOptions;
  readonly #standings = new Map<string, Standing>();

  constructor(options: SmsChargesOptions) {
    this.#options = options;
  }

  /** `costs` of requests of an account, in order. `at`: ms since the epoch. */
  async charge(account: string, at: number, costs: readonly Cents[]): Promise<Charged> {
    const limits = await this.#limitsOf(account, at);
    if (limits === undefined) return { allowed: costs.length, spare: Number.POSITIVE_INFINITY };
    const { database, budgets } = this.#options;
    const period = budgets.periodOf(at);
    // Without prices no cost can be counted, so nothing leaves.
    if (!budgets.pricesAreKnown) return { allowed: 0, spare: 0, period };
    return database.transaction(async (run) => {
      const rows = await run<{ period: string; cents: string }>('hold_sms_cost', [account, period.day, period.month]);
      const spent = new Map(rows.map((row) => [row.period, Number(row.cents)]));
      const left = (limit: Cents, name: string): Cents => limit - (spent.get(name) ?? 0);
      let spare = Math.min(left(limits.day, period.day), left(limits.month, period.month));
      const before = spare;
      const stop = costs.findIndex((cost) => {
        if (cost > spare) return true;
        spare -= cost;
        return false;
      });
      const allowed = stop < 0 ? costs.length : stop;
      if (before !== spare) await run('add_sms_cost', [account, period.day, period.month, before - spare]);
      return { allowed, spare: Math.max(0, spare), period };
    });
  }

  /** Unsent SMS cost nothing. Costs counted on an earlier day stay there. */
  async giveBack(account: string, { day, month }: Period, cents: Cents): Promise<void> {
    await this.#options.database.run('add_sms_cost', [account, day, month, -cents]);
  }

  async #limitsOf(account: string, at: number): Promise<{ day: Cents; month: Cents } | undefined> {
    const { clock, budgets } = this.#options;
    const known = this.#standings.get(account);
    if (known !== undefined && clock.monotonic() - known.atMono < FRESH_MS) return known.limits;
    const limits = budgets.standing(account, at).then((standing) => {
      if (standing.length === 0) return undefined;
      const of = (name: string): Cents => {
        const found = standing.find(({ limit }) => limit === name);
        return found === undefined ? Number.POSITIVE_INFINITY : found.value * 100;
      };
      return { day: of('SMS_BUDGET_DAY'), month: of('SMS_BUDGET_MONTH') };
    });
    this.#standings.set(account, { atMono: clock.monotonic(), limits });
    limits.catch(() => this.#standings.delete(account));
    return limits;
  }
}

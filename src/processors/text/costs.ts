/** What the texts of a slice cost, and what an attempt at it is counted for and gives back. */
import type { BudgetsContract } from '../../operations/budgets.ts';
import type { BudgetPeriod, SliceStep } from '../../operations/slices.ts';
import type { Texts } from './texts.ts';

/** What a request was counted for. */
interface Counted extends BudgetPeriod {
  readonly cost: number;
}

/** Of a process that counts nothing. */
const NO_PERIOD: BudgetPeriod = { day: '', month: '' };

/** All in hundredths of XOF. */
export class Costs {
  readonly #texts: Texts;
  readonly #budgets: BudgetsContract | undefined;
  /** Of requests that this attempt has let leave. */
  readonly #counted = new Map<number, Counted>();
  #givenBack: Counted[] = [];
  /** For texts that may have left. */
  #charged = 0;

  constructor(texts: Texts, budgets: BudgetsContract | undefined) {
    this.#texts = texts;
    this.#budgets = budgets;
  }

  /** Of a request, where a step may ask for it. */
  of(places: readonly number[]): { readonly cost?: number } {
    return this.#budgets?.reckons ? { cost: places.reduce((sum, place) => sum + this.#at(place), 0) } : {};
  }

  /** For how many of them, from the first on, this is enough. */
  enoughFor(places: readonly number[], spare: number): number {
    let left = spare;
    const end = places.findIndex((place) => (left -= this.#at(place)) < 0);
    return end < 0 ? places.length : end;
  }

  /** They may have got it: it counts, whatever was counted before. */
  charge(places: readonly number[]): void {
    for (const place of places) this.#charged += this.#at(place);
  }

  left(number: number, { leaving, period }: Pick<SliceStep, 'leaving' | 'period'>, index: number): void {
    const { cost } = leaving[index] ?? {};
    if (cost !== undefined) this.#counted.set(number, { cost, ...period });
  }

  /** Of this request nothing was sent: what it was counted for is left for others. */
  giveBack(number: number): void {
    const counted = this.#counted.get(number);
    if (this.#counted.delete(number) && counted) this.#givenBack.push(counted);
  }

  /** For the next step. What was counted in a day that is over stays counted there. */
  take(at: number): Pick<SliceStep, 'period' | 'charged'> {
    const period = this.#budgets?.periodOf(at) ?? NO_PERIOD;
    const back = this.#givenBack.filter(({ day }) => day === period.day);
    const charged = this.#charged - back.reduce((sum, { cost }) => sum + cost, 0);
    this.#givenBack = [];
    this.#charged = 0;
    return { period, charged };
  }

  /** 0 where nobody knows a price. */
  #at(place: number): number {
    const { to, text } = this.#texts.at(place);
    return this.#budgets?.costOf(to, text) ?? 0;
  }
}

/** A process that may die or pause at every await. Each attempt has its own, which is the worst case. */
import { AnswerLost, DatabaseAway } from '../../src/ledger/errors.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { Timeline } from './timeline.ts';

export const LEASE_MS = 130_000;

/** The probability of each fault, at each occasion. */
export interface Faults {
  /** A process dies, or pauses and then continues, at any await. */
  readonly kill: number;
  readonly freeze: number;
  /** The longest pause, ms. */
  readonly standstillMs: number;
  /** A statement is not sent; or it is, and its answer is lost. */
  readonly away: number;
  readonly answerLost: number;
  /** Per request to the provider. */
  readonly provider: number;
  /** A process pauses between its last check of the clock and the first byte: no guard can detect this. */
  readonly standsStillBeforeSend: number;
  /** Per status answer: outdated; about another payment; without the payment's name. */
  readonly stale: number;
  readonly ofAnother: number;
  readonly nameless: number;
  /** Per payment: the provider reports a failure for a while; the money is returned in the end. */
  readonly lies: number;
  readonly reverses: number;
  /** A token is issued a second time. */
  readonly tokenTwice: number;
}

export const FAULTS: Faults = {
  kill: 0.012,
  freeze: 0.02,
  standstillMs: 6 * LEASE_MS,
  away: 0.005,
  answerLost: 0.015,
  provider: 0.2,
  standsStillBeforeSend: 0.005,
  stale: 0.06,
  ofAnother: 0.001,
  nameless: 0,
  lies: 0,
  reverses: 0,
  tokenTwice: 0,
};

export class Chance {
  readonly random: Random;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  happens(probability: number): boolean {
    return this.random.fraction() < probability;
  }

  /** From 0 to `most`; small values are far more frequent. */
  upTo(most: number): number {
    return this.random.fraction() ** 4 * most;
  }

  between(least: number, most: number): number {
    return least + this.random.fraction() * (most - least);
  }

  whole(below: number): number {
    return Math.floor(this.random.fraction() * below);
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.whole(from.length)] ?? from[0];
  }
}

export interface Surroundings {
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly counts: Record<string, number>;
}

export class Process {
  readonly #at: Surroundings;
  readonly #bootedAt: number;
  #dead = false;
  #standsStillUntil = 0;
  /** Suspensions of the whole machine. The monotonic clock stops in them. */
  readonly #suspensions: { readonly from: number; readonly until: number }[] = [];

  constructor(surroundings: Surroundings) {
    this.#at = surroundings;
    this.#bootedAt = surroundings.chance.between(0, 1e9);
  }

  get isDead(): boolean {
    return this.#dead;
  }

  get clock(): Clock {
    const { timeline } = this.#at;
    return {
      now: () => timeline.now,
      monotonic: () => timeline.now - this.#bootedAt - this.#suspendedMs(),
      sinceBoot: () => timeline.now - this.#bootedAt,
      sleep: (ms) => new Promise((resolve) => timeline.after(ms, () => this.whenAwake(resolve))),
      after: (ms, run) => {
        let armed = true;
        timeline.after(ms, () => this.whenAwake(() => void (armed && run())));
        return () => void (armed = false);
      },
    };
  }

  /** One statement to the ledger with its answer. A dead process gets no answer; the ledger is unaffected. */
  send<T>(statement: () => T): Promise<T> {
    const { chance, faults } = this.#at;
    return new Promise<T>((resolve, reject) => {
      this.goOn(chance.upTo(5), () => {
        if (chance.happens(faults.away)) return reject(new DatabaseAway('PostgreSQL is away'));
        const lost = chance.happens(faults.answerLost);
        const answer = outcomeOf(statement);
        this.goOn(chance.upTo(5), () => {
          if (lost) reject(new AnswerLost('the connection ended before the answer came'));
          else if ('error' in answer) reject(answer.error);
          else resolve(answer.value);
        });
      });
    });
  }

  /** Continues after `ms`, unless the process is dead; later if it pauses. Faults occur here. */
  goOn(ms: number, run: () => void): void {
    this.#suffer();
    this.#at.timeline.after(ms, () => this.whenAwake(run));
  }

  kill(): void {
    this.#dead = true;
    this.#count('killed');
  }

  /** The process is frozen, or in half of the cases its machine is suspended. */
  standStill(): void {
    const { timeline, chance, faults } = this.#at;
    const from = timeline.now;
    const ms = chance.between(0, faults.standstillMs);
    this.#standsStillUntil = from + ms;
    if (Math.floor(ms) % 2 === 0) this.#suspensions.push({ from, until: this.#standsStillUntil });
    this.#count('stood still');
  }

  /** Now, or after the pause of the process; never if it is dead. */
  whenAwake(run: () => void): void {
    const { timeline } = this.#at;
    if (this.#dead) return;
    const restMs = this.#standsStillUntil - timeline.now;
    if (restMs > 0) timeline.after(restMs + 1, () => this.whenAwake(run));
    else run();
  }

  #suspendedMs(): number {
    const { now } = this.#at.timeline;
    return this.#suspensions.reduce((sum, { from, until }) => sum + Math.max(0, Math.min(until, now) - from), 0);
  }

  #suffer(): void {
    const { chance, faults } = this.#at;
    if (chance.happens(faults.kill)) this.kill();
    if (chance.happens(faults.freeze)) this.standStill();
  }

  #count(what: string): void {
    const { counts } = this.#at;
    counts[what] = (counts[what] ?? 0) + 1;
  }
}

function outcomeOf<T>(statement: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: statement() };
  } catch (error) {
    return { error };
  }
}

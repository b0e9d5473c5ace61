/** A process that may die or stand still at every await. Each attempt has one of its own, which is the worst case. */
import { AnswerLost, DatabaseAway } from '../../src/ledger/errors.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { Timeline } from './timeline.ts';

export const LEASE_MS = 130_000;

/** The probability of each fault, at each occasion. */
export interface Faults {
  /** A process dies, or stands still and goes on as if nothing had been, at any await. */
  readonly kill: number;
  readonly freeze: number;
  /** The longest standstill, ms. */
  readonly standstillMs: number;
  /** A statement is not sent at all; or it is, and its answer is lost. */
  readonly away: number;
  readonly answerLost: number;
  /** Of each request to the provider. */
  readonly provider: number;
  /** A process stands still between its last look at the clock and the first byte: no guard can see that. */
  readonly standsStillBeforeSend: number;
  /** Of each answer about a status: it is old; it is about another payment; it does not name the payment. */
  readonly stale: number;
  readonly ofAnother: number;
  readonly nameless: number;
  /** Of each payment: the provider says for a while that it failed; the money comes back in the end. */
  readonly lies: number;
  readonly reverses: number;
  /** A token is given a second time. */
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

  /** From 0 to `most`; small far more often than large. */
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
  /** Standstills of the whole machine. The monotonic clock does not run in them. */
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

  /** One statement on its way to the ledger and back. A dead process hears nothing; the ledger does not care. */
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

  /** Goes on after `ms`, unless the process is dead by then; later, if it stands still. Faults strike here. */
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

  /** Now, or when the process no longer stands still; never, if it is dead. */
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

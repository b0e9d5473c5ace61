import type { Random } from '../../src/lib/random.ts';

/** How often what goes wrong: each is the probability at one occasion. */
export interface Troubles {
  /** A process dies, or stands still and goes on later as if nothing had been, at any await. */
  readonly kill: number;
  readonly freeze: number;
  /** A command of Redis is sent twice, or fails although it may have been done. */
  readonly repeat: number;
  readonly disconnect: number;
  /** Redis loses its newest writes, as far as they are not durable. */
  readonly rollback: number;
  readonly wakeLost: number;
  readonly wakeTwice: number;
  /** A process is told to stop, in good time. */
  readonly stop: number;
  /** Of each request upstream: every fault of the table together. */
  readonly submitFault: number;
  readonly createFault: number;
  readonly statusFault: number;
  readonly statusStale: number;
  readonly statusOfAnother: number;
  /** An answer about another payment that does not say so, and one that names nothing of what it is about. */
  readonly statusOfNobody: number;
  readonly statusNameless: number;
  /** Of the tokens: said to have failed for a while, whatever they are; given a second time; taken back in the end. */
  readonly lies: number;
  readonly tokenTwice: number;
  readonly reverses: number;
  /** A process stands still between its last look at the clock and the first byte: no guard can see that. */
  readonly standsStillBeforeSend: number;
}

export const DEFAULT_TROUBLES: Troubles = {
  kill: 0.012,
  freeze: 0.02,
  repeat: 0.02,
  disconnect: 0.005,
  rollback: 0.015,
  wakeLost: 0.05,
  wakeTwice: 0.1,
  stop: 0.05,
  submitFault: 0.25,
  createFault: 0.15,
  statusFault: 0.1,
  statusStale: 0.06,
  statusOfAnother: 0.001,
  statusOfNobody: 0,
  statusNameless: 0,
  lies: 0,
  tokenTwice: 0,
  reverses: 0,
  standsStillBeforeSend: 0.005,
};

export class Chance {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  happens(probability: number): boolean {
    return this.#random.fraction() < probability;
  }

  /** From 0 to `most`; small far more often than large. */
  upTo(most: number): number {
    return this.#random.fraction() ** 4 * most;
  }

  between(least: number, most: number): number {
    return least + this.#random.fraction() * (most - least);
  }

  whole(below: number): number {
    return Math.floor(this.#random.fraction() * below);
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.whole(from.length)] ?? from[0];
  }
}

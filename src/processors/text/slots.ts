/**
 * How many requests of this process may be in flight, and how many more may have their intent written already: those
 * take a slot in the moment in which one is free, where a step would leave it empty for its whole way to Redis.
 */

import type { Clock } from '../../lib/clock.ts';
import { REQUESTS_PER_SLICE } from '../../operations/slices.ts';

/** Of the slots. */
const AHEAD = 0.25;

/** So many at a time; first come, first served. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** False: it had to wait for longer than that. */
  takeWithin(ms: number, clock: Pick<Clock, 'after'>): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const waits = (): void => {
        forget();
        resolve(true);
      };
      const forget = clock.after(ms, () => {
        this.#waiting.splice(this.#waiting.indexOf(waits), 1);
        resolve(false);
      });
      this.#waiting.push(waits);
    });
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

/** Slices at once beyond those that fill the slots: some begin or end while the others send. */
const SLICES_BESIDE = 2;

export class Slots {
  /** For a slice while it is sent here: the fewer at once, the more each of their steps carries. */
  readonly slices: Places;
  /** For a request from before its intent until its answer. */
  readonly intents: Places;
  /** For a request while it is in flight. */
  readonly requests: Places;

  constructor(requests: number) {
    this.slices = new Places(Math.ceil(requests / REQUESTS_PER_SLICE) + SLICES_BESIDE);
    this.requests = new Places(requests);
    this.intents = new Places(requests + Math.ceil(requests * AHEAD));
  }
}

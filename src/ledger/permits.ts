/** Permits of one process: taken in lots, given to the requests that wait, the longest waiting first. */
import type { Clock } from '../lib/clock.ts';

export interface TakenPermits {
  readonly taken: number;
  /** Time until the nth permit (from 1) is free, ms. Also of the first one that was not taken. */
  readonly waitMs: (nth: number) => number;
}

interface PermitsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A permit that nobody used for so long after it was free is forgotten. */
  readonly goodForMs: number;
  /** No request waits longer. */
  readonly longestWaitMs: number;
  /** Permits taken ahead at most. */
  readonly most: number;
  readonly take: (demand: number, wanted: number) => Promise<TakenPermits>;
}

type Permit = { readonly freeAtMono: number } | { readonly retryAfterMs: number };

interface Waiting {
  readonly resolve: (permit: Permit) => void;
  readonly reject: (error: unknown) => void;
}

export class Permits {
  readonly #options: PermitsOptions;
  /** When each permit in hand is free, on the monotonic clock, the earliest first. */
  #free: number[] = [];
  #waiting: Waiting[] = [];
  /** Permits to take ahead: follows demand. */
  #size = 1;
  #isTaking = false;
  /** The next permit is too far off: nobody asks PostgreSQL before this. */
  #nextAtMono = 0;

  constructor(options: PermitsOptions) {
    this.#options = options;
  }

  /** Rejects when PostgreSQL is away. */
  take(): Promise<Permit> {
    const { clock, longestWaitMs } = this.#options;
    const now = clock.monotonic();
    this.#forgetOld(now);
    const freeAtMono = this.#free.shift();
    if (freeAtMono !== undefined) return Promise.resolve({ freeAtMono });
    const nextMs = this.#nextAtMono - now;
    if (nextMs > longestWaitMs) return Promise.resolve({ retryAfterMs: Math.ceil(nextMs) });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // Not at once: requests of one turn of the event loop share a statement.
      if (!this.#isTaking) queueMicrotask(() => void this.#takeLots());
    });
  }

  async #takeLots(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    while (this.#waiting.length > 0) await this.#takeLot();
    this.#isTaking = false;
  }

  async #takeLot(): Promise<void> {
    const { clock, most, take } = this.#options;
    const asking = this.#waiting;
    this.#waiting = [];
    const demand = asking.length;
    try {
      const lot = await take(demand, Math.max(demand, this.#size));
      const now = clock.monotonic();
      const free = Array.from({ length: lot.taken }, (_, at) => now + lot.waitMs(at + 1));
      if (lot.taken < demand) this.#nextAtMono = now + lot.waitMs(lot.taken + 1);
      for (const [at, one] of asking.entries()) {
        const freeAtMono = free[at];
        const retryAfterMs = Math.max(1, Math.ceil(lot.waitMs(lot.taken + 1)));
        one.resolve(freeAtMono === undefined ? { retryAfterMs } : { freeAtMono });
      }
      this.#free = free.slice(demand);
      this.#size = Math.min(most, this.#size * 2);
      this.#giveToLate();
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  }

  /** Requests that came while the lot was on its way. */
  #giveToLate(): void {
    while (this.#waiting.length > 0) {
      const freeAtMono = this.#free.shift();
      if (freeAtMono === undefined) return;
      this.#waiting.shift()?.resolve({ freeAtMono });
    }
  }

  #forgetOld(now: number): void {
    const good = this.#free.filter((freeAt) => freeAt + this.#options.goodForMs > now);
    // Permits that nobody used: there was less demand than expected.
    if (good.length < this.#free.length) this.#size = 1;
    this.#free = good;
  }
}

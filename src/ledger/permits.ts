/** Permits of one process: taken in batches and given to waiting requests, longest waiting first. */
import type { Clock } from '../lib/clock.ts';

export interface TakenPermits {
  readonly taken: number;
  /** Time until the nth permit (from 1) is free, ms. One permit beyond those taken is included. */
  readonly waitMs: (nth: number) => number;
}

interface PermitsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Unused permits expire after this time. */
  readonly goodForMs: number;
  /** Maximum wait of a request. */
  readonly longestWaitMs: number;
  /** Maximum permits taken in advance. */
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
  /** When each unused permit is free, on the monotonic clock, earliest first. */
  #free: number[] = [];
  #waiting: Waiting[] = [];
  /** Number of permits to take in advance: follows demand. */
  #size = 1;
  #isTaking = false;
  /** The next permit is too distant: PostgreSQL is not queried before this time. */
  #nextAtMono = 0;

  constructor(options: PermitsOptions) {
    this.#options = options;
  }

  /** Rejects if PostgreSQL is away. */
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
      // Deferred: requests of one turn of the event loop share a statement.
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

  /** Serves requests that arrived while permits were being taken. */
  #giveToLate(): void {
    while (this.#waiting.length > 0) {
      const freeAtMono = this.#free.shift();
      if (freeAtMono === undefined) return;
      this.#waiting.shift()?.resolve({ freeAtMono });
    }
  }

  #forgetOld(now: number): void {
    const good = this.#free.filter((freeAt) => freeAt + this.#options.goodForMs > now);
    // Unused permits: demand was lower than expected.
    if (good.length < this.#free.length) this.#size = 1;
    this.#free = good;
  }
}

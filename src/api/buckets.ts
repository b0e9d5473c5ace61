/** Token buckets of this process, one for each name: a burst of requests, then one per interval. */
import type { Clock } from '../lib/clock.ts';

interface BucketsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The interval at which a bucket gains a token. */
  readonly everyMs: number;
  /** Tokens in a full bucket. */
  readonly most: number;
}

/** More names than the keys and users of any deployment. Above it, full buckets are removed. */
const NAMES = 10_000;

export class Buckets {
  readonly #options: BucketsOptions;
  /** When each bucket is full again, on the monotonic clock. */
  readonly #fullAt = new Map<string, number>();

  constructor(options: BucketsOptions) {
    this.#options = options;
  }

  /** Takes a token. 0: taken; otherwise the ms until the next one. */
  take(name: string): number {
    const { clock, everyMs, most } = this.#options;
    const now = clock.monotonic();
    const fullAt = Math.max(this.#fullAt.get(name) ?? now, now);
    const waitMs = fullAt - (most - 1) * everyMs - now;
    // Rounding errors of fractions.
    if (waitMs > 0.001) return Math.ceil(waitMs);
    if (this.#fullAt.size >= NAMES) this.#forgetFull(now);
    this.#fullAt.set(name, fullAt + everyMs);
    return 0;
  }

  #forgetFull(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name);
  }
}

/** Sign-ins of a key: each session occupies space until it ends. */
export const signInBuckets = (clock: Pick<Clock, 'monotonic'>): Buckets =>
  new Buckets({ clock, everyMs: 6_000, most: 20 });

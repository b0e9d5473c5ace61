import type { Clock } from './clock.ts';

interface BucketSize {
  readonly burst: number;
  readonly perSecond: number;
}

/** A limit within one process. The provider's limits are rows of the ledger. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #size: BucketSize;
  #left: number;
  #seenMono: number;

  constructor(clock: Pick<Clock, 'monotonic'>, size: BucketSize) {
    this.#clock = clock;
    this.#size = size;
    this.#left = size.burst;
    this.#seenMono = clock.monotonic();
  }

  /** False: the bucket is empty. */
  take(): boolean {
    const { burst, perSecond } = this.#size;
    const now = this.#clock.monotonic();
    this.#left = Math.min(burst, this.#left + ((now - this.#seenMono) / 1_000) * perSecond);
    this.#seenMono = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  giveBack(): void {
    this.#left = Math.min(this.#size.burst, this.#left + 1);
  }
}

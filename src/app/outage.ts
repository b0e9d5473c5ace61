/**
 * An outage as an operator reads of it: a line where it begins and a line where it is over, with how long it lasted and
 * how often something failed. What failed in between is one of many that say the same.
 */
import type { Clock } from '../lib/clock.ts';

interface OutageOptions {
  /** `Redis` */
  readonly of: string;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly logger: Readonly<Record<'warn' | 'info', (facts: object, message: string) => void>>;
  /** Whether it can be reached now, as far as anybody knows. Absent: `answered` says so. */
  readonly isThere?: () => boolean;
  /** So many in a row, without an answer in between, are no chance. */
  readonly after?: number;
}

/** Connections come back one by one: so long must none have failed. */
const QUIET_MS = 2_000;

export class Outage {
  readonly #options: OutageOptions;
  #since: number | undefined;
  #lastAt = 0;
  #failed = 0;
  #begun = false;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** True: it is part of an outage, and that is told already. */
  failed(why: string): boolean {
    const { of, clock, logger, isThere, after = 1 } = this.#options;
    this.#lastAt = clock.monotonic();
    this.#since ??= this.#lastAt;
    this.#failed += 1;
    if (this.#begun) return true;
    if (this.#failed < after) return false;
    this.#begun = true;
    logger.warn({ why }, `${of} is away: what needs it waits, and is tried again by itself`);
    if (isThere) this.#watch(isThere);
    return true;
  }

  answered(): void {
    const { of, logger } = this.#options;
    if (this.#begun) {
      const lastedMs = Math.round(this.#lastAt - (this.#since ?? this.#lastAt));
      logger.info({ lastedMs, failed: this.#failed }, `${of} is back`);
    }
    this.#begun = false;
    this.#since = undefined;
    this.#failed = 0;
  }

  #watch(isThere: () => boolean): void {
    const { clock } = this.#options;
    clock.after(QUIET_MS, () => {
      if (isThere() && clock.monotonic() - this.#lastAt >= QUIET_MS) this.answered();
      else this.#watch(isThere);
    });
  }
}

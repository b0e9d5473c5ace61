/**
 * An outage in the log: one line at its start and one at its end, with its duration and the number of failures.
 * Failures in between are not logged.
 */
import type { Clock } from '../lib/clock.ts';

interface OutageOptions {
  /** `Redis` */
  readonly of: string;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly logger: Readonly<Record<'warn' | 'info', (facts: object, message: string) => void>>;
  /** Whether it is reachable now, as far as known. Absent: `answered` reports it. */
  readonly isThere?: () => boolean;
  /** This many failures in a row are an outage. */
  readonly after?: number;
}

/** Connections recover one by one: this time must pass without a failure. */
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

  /** True: the failure belongs to an outage that is already reported. */
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

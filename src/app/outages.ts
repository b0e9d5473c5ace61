/** Outages of PostgreSQL and Redis in the log: one line at the start and one at the end of each. */
import type { Logger } from 'pino';
import { whyUnusable } from '../ledger/diagnostics.ts';
import { isLedgerAway } from '../ledger/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { createQuietly } from '../logger.ts';
import { isAway } from '../redis/connections.ts';
import { Outage } from './outage.ts';

/** Whether each is reachable now, as far as this process knows. */
type There = Readonly<Record<'postgres' | 'redis', () => boolean>>;

export class Outages {
  /** Logs an error outside of outages at intervals, with its count. */
  readonly quietly: (message: string, error: unknown) => void;
  #there: There = { postgres: () => true, redis: () => true };

  constructor(logger: Logger) {
    const outageOf = (of: string, isThere: () => boolean) => new Outage({ of, clock: systemClock, logger, isThere });
    const redis = outageOf('Redis', () => this.#there.redis());
    const postgres = outageOf('PostgreSQL', () => this.#there.postgres());
    this.quietly = createQuietly(logger, systemClock, (error) => {
      if (isLedgerAway(error)) return postgres.failed(whyUnusable(error) ?? 'the answer was lost');
      return error instanceof Error && isAway(error) && redis.failed(error.message);
    });
  }

  /** Uses these checks from now on. */
  watch(there: There): void {
    this.#there = there;
  }
}

/**
 * Redis may be restarted, fail over or start later than we do at the moment at which a process of ours starts. Ending
 * would only make somebody start us again: for a while we wait, and say so.
 */
import type { Logger } from 'pino';
import { type Clock, retryUntilDeadline } from '../lib/clock.ts';
import { isAway } from '../redis/connections.ts';

export interface Patience {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Fires when the process is to stop: nothing waits on. */
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;
/** A connection that was cut is made again within a few tenths of a second. */
const AGAIN_MS = 250;
const SAY_EVERY_MS = 5_000;

/** Tries until Redis answers, says no for good, or the time is over. Then the last error is the answer. */
export function waitForRedis<T>(attempt: () => Promise<T>, patience: Patience): Promise<T> {
  const { clock, logger, signal, limitMs = LIMIT_MS } = patience;
  let sayAtMs = 0;
  const again = (error: unknown, waitedMs: number): boolean => {
    if (!isAway(error)) return false;
    if (waitedMs >= sayAtMs && waitedMs < limitMs && !signal?.aborted) {
      const waitedS = Math.round(waitedMs / 1_000);
      const why = error instanceof Error ? error.message : '';
      logger.warn({ waitedS, givesUpAfterS: limitMs / 1_000 }, `${why} Trying again.`);
      sayAtMs = waitedMs + SAY_EVERY_MS;
    }
    return true;
  };
  return retryUntilDeadline(attempt, { clock, limitMs, pauseMs: AGAIN_MS, signal, again });
}

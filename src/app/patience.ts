/**
 * Redis may be restarted, fail over or start later than we do at the moment at which a process of ours starts. Ending
 * would only make somebody start us again: for a while we wait, and say so.
 */
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';

export interface Deadline {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Fires when the process is to stop: nobody waits on. */
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;
/** A connection that was cut is made again within a few tenths of a second. */
const AGAIN_MS = 250;
const SAY_EVERY_MS = 5_000;

/**
 * What a Redis says, or fails to say, while it is on its way. A wrong password or certificate stays wrong, so neither
 * is in here.
 */
const AWAY =
  /not available|Stream isn't writeable|Connection is closed|Command timed out|max retries per request|ECONN|ENOTFOUND/;
const NOT_YET = /^(READONLY|LOADING|OOM|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)|EAI_AGAIN/;
const NEVER = /WRONGPASS|NOAUTH|NOPERM|invalid username-password|certificate/;

/** Tries until it works, Redis says no for good, or patience ends. Then the last error is the answer. */
export async function retryUntilDeadline<T>(attempt: () => Promise<T>, patience: Deadline): Promise<T> {
  const { clock, logger, signal, limitMs = LIMIT_MS } = patience;
  const startedMono = clock.monotonic();
  let sayAtMono = startedMono;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const waitedMs = clock.monotonic() - startedMono;
      if (!isAway(error) || signal?.aborted || waitedMs >= limitMs) throw error;
      if (clock.monotonic() >= sayAtMono) {
        const waitedS = Math.round(waitedMs / 1_000);
        logger.warn({ waitedS, givesUpAfterS: limitMs / 1_000 }, `${messageOf(error)} Trying again.`);
        sayAtMono = clock.monotonic() + SAY_EVERY_MS;
      }
      // The only way to be interrupted is to be stopped, and then the next attempt is the last.
      await clock.sleep(AGAIN_MS, signal).catch(() => undefined);
    }
  }
}

function isAway(error: unknown): boolean {
  const told = [messageOf(error), error instanceof Error ? messageOf(error.cause) : ''].join('\n');
  return (AWAY.test(told) || NOT_YET.test(told)) && !NEVER.test(told);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

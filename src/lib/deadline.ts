/** How long something may take, and how long it is tried again: once, for every folder. */
import type { Clock } from './clock.ts';

/** The answer, or `late()` as the error where it does not come in time. What comes after that is dropped. */
export function within<T>(
  { clock, ms, late }: { readonly clock: Pick<Clock, 'after'>; readonly ms: number; readonly late: () => Error },
  asked: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const disarm = clock.after(Math.max(0, ms), () => reject(late()));
    asked.then(resolve, reject).finally(disarm);
  });
}

/** False when the deadline came first. */
export async function withDeadline(clock: Clock, ms: number, work: () => Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const outcome = await Promise.race([
    work().then(() => true),
    clock.sleep(ms, late.signal).then(
      () => false,
      () => true,
    ),
  ]);
  late.abort();
  return outcome;
}

export interface RetryOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** For all tries together, ms. */
  readonly limitMs: number;
  readonly pauseMs: number;
  /** Fires when the process is to stop: nothing waits on. */
  readonly signal?: AbortSignal | undefined;
  /** Whether what went wrong may pass; told of each. */
  readonly again: (error: unknown, waitedMs: number) => boolean;
}

/** Tries until it works, what went wrong will not pass, or the time is over. Then the last error is the answer. */
export async function retryUntilDeadline<T>(
  attempt: (leftMs: number) => Promise<T>,
  { clock, limitMs, pauseMs, signal, again }: RetryOptions,
): Promise<T> {
  const startedMono = clock.monotonic();
  for (;;) {
    try {
      return await attempt(startedMono + limitMs - clock.monotonic());
    } catch (error) {
      const waitedMs = clock.monotonic() - startedMono;
      if (!again(error, waitedMs) || signal?.aborted || waitedMs >= limitMs) throw error;
      // The only way to be interrupted is to be stopped, and then the next attempt is the last.
      await clock.sleep(Math.min(pauseMs, limitMs - waitedMs), signal).catch(() => undefined);
    }
  }
}

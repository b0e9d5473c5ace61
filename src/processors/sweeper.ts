/** Periodic work during the life of a process. */
import type { Clock } from '../lib/clock.ts';

export interface Interval {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}

/** Repeats until the signal fires; resolves when the current run has ended. */
export async function repeatUntil(
  signal: AbortSignal,
  { clock, intervalMs, onError }: Interval,
  once: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await once().catch(onError);
    // Only a stop interrupts the sleep, and then the loop ends.
    await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
}

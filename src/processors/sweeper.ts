/** Work that is done again and again while a process lives. */
import type { Clock } from '../lib/clock.ts';

export interface Interval {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}

/** Does so again and again until the signal fires; resolves when what is in progress is over. */
export async function repeatUntil(
  signal: AbortSignal,
  { clock, intervalMs, onError }: Interval,
  once: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await once().catch(onError);
    // The only way to be interrupted is to be stopped, and then the loop ends.
    await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
}

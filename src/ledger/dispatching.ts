/**
 * Dispatches events to endpoints while a process runs. Any number of processes can run it: each event enters the list
 * of an endpoint at most once.
 */
import type { Clock } from '../lib/clock.ts';
import type { Endpoints } from './endpoints.ts';

export interface DispatchingOptions {
  readonly endpoints: Pick<Endpoints, 'dispatch'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly intervalMs: number;
  readonly wake: () => void;
  readonly onError: (error: unknown) => void;
}

const AT_A_TIME = 500;

/** Dispatches until the signal fires; resolves when the current step has ended. */
export async function dispatchUntil(signal: AbortSignal, options: DispatchingOptions): Promise<void> {
  const { clock, intervalMs, onError } = options;
  while (!signal.aborted) {
    const more = await dispatchOnce(options).catch(onError);
    // A sleep is interrupted only by the signal, and then the loop ends.
    if (more !== true) await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
}

/** True: more events may be ready at once. */
async function dispatchOnce({ endpoints, wake }: Pick<DispatchingOptions, 'endpoints' | 'wake'>): Promise<boolean> {
  const dispatched = await endpoints.dispatch(AT_A_TIME);
  if (dispatched.some(({ added }) => added > 0)) wake();
  return dispatched.some(({ more }) => more);
}

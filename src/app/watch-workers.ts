import type { Part } from './parts.ts';
import type { AnyQueueName } from '../queues/index.ts';
import type { Container } from './container.ts';

const WATCH_EVERY_MS = 5_000;

/** Looks whether the workers of this process take what waits for them. */
export function watchdogPart(
  { clock, watchdog, bullQueues, metrics, quietly }: Container,
  names: readonly AnyQueueName[],
): Part {
  const waitingIn = async (name: AnyQueueName): Promise<[string, number]> => {
    const paused = await bullQueues[name].isPaused();
    return [name, paused ? 0 : await bullQueues[name].getWaitingCount()];
  };
  const look = async (): Promise<void> => {
    const waiting = await Promise.all(names.map(waitingIn)).catch((error: unknown) => {
      quietly('watchdog', error);
      return undefined;
    });
    watchdog.look(waiting && new Map(waiting));
    metrics.workersSeen(watchdog.stuckMs());
  };
  return {
    name: 'the watchdog',
    start: async () => {
      const stop = new AbortController();
      const watched = (async () => {
        while (!stop.signal.aborted) {
          await look();
          // The only way to be interrupted is to be stopped, and then the loop ends.
          await clock.sleep(WATCH_EVERY_MS, stop.signal).catch(() => undefined);
        }
      })();
      return async () => {
        stop.abort();
        await watched;
      };
    },
  };
}

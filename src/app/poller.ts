/** Polling of one queue. */
import type { Job } from 'bullmq';

/** Processes the due work of one queue. */
export interface Poller {
  /** Resolves when all work that was due now has started, here or elsewhere. */
  readonly run: () => Promise<void>;
  /** Starts no more work; resolves when none is running. */
  readonly stop: () => Promise<void>;
  /** Handles a job of the queue. Absent: a job is only a wake-up. */
  readonly job?: (job: Job, token: string | undefined) => Promise<unknown>;
}

/** One run at a time, repeated while there is more work. */
export function serial(step: () => Promise<boolean>): Poller {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  const all = async (): Promise<void> => {
    while (!stop.signal.aborted && (await step()));
  };
  return {
    run: () => (running ??= all().finally(() => (running = undefined))),
    stop: async () => {
      stop.abort();
      await running?.catch(() => undefined);
    },
  };
}

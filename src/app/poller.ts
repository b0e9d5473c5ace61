/** Polling of one queue. */
import type { Job } from 'bullmq';

/** Does what is due in one queue. */
export interface Poller {
  /** Resolves when all that was due at this moment has been begun, here or elsewhere. */
  readonly run: () => Promise<void>;
  /** Begins nothing more; resolves when nothing is under way. */
  readonly stop: () => Promise<void>;
  /** What a job of the queue asks for. Absent: a job is a bell. */
  readonly job?: (job: Job, token: string | undefined) => Promise<unknown>;
}

/** One run at a time, again while there is more. */
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

/**
 * Detects a worker without progress in a living process: its poll loop hangs or has ended, its attempts never end, or
 * it takes no waiting jobs. Such a worker logs nothing, and only the backlog would show it later.
 */
import { type Clock, describeMs } from '../lib/clock.ts';

/** Waiting BullMQ jobs by queue. Only queues whose jobs are the work: a waiting wake-up delays nothing. */
type Waiting = ReadonlyMap<string, number>;

/** Progress of one worker. */
export interface Watch {
  /** Call it after each poll, with or without work. */
  readonly moved: () => void;
  /** Run each attempt inside this. */
  readonly attempt: <T>(attempt: () => Promise<T>) => Promise<T>;
}

interface Pace {
  /** Concurrent attempts. A worker with all slots busy is stuck only after the time of an attempt. */
  readonly slots: number;
  /** The poll interval, ms. */
  readonly pollMs: number;
}

export interface Watchdog {
  /** Watches the worker of a queue from now on. */
  readonly watch: (queue: string, pace: Pace) => Watch;
  /** A worker that is closing takes no jobs on purpose. */
  readonly forget: (queue: string) => void;
  /** Queues that are closed, or whose jobs could not be counted, are absent. */
  readonly look: (waiting: Waiting) => void;
  /** How long each worker has been stuck, ms, at the last check. */
  readonly stuckMs: () => ReadonlyMap<string, number>;
  /** Why this process should be replaced, in sentences. */
  readonly reasons: () => readonly string[];
}

interface Watched extends Pace {
  busy: number;
  /** When a poll last ended, or an attempt last began or ended. */
  movedMono: number;
  /** When an attempt last began or ended. */
  attemptedMono: number;
  /** Since when each check has found waiting jobs. */
  waitingSinceMono: number | undefined;
  stuckMs: number;
}

/** PostgreSQL and Redis limit every wait to seconds, so this is no slow answer. */
const STUCK_AFTER_MS = 30_000;

export interface WatchdogOptions {
  readonly clock: Clock;
  /** The maximum duration of an attempt. */
  readonly leaseMs: number;
}

export function createWatchdog({ clock, leaseMs }: WatchdogOptions): Watchdog {
  const workers = new Map<string, Watched>();
  const stuckMs = (): ReadonlyMap<string, number> =>
    new Map([...workers].map(([queue, worker]) => [queue, worker.stuckMs]));
  return {
    watch(queue, pace) {
      const nowMono = clock.monotonic();
      const worker: Watched = {
        ...pace,
        busy: 0,
        movedMono: nowMono,
        attemptedMono: nowMono,
        waitingSinceMono: undefined,
        stuckMs: 0,
      };
      workers.set(queue, worker);
      return {
        moved: () => void (worker.movedMono = clock.monotonic()),
        attempt: (attempt) => inside(worker, attempt, clock),
      };
    },
    forget: (queue) => void workers.delete(queue),
    look(waiting) {
      const nowMono = clock.monotonic();
      for (const [queue, worker] of workers) lookAt(worker, (waiting.get(queue) ?? 0) > 0, { nowMono, leaseMs });
    },
    stuckMs,
    reasons: () =>
      [...stuckMs()]
        .filter(([, ms]) => ms >= STUCK_AFTER_MS)
        .map(([queue, ms]) => `the worker of ${queue} is stuck: it has taken no work for ${describeMs(ms)}`),
  };
}

function lookAt(
  worker: Watched,
  jobsWait: boolean,
  { nowMono, leaseMs }: { nowMono: number; leaseMs: number },
): void {
  worker.waitingSinceMono = jobsWait ? (worker.waitingSinceMono ?? nowMono) : undefined;
  const { movedMono, attemptedMono, waitingSinceMono = nowMono, pollMs } = worker;
  const withoutPoll = nowMono - movedMono - pollMs;
  const withoutJob = nowMono - Math.max(waitingSinceMono, attemptedMono);
  const patience = worker.busy >= worker.slots ? leaseMs : 0;
  worker.stuckMs = Math.max(0, Math.max(withoutPoll, withoutJob) - patience);
}

async function inside<T>(worker: Watched, attempt: () => Promise<T>, clock: Clock): Promise<T> {
  const moved = (): void => {
    worker.attemptedMono = clock.monotonic();
    worker.movedMono = worker.attemptedMono;
  };
  worker.busy += 1;
  moved();
  try {
    return await attempt();
  } finally {
    worker.busy -= 1;
    moved();
  }
}

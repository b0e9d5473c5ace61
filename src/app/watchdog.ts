/**
 * Notices a worker that takes no jobs although jobs wait for it: its connection hangs, its fetch loop has ended, or its
 * attempts never end. Redis answers, nothing is logged, and only the backlog would tell, long after.
 */
import { type Clock, describeMs } from '../lib/clock.ts';

/** Jobs that wait for a worker to take them, by queue. A paused queue has none, since nobody is to take them. */
type Waiting = ReadonlyMap<string, number>;

export interface Watchdog {
  /** Watches the worker of a queue from now on. Each of its attempts is to run inside what this answers. */
  readonly watch: (queue: string, slots: number) => <T>(attempt: () => Promise<T>) => Promise<T>;
  /** A worker that is being closed takes nothing on purpose. */
  readonly forget: (queue: string) => void;
  /** Undefined: Redis could not be asked, and that is told elsewhere. */
  readonly look: (waiting: Waiting | undefined) => void;
  /** For how long each worker has taken nothing although jobs waited, ms, as of the last look. */
  readonly stuckMs: () => ReadonlyMap<string, number>;
  /** Why this process should be replaced, in sentences. */
  readonly reasons: () => readonly string[];
}

interface Watched {
  readonly slots: number;
  busy: number;
  /** When an attempt last began or ended. */
  movedMono: number;
  /** Since when each look has found jobs that wait. */
  waitingSinceMono: number | undefined;
  stuckMs: number;
}

/** A worker asks Redis again within seconds after any trouble, so this is no hiccup. */
const STUCK_AFTER_MS = 30_000;

export interface WatchdogOptions {
  readonly clock: Clock;
  /** How long an attempt may take: a worker whose every slot is busy is stuck only after that. */
  readonly leaseMs: number;
}

export function createWatchdog({ clock, leaseMs }: WatchdogOptions): Watchdog {
  const workers = new Map<string, Watched>();
  const stuckMs = (): ReadonlyMap<string, number> =>
    new Map([...workers].map(([queue, worker]) => [queue, worker.stuckMs]));
  return {
    watch(queue, slots) {
      const worker: Watched = {
        slots,
        busy: 0,
        movedMono: clock.monotonic(),
        waitingSinceMono: undefined,
        stuckMs: 0,
      };
      workers.set(queue, worker);
      return (attempt) => inside(worker, attempt, clock);
    },
    forget: (queue) => void workers.delete(queue),
    look(waiting) {
      const nowMono = clock.monotonic();
      for (const [queue, worker] of workers) lookAt(worker, (waiting?.get(queue) ?? 0) > 0, { nowMono, leaseMs });
    },
    stuckMs,
    reasons: () =>
      [...stuckMs()]
        .filter(([, ms]) => ms >= STUCK_AFTER_MS)
        .map(([queue, ms]) => `the worker of ${queue} takes no jobs though jobs wait, for ${describeMs(ms)} now`),
  };
}

function lookAt(
  worker: Watched,
  jobsWait: boolean,
  { nowMono, leaseMs }: { nowMono: number; leaseMs: number },
): void {
  worker.waitingSinceMono = jobsWait ? (worker.waitingSinceMono ?? nowMono) : undefined;
  if (worker.waitingSinceMono === undefined) {
    worker.stuckMs = 0;
    return;
  }
  const still = nowMono - Math.max(worker.waitingSinceMono, worker.movedMono);
  const patience = worker.busy >= worker.slots ? leaseMs : 0;
  worker.stuckMs = Math.max(0, still - patience);
}

async function inside<T>(worker: Watched, attempt: () => Promise<T>, clock: Clock): Promise<T> {
  worker.busy += 1;
  worker.movedMono = clock.monotonic();
  try {
    return await attempt();
  } finally {
    worker.busy -= 1;
    worker.movedMono = clock.monotonic();
  }
}

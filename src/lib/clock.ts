import { setTimeout as delay } from 'node:timers/promises';

/** Time, as an argument: a test or a simulation turns it by hand. */
export interface Clock {
  /** Wall-clock time in ms since the epoch. For records and people; never for measuring how long something took. */
  now(): number;
  /** Milliseconds that only ever grow. For deadlines and durations: a wall clock may jump. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with an AbortError when the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms`; the returned function takes it back. Never keeps the process alive by itself. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

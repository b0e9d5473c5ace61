/**
 * The wait for replicas: what is about to be done must not be forgotten by the server that takes over.
 *
 * Redis lets a connection that waits do nothing else, and the wait is only good on the connection that has written. So
 * all callers that ask while one wait is on its way share the next one, and after one that was in vain nothing waits
 * for a while: otherwise a replica that is away would hold up every other command, until they time out one after the
 * other.
 */
import type { Clock } from '../lib/clock.ts';

export interface FenceOptions {
  /** Asks Redis to wait for so many replicas, for at most so many ms; how many it reached. */
  readonly wait: (replicas: number, ms: number) => Promise<number>;
  readonly replicas: number;
  readonly clock: Clock;
  /** Told how long each wait took, in ms. */
  readonly onWaited?: (ms: number) => void;
}

export interface Fence {
  /** Resolves true when every write that was answered before this call has reached the replicas. */
  readonly pass: () => Promise<boolean>;
  /** Why nobody passes for now; undefined while nothing is known against it. */
  readonly closed: () => string | undefined;
}

const WAIT_MS = 2_000;
const CLOSED_MS = 5_000;

export function createFence({ wait, replicas, clock, onWaited }: FenceOptions): Fence {
  let closedUntilMono = Number.NEGATIVE_INFINITY;
  let underWay: Promise<unknown> = Promise.resolve();
  /** The wait that has not been sent yet: it covers every caller until then. */
  let next: Promise<boolean> | undefined;

  const isClosed = (): boolean => clock.monotonic() < closedUntilMono;
  const ask = async (): Promise<boolean> => {
    next = undefined;
    if (isClosed()) return false;
    const startedMono = clock.monotonic();
    const reached = await wait(replicas, WAIT_MS);
    onWaited?.(clock.monotonic() - startedMono);
    if (reached >= replicas) return true;
    closedUntilMono = clock.monotonic() + CLOSED_MS;
    return false;
  };
  return {
    pass: async () => {
      if (next) return next;
      const mine = underWay.then(ask, ask);
      next = mine;
      underWay = mine;
      return mine;
    },
    closed: () =>
      isClosed()
        ? `the last write did not reach ${replicas} replica(s) in time: look at the replicas and at the network between`
        : undefined,
  };
}

import type { Config } from '../config.ts';

/** What is derived from the time-outs and never set by hand, in ms. */
export interface Timing {
  /** A record's lease: twice what one exchange may take, so that a slow one is never taken over. */
  readonly leaseMs: number;
  /**
   * BullMQ's lock on a job, renewed while the attempt goes on: one may make two exchanges, a token and a submit, or wait
   * for its turn first.
   */
  readonly lockMs: number;
  readonly drainMs: number;
}

const LEASE_MIN_MS = 2_000;

export function timingOf(config: Config): Timing {
  const exchangeMs = config.UPSTREAM_TIMEOUT + config.UPSTREAM_CONNECT_TIMEOUT;
  const leaseMs = Math.max(LEASE_MIN_MS, 2 * exchangeMs);
  return {
    leaseMs,
    lockMs: 2 * leaseMs,
    drainMs: config.DRAIN_TIMEOUT ?? exchangeMs + 5_000,
  };
}

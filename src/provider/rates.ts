/** Permits for requests to the provider. */
import type { Area } from './account.ts';

/** `act` changes something at the provider; `look` is a status check, and may use at most half of the rate. */
export type Urgency = 'act' | 'look';

/** `unlimited`: there is no rate, so any number of permits can be taken in advance. */
export type Admission =
  | { readonly admitted: true; readonly unlimited?: boolean }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** One rate per account and area for all processes. */
export interface Rates {
  /** A permit for one request; waits if it is free soon. */
  admit(account: string, area: Area, urgency: Urgency): Promise<Admission>;
  /** The provider requested a pause: no process gets a permit. */
  pause(account: string, area: Area, ms: number): Promise<void>;
}

/** Maximum wait for a permit; a request that would wait longer is refused. */
export const LONGEST_WAIT_MS = 1_000;
/** Share of one second's rate that may leave at once: enough to be smooth, without a burst. */
export const BURST_PART = 0.1;
/** Without a rate, the interval at which a process reads pauses of other processes. */
export const PAUSE_LOOK_MS = 250;

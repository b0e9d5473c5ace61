/** Permits for requests to the provider. */
import type { Area } from './account.ts';

/** `act` changes something at the provider; `look` only asks, and may use at most half of the rate. */
export type Urgency = 'act' | 'look';

/** `unlimited`: there is no rate, so permits may be taken ahead in any number. */
export type Admission =
  | { readonly admitted: true; readonly unlimited?: boolean }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** One rate per account and area for all processes. */
export interface Rates {
  /** A permit for one request, waited for if it is near. */
  admit(account: string, area: Area, urgency: Urgency): Promise<Admission>;
  /** The provider asked to be left alone for so long: no process gets a permit. */
  pause(account: string, area: Area, ms: number): Promise<void>;
}

/** Longest wait for a permit; a request that would wait longer is refused. */
export const LONGEST_WAIT_MS = 1_000;
/** Part of one second's rate that may leave at once: enough to be smooth, too little to be a burst. */
export const BURST_PART = 0.1;
/** Without a rate, how often a process reads whether another process was told to slow down. */
export const PAUSE_LOOK_MS = 250;

/** The SMS token of one account and its credentials, shared by all processes. */
import type { LoginEncoding } from '../account.ts';

export interface StoredToken {
  readonly generation: number;
  readonly sealed: string;
  readonly remainingMs: number;
  /** Its life when it was stored. */
  readonly usableMs: number;
}

/** Why no process logs in for a while, as the refused process read it. */
export interface Pause {
  readonly is: string;
  readonly code: string;
  readonly remainingMs: number;
}

export interface Refusal {
  /** Time until a new token may be asked for, ms. 0: now. */
  readonly waitMs: number;
  /** New tokens are refused too: another system seems to use the same login. */
  readonly contested: boolean;
}

/** No clock is compared between machines: the store decides what has expired. */
export interface TokenStore {
  look(): Promise<{ readonly token?: StoredToken; readonly pause?: Pause }>;
  /** The lease of the login: one process logs in. */
  lock(owner: string, forMs: number): Promise<boolean>;
  unlock(owner: string): Promise<void>;
  /** The new generation, or 0 when the lease was lost and nothing was stored. */
  store(owner: string, sealed: string, usableMs: number): Promise<number>;
  /** Removes only the generation that was refused, so that many refusals cost one login. */
  invalidate(generation: number): Promise<Refusal>;
  /** Doubles with every failure in a row, up to `mostMs`, and ends the lease. Returns the pause in ms. */
  pause(owner: string, why: Pick<Pause, 'is' | 'code'>, firstMs: number, mostMs: number): Promise<number>;
  /** The way of writing a login that the provider understood. */
  encoding(): Promise<string | null>;
  rememberEncoding(encoding: LoginEncoding): Promise<void>;
}

/** `credentials`: a digest, so that a change of credentials starts afresh. */
export type TokenStores = (account: string, credentials: string) => TokenStore;

/** A token refused this soon was not refused for its age. */
export const YOUNG_MS = 60_000;
export const FORCED_RENEWAL_EVERY_MS = 10_000;
/** Pause after new tokens were refused, unless the settings say otherwise, and its reason. */
export const CONTESTED_MS = 60_000;
export const CONTESTED = { is: 'config', code: 'token_refused_repeatedly' } as const satisfies Pick<
  Pause,
  'is' | 'code'
>;
export const ENCODING_KEPT_MS = 30 * 86_400_000;

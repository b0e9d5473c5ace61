/** The SMS token of one account and its credentials, shared by all processes. */
import type { LoginEncoding } from '../account.ts';

export interface StoredToken {
  readonly generation: number;
  readonly sealed: string;
  readonly remainingMs: number;
  /** Its lifetime when it was stored. */
  readonly usableMs: number;
}

/** Why no process logs in for a while, as recorded by the refused process. */
export interface Pause {
  readonly is: string;
  readonly code: string;
  readonly remainingMs: number;
}

export interface Refusal {
  /** Time until a new token can be requested, ms. 0: now. */
  readonly waitMs: number;
  /** New tokens are refused too: another system seems to use the same login. */
  readonly contested: boolean;
}

/** Clocks of machines are never compared: the store decides about expiry. */
export interface TokenStore {
  look(): Promise<{ readonly token?: StoredToken; readonly pause?: Pause }>;
  /** The lease of the login: one process logs in. */
  lock(owner: string, forMs: number): Promise<boolean>;
  unlock(owner: string): Promise<void>;
  /** The new generation, or 0 if the lease was lost and nothing was stored. */
  store(owner: string, sealed: string, usableMs: number): Promise<number>;
  /** Removes only the generation that was refused, so that many refusals cost one login. */
  invalidate(generation: number): Promise<Refusal>;
  /** Doubles with every failure in a row, up to `mostMs`, and ends the lease. Returns the pause in ms. */
  pause(owner: string, why: Pick<Pause, 'is' | 'code'>, firstMs: number, mostMs: number): Promise<number>;
  /** The login encoding that the provider accepted. */
  encoding(): Promise<string | null>;
  rememberEncoding(encoding: LoginEncoding): Promise<void>;
}

/** `credentials`: a digest, so that changed credentials start without history. */
export type TokenStores = (account: string, credentials: string) => TokenStore;

/** A token refused this early has not expired. */
export const YOUNG_MS = 60_000;
export const FORCED_RENEWAL_EVERY_MS = 10_000;
/** The default pause after new tokens were refused, and its reason. */
export const CONTESTED_MS = 60_000;
export const CONTESTED = { is: 'config', code: 'token_refused_repeatedly' } as const satisfies Pick<
  Pause,
  'is' | 'code'
>;
export const ENCODING_KEPT_MS = 30 * 86_400_000;

/** Holds of an account (the circuit breaker): one for each area and reason, for any number of operations. */
import type { HoldArea } from './account.ts';

/** An operator stopped the account. Only an operator releases it. */
export const STOPPED = 'stopped';
/** The SMS budget is used up. The hold ends in the next period, or with a higher budget. */
export const BUDGET = 'budget';
/** The provider's answers are repeatedly unreadable. */
export const PROVIDER_UNREADABLE = 'provider_unreadable';

/** The operation whose answers are unreadable, and a description of the answers without personal data. */
export interface UnreadableAnswers {
  readonly operation: string;
  readonly came: string;
}

export interface AccountHold {
  readonly account: string;
  readonly area: HoldArea;
  readonly reason: string;
  /** ms since the epoch. */
  readonly since: number;
  /** Time of the last trial. Absent: none. */
  readonly probedAt?: number;
  /** Only for `provider_unreadable`. */
  readonly unreadable?: UnreadableAnswers;
}

/** `length` failures in a row hold the account. A failure later than the window begins a new row. */
export interface Row {
  readonly length: number;
  readonly windowMs: number;
}

/** The holds of an account, and the series of failures that can become holds. */
export interface AccountStanding {
  readonly holds: readonly AccountHold[];
  /** Series of failures that have begun, as `area.reason`. */
  readonly failing: ReadonlySet<string>;
}

/** Time of the next trial. Undefined: only an operator ends the hold. */
export function triedAgainAt(
  { area, reason, since, probedAt = since }: AccountHold,
  recheckMs: number,
): number | undefined {
  const isForPerson =
    reason === STOPPED ||
    (area === 'messaging' && reason === 'funds') ||
    (area === 'direct_credit' && reason === PROVIDER_UNREADABLE);
  return isForPerson ? undefined : probedAt + recheckMs;
}

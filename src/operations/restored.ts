/** What stands open in a ledger that was put back to an earlier time. */
import type { Kind } from '../kinds/index.ts';

/** Why an operation waits for a person. */
export const RESTORED = 'restored';

/** How many of a kind stand in a state, and for how many XOF. `recipient`: of the campaigns that are not over. */
export interface Standing {
  readonly kind: Kind | 'recipient';
  readonly state: string;
  readonly count: number;
  readonly xof?: number;
}

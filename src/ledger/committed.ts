import type { Journal } from './journal.ts';
import type { Life } from './life.ts';

/**
 * Receives acts of people that a restored backup would undo (revoked keys, holds, lowered limits …), after their commit
 * and before they are answered. It never rejects: an act that is committed is answered.
 */
export type OnCommitted = (kind: string, facts: Readonly<Record<string, unknown>>) => Promise<void>;

/** Changes of operations have counted themselves: their statement raised the mark of its lane. */
const COUNTED = 'operation.cancelled';

/**
 * The journal gets the act, and a mark counts it: a ledger that has lost nothing but acts is behind its witness, too.
 * An error is told, since the act is committed.
 */
export function journaledIn(
  journal: Pick<Journal, 'act'>,
  life: Pick<Life, 'raise'>,
  quietly: (message: string, error: unknown) => void,
): OnCommitted {
  return async (kind, facts) => {
    await journal.act(kind, facts);
    if (kind !== COUNTED) await life.raise().catch((error: unknown) => quietly('the mark of an act', error));
  };
}

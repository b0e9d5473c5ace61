import type { Journal } from './journal.ts';
import type { Life } from './life.ts';

/**
 * Receives acts that a restored backup would undo (revoked keys, holds, lowered limits …), after their commit and
 * before the answer. Never rejects, because the act is committed.
 */
export type OnCommitted = (kind: string, facts: Readonly<Record<string, unknown>>) => Promise<void>;

/** Changes of operations are counted already: their statement raised the mark of its lane. */
const COUNTED = 'operation.cancelled';

/**
 * Writes the act to the journal and counts it in a mark: a ledger that has lost only acts is then behind its witness
 * too. An error is reported, since the act is committed.
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

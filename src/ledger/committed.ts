/**
 * Receives acts of people that a restored backup would undo (revoked keys, holds, lowered limits …), after their commit
 * and before they are answered. It never rejects: an act that is committed is answered.
 */
export type OnCommitted = (kind: string, facts: Readonly<Record<string, unknown>>) => Promise<void>;

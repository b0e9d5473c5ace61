/** A callback about an operation, as the receiver passes it to the ledger. */
import type { Signal } from '../../src/ledger/operation-items.ts';

const STATES = ['pending', 'unknown', 'submitting', 'needs_review', 'succeeded', 'failed', 'cancelled'];

export function callback(id: string, word: string): Signal {
  return { id, queue: 'status-poll', lookedAt: STATES, line: `callback|${word}`, intervalMs: 5_000 };
}

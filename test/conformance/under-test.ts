/** Whoever keeps records, as the conformance suite sees it. */
import type { StateOf } from '../../src/kinds/index.ts';
import { keys } from '../../src/operations/keys.ts';
import type { Leased } from '../../src/operations/acquiring.ts';
import type { NewOperation } from '../../src/operations/accepting.ts';
import type { OperationsContract } from '../support/memory-operations.ts';
import type { StoredEvent } from '../support/memory-store.ts';

/** One keeper of records with nothing in it, and a clock that the test turns. */
export interface OperationsUnderTest {
  readonly operations: OperationsContract;
  readonly clock: { now: number };
  fields(key: string): Promise<Readonly<Record<string, string>>>;
  score(key: string, member: string): Promise<number | undefined>;
  events(): Promise<readonly StoredEvent[]>;
  everything(): Promise<Record<string, unknown>>;
  /** As an account is that somebody has stopped, say: `area.reason`. */
  hold(account: string, reason: string): Promise<void>;
  /** As BullMQ pauses a queue. */
  pause(queue: string): Promise<void>;
  /** Sends the next command twice, as a client does that lost the connection before the answer came. */
  repeatNext(): void;
}

export const LEASE_MS = 10_000;
export const START = 1_800_000_000_000;

/** What the counts say of the disbursement below while nothing was sent of it, beside its state. */
export const WAITING = { 'flight:main:wave-senegal': '500', 'unsent:main': '1', 'unsent-xof:main': '500' };

export function disbursementOf(id: string, more: Partial<NewOperation<'disbursement'>> = {}) {
  return {
    kind: 'disbursement',
    id,
    account: 'main',
    state: 'queued',
    fingerprint: `print of ${id}`,
    xof: 500,
    dueInMs: 5_000,
    fields: { amount: 500, accountAlias: '771111111', withdrawMode: 'wave-senegal', disburseId: `d-${id}` },
    ...more,
  } as const satisfies NewOperation<'disbursement'>;
}

/** The operation `a`, which most facts are about. */
export class OperationA {
  readonly #at: OperationsUnderTest;

  constructor(at: OperationsUnderTest) {
    this.#at = at;
  }

  async held(queue: 'disbursement' | 'status-poll' = 'disbursement'): Promise<Leased<'disbursement'>> {
    const acquired = await this.#at.operations.acquire('disbursement', 'a', queue, LEASE_MS);
    if (acquired.is !== 'acquired') throw new Error(`not acquired: ${acquired.is}`);
    return acquired;
  }

  /** Brings it into a state along the table, letting go of the lease. */
  async bring(...states: StateOf<'disbursement'>[]): Promise<void> {
    for (const to of states) {
      const { state = '' } = await this.record();
      const { record } = await this.held(
        ['queued', 'held', 'created'].includes(state) ? 'disbursement' : 'status-poll',
      );
      await this.#at.operations.transition(record, undefined, { to, dueInMs: 60_000 });
    }
  }

  due(queue = 'disbursement'): Promise<number | undefined> {
    return this.#at.score(keys.due(queue), 'a');
  }

  record(): Promise<Readonly<Record<string, string>>> {
    return this.#at.fields(keys.record('a'));
  }
}

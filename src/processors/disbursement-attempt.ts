/** One attempt at a disbursement: the record, the lease on it, and the keys to use. */
import type { QueueName } from '../operations/due-queues.ts';
import type { EvidenceDraft } from '../operations/evidence.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import type { UpstreamAccount } from '../upstream/client.ts';
import type { Bench, Outcome, Settlement } from './bench.ts';

export interface Attempt {
  readonly record: DisbursementRecord;
  readonly lease: string;
  /** The clock of Redis when the lease was given: everything seen in this attempt was seen after it. */
  readonly at: number;
  /** When the lease ends, on our own monotonic clock: no clock is compared between machines. */
  readonly leaseEndsMono: number;
  readonly account: UpstreamAccount;
  /** Tells these keys from others; written into the record with its token. */
  readonly keys: string;
}

/** Takes the lease, or says why there is nothing to do. */
export async function begin(id: string, queue: QueueName, bench: Bench): Promise<Attempt | Settlement> {
  const mono = bench.clock.monotonic();
  const acquired = await bench.operations.acquire('disbursement', id, queue, bench.policy.leaseMs);
  if (acquired.is !== 'acquired') return { did: 'idle', because: acquired.is };
  const { record, lease, at } = acquired;
  const account = bench.account(record.account);
  const attempt = { record, lease, at, leaseEndsMono: mono + bench.policy.leaseMs };
  const mine = account !== undefined && account.upstream.mode === (record.fields['mode'] ?? account.upstream.mode);
  const sameKeys = account?.fingerprint === (record.fields['keys'] ?? account?.fingerprint);
  if (account && mine && sameKeys) return { ...attempt, account: account.upstream, keys: account.fingerprint };

  // Another process may have these keys; an operation that was begun with one set is never ended with another.
  const because = account ? 'other_keys_or_mode' : 'account_not_configured';
  await bench.operations.settle(record, lease, { to: record.state, dueInMs: bench.policy.holdRecheckMs });
  return { did: 'waits', because };
}

/**
 * The attempt as it goes on after a change of its own record that kept the lease; `leaseEndsMono` was read before it.
 */
export function renewed(
  attempt: Attempt,
  changes: Partial<DisbursementRecord>,
  settled: { readonly at: number; readonly rev: number },
  leaseEndsMono: number,
): Attempt {
  const record = { ...attempt.record, tries: 0, ...changes, rev: settled.rev };
  return { ...attempt, at: settled.at || attempt.at, record, leaseEndsMono };
}

/** Leaves the operation in its state and says when to come back. */
export async function stay(
  attempt: Attempt,
  bench: Bench,
  how: {
    readonly dueInMs: number;
    readonly because: string;
    readonly did?: Outcome;
    readonly evidence?: EvidenceDraft;
    readonly set?: Readonly<Record<string, string | number>>;
  },
): Promise<Settlement> {
  const { record, lease } = attempt;
  await bench.operations.settle(record, lease, {
    to: record.state,
    dueInMs: how.dueInMs,
    set: { tries: record.tries + 1, ...how.set },
    evidence: how.evidence,
  });
  return { did: how.did ?? 'waits', because: how.because };
}

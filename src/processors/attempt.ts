/** One attempt at an operation of any kind: the record, the lease on it, and the keys to use. */
import type { QueueName } from '../operations/due-queues.ts';
import type { EvidenceDraft } from '../operations/evidence.ts';
import type { StateOf } from '../operations/lifecycle.ts';
import type { RecordBase, RecordOf } from '../operations/record.ts';
import type { Change, Settled } from '../operations/settle.ts';
import type { UpstreamAccount } from '../upstream/client.ts';
import type { NotOk } from '../upstream/verdict.ts';
import { takeBack } from './take-back.ts';
import type { Bench, Outcome, Settlement } from './bench.ts';

/** The kinds that are carried out by these attempts. */
export type CollectKind = 'invoice' | 'payment_request' | 'direct_credit';

export interface AttemptAt<K extends CollectKind> {
  readonly record: RecordOf[K];
  readonly lease: string;
  /** The clock of Redis when the lease was given. */
  readonly at: number;
  /** When the lease ends, on our own monotonic clock. */
  readonly leaseEndsMono: number;
  readonly account: UpstreamAccount;
  /** Tells these keys from others; written into the record with what they were used for. */
  readonly keys: string;
}

/** What became of an attempt, and what upstream said where it said no: a caller who waits is told. */
export interface Tried extends Settlement {
  readonly failure?: NotOk;
  /** Upstream was asked and answered, or there is nothing to ask it by. Absent: nobody knows what it would say now. */
  readonly asked?: true;
}

/** Takes the lease, or says why there is nothing to do. */
export async function beginAt<K extends CollectKind>(
  kind: K,
  id: string,
  queue: QueueName,
  bench: Bench,
): Promise<AttemptAt<K> | Settlement> {
  const mono = bench.clock.monotonic();
  const acquired = await bench.operations.acquire(kind, id, queue, bench.policy.leaseMs);
  if (acquired.is !== 'acquired') return { did: 'idle', because: acquired.is };
  const { record, lease, at } = acquired;
  const account = bench.account(record.account);
  const { mode, keys } = record.fields;
  const usable = account && account.upstream.mode === (mode ?? account.upstream.mode);
  if (usable && account.fingerprint === (keys ?? account.fingerprint)) {
    const leaseEndsMono = mono + bench.policy.leaseMs;
    return { record, lease, at, leaseEndsMono, account: account.upstream, keys: account.fingerprint };
  }
  // Another process may have these keys; what was begun with one set is never ended with another.
  const own = { record: baseOf<K>(record), lease };
  await change(own, bench, { to: own.record.state, dueInMs: bench.policy.holdRecheckMs });
  return { did: 'waits', because: account ? 'other_keys_or_mode' : 'account_not_configured' };
}

/** A change of the attempt's own record. */
export function change<K extends CollectKind>(
  { record, lease }: { readonly record: RecordBase<K>; readonly lease: string },
  bench: Bench,
  what: Change<K>,
): Promise<Settled> {
  return bench.operations.settle(record, lease, what);
}

/** What became of an attempt, unless somebody else had the record by the time of its last word. */
export function settlementOf(settled: Settled, meant: Settlement): Settlement {
  return isApplied(settled) ? meant : { did: 'lost', because: settled.is };
}

export function isApplied(settled: Settled): settled is Extract<Settled, { readonly is: 'applied' | 'mine' }> {
  return settled.is === 'applied' || settled.is === 'mine';
}

/** Leaves the operation in its state. Without `dueInMs`, nobody looks until somebody has reason to. */
export async function stayAt<K extends CollectKind>(
  attempt: AttemptAt<K>,
  bench: Bench,
  how: {
    readonly dueInMs?: number | undefined;
    readonly because: string;
    readonly did?: Outcome;
    readonly evidence?: EvidenceDraft;
    readonly set?: Readonly<Record<string, string | number>>;
  },
): Promise<Settlement> {
  const record = baseOf<K>(attempt.record);
  const settled = await change({ record, lease: attempt.lease }, bench, {
    to: record.state,
    dueInMs: how.dueInMs,
    set: { tries: record.tries + 1, ...how.set },
    evidence: how.evidence,
    hintAfterMs: HINT_INTERVAL_MS,
  });
  return settlementOf(settled, { did: how.did ?? 'waits', because: how.because });
}

/** A callback that comes while we look makes the next look due after this. */
export const HINT_INTERVAL_MS = 5_000;

/** What needs review is looked at daily where there is something to ask. */
export const DAILY_MS = 86_400_000;

interface Intent<K extends CollectKind> {
  readonly to: StateOf<K>;
  readonly set: Readonly<Record<string, string | number>>;
  readonly operation: string;
  /** The way back, for a request of which no byte left us. */
  readonly unsent: Change<K>;
}

/**
 * Writes down that we are about to send what cannot be asked about afterwards, and makes sure that it stays written
 * down: the write, the fence, the re-read. submit.ts tells what went wrong without each of them.
 */
export async function intend<K extends CollectKind>(
  attempt: AttemptAt<K>,
  bench: Bench,
  { to, set, operation, unsent }: Intent<K>,
): Promise<AttemptAt<K> | Settlement> {
  const { leaseMs } = bench.policy;
  const leaseEndsMono = bench.clock.monotonic() + leaseMs;
  try {
    return await putDown(attempt, leaseEndsMono, { to, set, operation, unsent }, bench);
  } catch (error) {
    const written = { record: { ...baseOf<K>(attempt.record), state: to }, lease: attempt.lease };
    const back = { ...unsent, evidence: { operation, code: 'not_sent' } };
    await takeBack(bench, leaseEndsMono - leaseMs / 2, () => change(written, bench, back));
    throw error;
  }
}

async function putDown<K extends CollectKind>(
  attempt: AttemptAt<K>,
  leaseEndsMono: number,
  { to, set, operation, unsent }: Intent<K>,
  bench: Bench,
): Promise<AttemptAt<K> | Settlement> {
  const { leaseMs } = bench.policy;
  const own = { record: baseOf<K>(attempt.record), lease: attempt.lease };
  const settled = await change(own, bench, {
    to,
    dueInMs: leaseMs,
    keepMs: leaseMs,
    set: { ...set, keys: attempt.keys, mode: attempt.account.mode },
    evidence: { operation, code: 'intended' },
  });
  if (!isApplied(settled)) return { did: 'lost', because: settled.is };
  if (!(await bench.fence())) {
    const written = { record: { ...own.record, state: to }, lease: own.lease };
    const evidence = { operation, code: 'not_durable' };
    return settlementOf(await change(written, bench, { ...unsent, evidence }), { did: 'retries', because: 'fence' });
  }
  const { id } = attempt.record;
  const kept = await bench.operations.stillMine(id, { state: to, lease: attempt.lease, op: settled.op });
  if (!kept) return { did: 'lost', because: 're-read' };
  const record = { ...attempt.record, state: to, rev: settled.rev };
  return { ...attempt, record, at: settled.at || attempt.at, leaseEndsMono };
}

/** Right before the request leaves: past this, on the monotonic clock, it is not sent. */
export function sendBy(attempt: Pick<AttemptAt<CollectKind>, 'leaseEndsMono'>, bench: Bench): number {
  return attempt.leaseEndsMono - bench.policy.leaseMs / 2;
}

/** What an answer that is not a success leaves in the record: its code, never its words. */
export function evidenceOf(operation: string, { seen, code }: NotOk): EvidenceDraft {
  return {
    operation,
    code: seen.upstreamCode ?? code,
    httpStatus: seen.httpStatus,
    detail: seen.upstreamCode && code,
  };
}

/** What the compiler cannot see for a kind that it does not know: every record has its base. */
function baseOf<K extends CollectKind>(record: RecordOf[K]): RecordBase<K> {
  return record as unknown as RecordBase<K>;
}

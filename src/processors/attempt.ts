/** One attempt at an operation of any kind: the record, the lease on it, and the keys to use. */
import type { AccountStanding } from '../operations/accounts.ts';
import type { QueueName } from '../operations/due-queues.ts';
import type { EvidenceDraft } from '../operations/evidence.ts';
import type { RecordAt, RecordBase } from '../operations/record.ts';
import type { Change, Settled } from '../operations/settle.ts';
import type { UpstreamAccount } from '../upstream/client.ts';
import type { NotOk } from '../upstream/verdict.ts';
import { type Bench, type Outcome, type Settlement, retryAt } from './bench.ts';

/** The kinds that are carried out by these attempts. */
export type AttemptedKind = 'disbursement' | CollectKind;
export type CollectKind = 'invoice' | 'payment_request' | 'direct_credit';

export interface AttemptAt<K extends AttemptedKind> {
  readonly record: RecordAt<K>;
  readonly lease: string;
  /** The clock of Redis when the lease was given: everything seen in this attempt was seen after it. */
  readonly at: number;
  /** When the lease ends, on our own monotonic clock: no clock is compared between machines. */
  readonly leaseEndsMono: number;
  readonly account: UpstreamAccount;
  /** What stood in the account's way when the lease was given, where it came with the record. */
  readonly standing?: AccountStanding;
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
export async function beginAt<K extends AttemptedKind>(
  kind: K,
  id: string,
  queue: QueueName,
  bench: Bench,
): Promise<AttemptAt<K> | Settlement> {
  const mono = bench.clock.monotonic();
  const acquired = await bench.operations.acquire(kind, id, queue, bench.policy.leaseMs);
  if (acquired.is !== 'acquired') return { did: 'idle', because: acquired.is };
  const { is: _, ...held } = acquired;
  const { record, lease } = held;
  const account = bench.account(record.account);
  const { mode, keys } = record.fields;
  const usable = account && account.upstream.mode === (mode ?? account.upstream.mode);
  if (usable && account.fingerprint === (keys ?? account.fingerprint)) {
    const leaseEndsMono = mono + bench.policy.leaseMs;
    return { ...held, leaseEndsMono, account: account.upstream, keys: account.fingerprint };
  }
  // Another process may have these keys; what was begun with one set is never ended with another.
  await change<K>({ record, lease }, bench, { to: record.state, dueInMs: bench.policy.holdRecheckMs });
  return { did: 'waits', because: account ? 'other_keys_or_mode' : 'account_not_configured' };
}

/**
 * The attempt as it goes on after a change of its own record that kept the lease; `leaseEndsMono` was read before it.
 */
export function renewed<K extends AttemptedKind>(
  attempt: AttemptAt<K>,
  record: RecordAt<K>,
  settled: Applied,
  leaseEndsMono: number,
): AttemptAt<K> {
  const at = settled.at || attempt.at;
  return { ...attempt, at, record: { ...record, rev: settled.rev }, leaseEndsMono };
}

/** A change of the attempt's own record. */
export function change<K extends AttemptedKind>(
  { record, lease }: { readonly record: RecordBase<K>; readonly lease: string },
  bench: Bench,
  what: Change<K>,
): Promise<Settled> {
  return bench.operations.settle(record, lease, what);
}

export type Applied = Extract<Settled, { readonly is: 'applied' | 'mine' }>;

export function isApplied(settled: Settled): settled is Applied {
  return settled.is === 'applied' || settled.is === 'mine';
}

/** What became of an attempt, unless somebody else had the record by the time of its last word. */
export function settlementOf(settled: Settled, meant: Settlement): Settlement {
  return isApplied(settled) ? meant : { did: 'lost', because: settled.is };
}

/** Leaves the operation in its state. Without `dueInMs`, nobody looks until somebody has reason to. */
export async function stayAt<K extends AttemptedKind>(
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
  const { record } = attempt;
  const settled = await change<K>(attempt, bench, {
    to: record.state,
    dueInMs: how.dueInMs,
    // Waiting for a turn or a condition is no try: what comes after it must not wait longer for it.
    set: { ...(how.did ? { tries: record.tries + 1 } : {}), ...how.set },
    evidence: how.evidence,
    hintAfterMs: HINT_INTERVAL_MS,
  });
  return settlementOf(settled, { did: how.did ?? 'waits', because: how.because });
}

/**
 * Nothing happened upstream: it is due again when upstream asks for it, and no sooner than the waits of its queue (ms)
 * say. An outage that goes on is not written down again, so that a long one pushes out nothing that was said before it.
 */
export function retryLater<K extends AttemptedKind>(
  attempt: AttemptAt<K>,
  verdict: NotOk,
  how: {
    readonly waitsMs: readonly number[];
    readonly evidence: EvidenceDraft;
    readonly set?: Readonly<Record<string, string | number>>;
  },
  bench: Bench,
): Promise<Settlement> {
  const because = verdict.code;
  const { dueInMs, tries, sameAgain } = retryAt(how.waitsMs, { tries: attempt.record.tries, because }, bench.policy);
  return stayAt(attempt, bench, {
    dueInMs: Math.max(retryAfterOf(verdict), dueInMs),
    because,
    did: 'retries',
    set: { ...how.set, tries },
    ...(sameAgain ? {} : { evidence: how.evidence }),
  });
}

/** What upstream asked us to wait, ms. */
function retryAfterOf(verdict: NotOk): number {
  return verdict.is === 'held' ? 0 : (verdict.retryAfterMs ?? 0);
}

/** A callback that comes while we look makes the next look due after this, and so does each after it. */
export const HINT_INTERVAL_MS = 5_000;

/** What needs review is looked at daily where there is something to ask: a late word of upstream settles it. */
export const DAILY_MS = 86_400_000;

/** What an answer that is not a success leaves in the record: its code, never its words. */
export function evidenceOf(operation: string, { seen, code }: NotOk): EvidenceDraft {
  return {
    operation,
    code: seen.upstreamCode ?? code,
    httpStatus: seen.httpStatus,
    detail: seen.upstreamCode && code,
  };
}

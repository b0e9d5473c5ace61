import type { QueueName } from '../kinds/due-queues.ts';
import type { Kind } from '../kinds/index.ts';
import type { Holds } from '../ledger/holds.ts';
import type { Life } from '../ledger/life.ts';
import type { OperationStore } from '../ledger/operation-store.ts';
import type { Queries } from '../ledger/queries.ts';
import type { Clock } from '../lib/clock.ts';
import type { Public } from '../lib/public.ts';
import type { Traces } from '../lib/traces.ts';
import type { RecordBase } from '../operations/record.ts';
import type { EvidenceDraft } from '../operations/transition.ts';
import type { Policy } from '../settings/policy.ts';
import type { Upstream, UpstreamAccount } from '../provider/client.ts';
import type { NotOk } from '../provider/verdict.ts';

export type { Policy };

/** Our code for a failed connection; see the failures of the provider client. */
const UNREACHABLE = 'unreachable';

/** An account with its keys in this process. */
export interface AccountKeys {
  readonly upstream: UpstreamAccount;
  /** Distinguishes these keys and this mode from others. */
  readonly fingerprint: string;
  /** Fingerprints of the earlier keys of the same application that these replace. */
  readonly before?: ReadonlySet<string>;
}

/** The context that writes a result. */
export interface RecordContext {
  readonly operations: Public<OperationStore>;
}

/** The context of any request with an effect. */
export interface AttemptContext extends RecordContext {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly accounts: Public<Holds>;
  readonly upstream: Upstream;
  readonly queries: Public<Queries>;
  /** The account of that name, if this process has its keys. */
  account(name: string): AccountKeys | undefined;
  /** Whether a recovery is running, and whether a witness knows this ledger. Absent: no witness is used. */
  readonly life?: Pick<Life, 'recovering' | 'raise' | 'isUnwitnessed' | 'isSuspended'>;
  /** Adds a wake-up job without waiting for it. The due time of the row is the durable signal. */
  wake(queue: QueueName): void;
  /** Absent: traces are off. */
  readonly traces?: Traces | undefined;
}

/** The context of requests that move money. */
export interface MoneyContext extends AttemptContext {
  /** The callback URL of this operation. Absent while PUBLIC_URL or CALLBACK_SECRET is not set. */
  callbackUrl(account: string, id: string, kind?: 'disbursement' | 'invoice'): string | undefined;
}

/** The context that a worker gives to each processor. Time, randomness and the network come only from here. */
export type ProcessorContext = MoneyContext;

export type Closed = 'recovering' | 'clock_set' | 'unwitnessed';

/**
 * Why nothing may leave now; undefined: requests may leave. `once`: for requests that must not be repeated and whose
 * status cannot be checked without an operator.
 */
export function closedFor({ life }: Pick<AttemptContext, 'life'>, once: boolean): Closed | undefined {
  if (life === undefined) return undefined;
  if (life.recovering() !== undefined) return 'recovering';
  if (life.isSuspended) return 'clock_set';
  return once && life.isUnwitnessed ? 'unwitnessed' : undefined;
}

/** Kinds that wait while no witness knows the ledger. */
export function sentOnce(kind: Kind, { resubmit }: Pick<Policy, 'resubmit'>): boolean {
  return kind === 'direct_credit' || kind === 'campaign' || (kind === 'disbursement' && !resubmit);
}

/** A restored ledger does not know what happened after its backup, so operations do not expire during a recovery. */
export function isRecovering(context: Pick<AttemptContext, 'life'>): boolean {
  return context.life?.recovering() !== undefined;
}

/** The outcome of an attempt: the closed set that metrics and logs count. */
export type Outcome =
  | 'advanced' // it went on, and something else is due
  | 'ended' // it reached a final state
  | 'waits' // a condition, named in `because`, keeps it
  | 'retries' // nothing happened upstream; due again
  | 'unknown' // it may or may not have taken effect; a look is due
  | 'needs_review'
  | 'idle' // there was nothing to do: it was over, or somebody else holds it
  | 'lost' // what we had written was gone or taken, so nothing was sent
  | 'refused'; // the job itself was not usable

export interface AttemptResult {
  readonly outcome: Outcome;
  readonly reason: string;
}

/** The provider keys that an operation was accepted for, or began with. */
export type BegunWith = Partial<Pick<RecordBase, 'mode' | 'keys' | 'acceptedFor'>>;

/**
 * Why an operation cannot use these keys. An operation that began with one set of keys never ends with another. An
 * operation that was only accepted can use keys that the operator declared as the replacement.
 */
export function foreignTo(
  { upstream, fingerprint, before }: AccountKeys,
  { mode, keys, acceptedFor }: BegunWith,
): 'other_keys_or_mode' | 'accepted_for_other_keys' | undefined {
  if (keys)
    return keys === fingerprint && upstream.mode === (mode ?? upstream.mode) ? undefined : 'other_keys_or_mode';
  if (!acceptedFor || acceptedFor === fingerprint || before?.has(acceptedFor)) return undefined;
  return 'accepted_for_other_keys';
}

/** How long a published operation can still be checked, ms. */
export function timeLeft(
  { publishedAt, createdAt }: { readonly publishedAt?: number; readonly createdAt: number },
  limitMs: number,
  at: number,
): number {
  return (publishedAt ?? createdAt) + limitMs - at;
}

/** The wait before try number `tries` (0: the first). The last wait of the list repeats. */
export function waitAt(waitsMs: readonly number[], tries: number): number {
  return waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 0;
}

/** The delay that the provider requested, ms. */
export function retryAfterOf(verdict: NotOk): number {
  return verdict.is === 'held' ? 0 : (verdict.retryAfterMs ?? 0);
}

/** Evidence of an answer that is not a success: its code, never its text. */
export function evidenceOf(operation: string, { exchange, code }: NotOk): EvidenceDraft {
  return {
    operation,
    code: exchange.upstreamCode ?? code,
    httpStatus: exchange.httpStatus,
    detail: exchange.upstreamCode && code,
  };
}

interface Retry {
  readonly dueInMs: number;
  readonly tries: number;
  /** The state is unchanged since the last try: nothing is counted or written. */
  readonly sameAgain?: true;
}

/**
 * When a failed request is retried, and the new number of tries. An unreachable provider is tried at least as often
 * as holds are re-read, and these tries are not counted: they cost nothing, and an operation that met several outages
 * would wait for minutes after the last one.
 */
export function retryAt(
  waitsMs: readonly number[],
  { tries, because }: { readonly tries: number; readonly because: string },
  { holdRecheckMs }: Pick<Policy, 'holdRecheckMs'>,
): Retry {
  const dueInMs = waitAt(waitsMs, tries);
  if (because !== UNREACHABLE) return { dueInMs, tries: tries + 1 };
  if (tries > 0 && waitAt(waitsMs, tries - 1) >= holdRecheckMs) {
    return { dueInMs: holdRecheckMs, tries, sameAgain: true };
  }
  return { dueInMs: Math.min(dueInMs, holdRecheckMs), tries: tries + 1 };
}

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
import type { Policy } from '../settings/policy.ts';
import type { Upstream, UpstreamAccount } from '../provider/client.ts';
import type { NotOk } from '../provider/verdict.ts';

export type { Policy };

/** Our code for no connection at all; see the failures of the upstream client. */
const UNREACHABLE = 'unreachable';

/** An account as this process knows it. */
export interface AccountKeys {
  readonly upstream: UpstreamAccount;
  /** Tells these keys, in this mode, from others. */
  readonly fingerprint: string;
  /** Those of the keys that these have taken the place of, in the same application. */
  readonly before?: ReadonlySet<string>;
}

/** What writing down takes. */
export interface RecordContext {
  readonly operations: Public<OperationStore>;
}

/** What takes whatever has an effect. */
export interface AttemptContext extends RecordContext {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly accounts: Public<Holds>;
  readonly upstream: Upstream;
  readonly queries: Public<Queries>;
  /** The account of that name, where this process has its keys. */
  account(name: string): AccountKeys | undefined;
  /** Whether a recovery is under way, and whether any witness knows this ledger. Absent: nothing is remembered. */
  readonly life?: Pick<Life, 'recovering' | 'raise' | 'isUnwitnessed' | 'isSuspended'>;
  /** Adds a wake-up job. Nothing waits for it: the due time of the row is what nobody can lose. */
  wake(queue: QueueName): void;
  /** Absent: nobody asked for traces. */
  readonly traces?: Traces | undefined;
}

/** … and money. */
export interface MoneyContext extends AttemptContext {
  /** Where upstream calls back about this operation; absent while PUBLIC_URL or CALLBACK_SECRET is not set. */
  callbackUrl(account: string, id: string, kind?: 'disbursement' | 'invoice'): string | undefined;
}

/** What a worker hands to each of its processors. Time, chance and the network come only from here. */
export type ProcessorContext = MoneyContext;

export type Closed = 'recovering' | 'clock_set' | 'unwitnessed';

/**
 * Why nothing may leave at this moment, as a word; undefined: it may. `once`: of what must not be repeated, and cannot be
 * asked about, or only by a person.
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

/** Nothing is given up for its age either: a restored ledger does not know what became of it since. */
export function isRecovering(context: Pick<AttemptContext, 'life'>): boolean {
  return context.life?.recovering() !== undefined;
}

/** What became of an attempt: the closed set that metrics and logs count. */
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

/** The provider keys that an operation was begun with, or accepted for. */
export type BegunWith = Partial<Pick<RecordBase, 'mode' | 'keys' | 'acceptedFor'>>;

/**
 * Why these keys are not for an operation, if they are not. What was begun is never ended with other keys. What was
 * only accepted may go on with those that the operator says have taken the place of the ones it was accepted for.
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

/** How long an operation that was published may still be asked about, ms. */
export function timeLeft(
  { publishedAt, createdAt }: { readonly publishedAt?: number; readonly createdAt: number },
  limitMs: number,
  at: number,
): number {
  return (publishedAt ?? createdAt) + limitMs - at;
}

/** The wait before try number `tries` (0 = the first); the last wait of the list repeats. */
export function waitAt(waitsMs: readonly number[], tries: number): number {
  return waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 0;
}

/** What upstream asked us to wait, ms. */
export function retryAfterOf(verdict: NotOk): number {
  return verdict.is === 'held' ? 0 : (verdict.retryAfterMs ?? 0);
}

interface Retry {
  readonly dueInMs: number;
  readonly tries: number;
  /** It is as it was after the try before: nothing to count, and nothing new to write down. */
  readonly sameAgain?: true;
}

/**
 * When what did not happen is tried again, and how many tries that makes. A service that cannot be reached is asked at
 * least as often as a hold is looked at, and from then on that is not counted: it costs neither side anything, and
 * an operation that met several outages in a row would wait for minutes after the last one.
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

/** One attempt at an operation of any kind: the record, the lease on it, and the keys to use. */
import { isFinal } from '../kinds/states.ts';
import type { Kind, StateOf } from '../kinds/index.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import type { AccountStanding } from '../operations/accounts.ts';
import { type EvidenceDraft, type Said, linesOf, named } from '../operations/evidence.ts';
import type { Fields, RecordAt, RecordBase } from '../operations/record.ts';
import type { Change, TransitionResult } from '../operations/transition.ts';
import type { UpstreamAccount } from '../upstream/client.ts';
import type { NotOk } from '../upstream/verdict.ts';
import { type AttemptedKind, type Announced, eventOf } from './announced.ts';
import { type AccountKeys, type ProcessorContext, type Outcome, type AttemptResult, retryAt } from './context.ts';

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
export interface Tried extends AttemptResult {
  readonly failure?: NotOk;
  /** Upstream was asked and answered, or there is nothing to ask it by. Absent: nobody knows what it would say now. */
  readonly asked?: true;
}

/** Takes the lease, or says why there is nothing to do. */
export async function beginAt<K extends AttemptedKind>(
  kind: K,
  id: string,
  queue: QueueName,
  context: ProcessorContext,
): Promise<AttemptAt<K> | AttemptResult> {
  const mono = context.clock.monotonic();
  const acquired = await context.operations.acquire(kind, id, queue, context.policy.leaseMs);
  if (acquired.is !== 'acquired') return { outcome: 'idle', reason: acquired.is };
  const { is: _, ...held } = acquired;
  const { record, lease } = held;
  const account = context.account(record.account);
  const foreign = account && foreignTo(account, record.fields);
  if (account && foreign === undefined) {
    const leaseEndsMono = mono + context.policy.leaseMs;
    return { ...held, leaseEndsMono, account: account.upstream, keys: account.fingerprint };
  }
  // Another process may have these keys; what was begun with one set is never ended with another.
  const because = foreign ?? 'account_not_configured';
  // What has ended is not in a hurry, and there may be a great deal of it.
  const dueInMs = isFinal(kind, record.state) ? DAILY_MS : context.policy.holdRecheckMs;
  return finish<K>({ record, lease }, context, { to: record.state, dueInMs, outcome: 'waits', reason: because });
}

/**
 * Why these keys are not for an operation, if they are not. What was begun is never ended with other keys. What was
 * only accepted may go on with those that the operator says have taken the place of the ones it was accepted for.
 */
export function foreignTo(
  { upstream, fingerprint, before }: AccountKeys,
  { mode, keys, acceptedFor }: Fields,
): 'other_keys_or_mode' | 'accepted_for_other_keys' | undefined {
  if (keys)
    return keys === fingerprint && upstream.mode === (mode ?? upstream.mode) ? undefined : 'other_keys_or_mode';
  if (!acceptedFor || acceptedFor === fingerprint || before?.has(acceptedFor)) return undefined;
  return 'accepted_for_other_keys';
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

/** What an attempt needs of its record to change it. Without a lease: a word that no attempt in flight may undo. */
export interface Mine<K extends Kind> {
  readonly record: RecordBase<K>;
  readonly lease: string | undefined;
}

/** How an attempt ends: what is written, and what is told of it if that was written. */
export type Ending<K extends Kind> = Omit<Change<K>, 'keepMs'> & Pick<AttemptResult, 'outcome' | 'reason'>;

/**
 * Ends an attempt: the only way. Where somebody else has the record by the time of its last word, it is `lost`, and what
 * it has learnt stays with the record all the same.
 */
export async function finish<K extends Kind>(
  mine: Mine<K>,
  context: ProcessorContext,
  { outcome, reason, ...what }: Ending<K>,
): Promise<AttemptResult> {
  const settled = await write(mine, context, what);
  return isApplied(settled) ? { outcome, reason } : { outcome: 'lost', reason: settled.is };
}

/** Changes the record and keeps the lease: the attempt goes on. */
export function keep<K extends Kind>(
  mine: Mine<K>,
  context: ProcessorContext,
  what: Change<K> & { readonly keepMs: number },
): Promise<TransitionResult> {
  return write(mine, context, what);
}

async function write<K extends Kind>(
  { record, lease }: Mine<K>,
  context: ProcessorContext,
  what: Change<K>,
): Promise<TransitionResult> {
  const settled = await context.operations.transition(record, lease, what);
  if (settled.is === 'none' || settled.is === 'not yours') await noteLearnt(record.id, what, context);
  return settled;
}

/** Nothing was changed: what upstream named belongs to another operation. */
export const CLAIMED = 'claimed';

/** What upstream knows an operation by. */
const NAMED_UPSTREAM = ['token', 'transactionId', 'disburseTxId', 'providerRef', 'referenceNumber'] as const;

/** Whoever has the record now does not know what we were told: upstream's word, and what it named. */
async function noteLearnt<K extends Kind>(
  id: string,
  { evidence, set }: Change<K>,
  context: ProcessorContext,
): Promise<void> {
  const told = linesOf(evidence).filter(({ operation, code }) => operation !== RESOLVE && code !== INTENDED);
  if (told.length === 0) return;
  const names = NAMED_UPSTREAM.flatMap((name) => (set?.[name] ? [named(name, set[name])] : []));
  await context.operations.appendEvidence(id, [...told, ...names]);
}

/** The line of evidence that tells what we were about to do. */
export const INTENDED = 'intended';

/** What a line of evidence is about that tells a person's word. */
export const RESOLVE = 'resolve';

export type Applied = Extract<TransitionResult, { readonly is: 'applied' | 'mine' }>;

export function isApplied(settled: TransitionResult): settled is Applied {
  return settled.is === 'applied' || settled.is === 'mine';
}

interface Told {
  /** Machine-readable. Absent: the state says it. */
  readonly reason?: string | undefined;
  /** Why, in the words of upstream. */
  readonly failure?: string | undefined;
  /** What the record and the event say besides, by the same names. */
  readonly more?: Readonly<Record<string, string | number>>;
  /** Told after it had waited for a person, or after another word. */
  readonly late?: boolean;
  readonly set?: Readonly<Record<string, string | number>>;
  readonly dueInMs?: number | undefined;
  readonly evidence?: Said | undefined;
  readonly nudgeAfterMs?: number;
  readonly forgetsCallback?: boolean;
  /** Not said where Redis may have lost something: it may have ended otherwise since. */
  readonly hasEffect?: true;
  /** Where the settlement says it in another word. */
  readonly because?: string;
}

/** Ends an attempt in a state that callers are told of. */
export function announceEnd<K extends AttemptedKind>(
  attempt: AttemptAt<K>,
  context: ProcessorContext,
  to: Announced<K> & StateOf<K>,
  { reason, failure, more, late, set, because, ...rest }: Told = {},
): Promise<AttemptResult> {
  const told = { ...(reason ? { reason } : {}), ...(failure ? { failure } : {}), ...more };
  return finish<K>(attempt, context, {
    ...rest,
    to,
    set: { reason: '', failure: '', ...told, ...set },
    event: eventOf<K>(attempt.record, to, { ...told, ...(late ? { late } : {}) }),
    outcome: to === 'needs_review' ? 'needs_review' : 'ended',
    reason: because ?? reason ?? to,
  });
}

/** How long an operation that was published may still be asked about, ms. */
export function timeLeft(
  { publishedAt, createdAt }: { readonly publishedAt?: number; readonly createdAt: number },
  limitMs: number,
  at: number,
): number {
  return (publishedAt ?? createdAt) + limitMs - at;
}

/** Leaves the operation in its state. Without `dueInMs`, nobody looks until somebody has reason to. */
export function stayAt<K extends AttemptedKind>(
  attempt: AttemptAt<K>,
  context: ProcessorContext,
  how: {
    readonly dueInMs?: number | undefined;
    readonly because: string;
    readonly did?: Outcome;
    readonly evidence?: EvidenceDraft;
    readonly set?: Readonly<Record<string, string | number>>;
    /** Where the state it is in says less than is known by now. */
    readonly to?: StateOf<K>;
  },
): Promise<AttemptResult> {
  const { record } = attempt;
  return finish<K>(attempt, context, {
    to: how.to ?? record.state,
    dueInMs: how.dueInMs,
    // Waiting for a turn or a condition is no try: what comes after it must not wait longer for it.
    set: { ...(how.did ? { tries: record.tries + 1 } : {}), ...how.set },
    evidence: how.evidence,
    nudgeAfterMs: NUDGE_INTERVAL_MS,
    outcome: how.did ?? 'waits',
    reason: how.because,
  });
}

/** Until a person has looked, an operation of a Redis that may have lost something stays as it is. */
export function waitForRecovery<K extends AttemptedKind>(
  attempt: AttemptAt<K>,
  context: ProcessorContext,
): Promise<AttemptResult> {
  return stayAt<K>(attempt, context, { dueInMs: context.policy.holdRecheckMs, because: 'recovering' });
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
  context: ProcessorContext,
): Promise<AttemptResult> {
  const because = verdict.code;
  const { dueInMs, tries, sameAgain } = retryAt(
    how.waitsMs,
    { tries: attempt.record.tries, because },
    context.policy,
  );
  return stayAt(attempt, context, {
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
export const NUDGE_INTERVAL_MS = 5_000;

/** What needs review is looked at daily where there is something to ask: a late word of upstream settles it. */
export const DAILY_MS = 86_400_000;

/** What an answer that is not a success leaves in the record: its code, never its words. */
export function evidenceOf(operation: string, { exchange, code }: NotOk): EvidenceDraft {
  return {
    operation,
    code: exchange.upstreamCode ?? code,
    httpStatus: exchange.httpStatus,
    detail: exchange.upstreamCode && code,
  };
}

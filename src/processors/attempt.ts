/**
 * One attempt at an operation of any kind. A processor reads from top to bottom:
 *
 *   take the lease ──▶ notBefore, withinLimit, open … ──▶ ask, or send ──▶ finish
 *
 * A step that cannot continue writes the waiting or final state and throws `Stopped`. `attempt` turns this into the
 * result of the attempt, so the next step runs only if the step before it succeeded. Every step must be awaited; the
 * linter enforces this (no-floating-promises). Only `finish` ends an attempt: all other endings use it.
 */
import { type Moment, momentOf } from '../lib/clock.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import { isLedgerAway } from '../ledger/errors.ts';
import { isAway } from '../redis/connections.ts';
import {
  type EvidenceDraft,
  type Said,
  linesOf,
  type Change,
  type FieldValues,
  isApplied,
  type AttemptedKind,
  type Announced,
  eventOf,
} from '../operations/transition.ts';
import { type StateInQueue, type StateOf, isFinal } from '../kinds/index.ts';
import { tellsPayee } from '../kinds/notify.ts';
import type { RecordAt } from '../operations/record.ts';
import type { UpstreamAccount } from '../provider/account.ts';
import type { CallOptions } from '../provider/transport.ts';
import type { NotOk, Verdict } from '../provider/verdict.ts';
import {
  type AccountKeys,
  type AttemptResult,
  type MoneyContext,
  type Outcome,
  type Policy,
  closedFor,
  foreignTo,
  isRecovering,
  retryAfterOf,
  retryAt,
  sentOnce,
} from './context.ts';
import {
  CLAIMED,
  type Ending,
  INTENDED,
  type IntentSteps,
  finish,
  sendBy,
  untilSaid,
  write,
  writeIntent,
} from './intent.ts';

/** The result of an attempt, with the provider's refusal for a caller that waits. */
export interface Tried extends AttemptResult {
  readonly failure?: NotOk;
  /**
   * The provider answered a status request, or no status request is possible. Absent: the provider's status is
   * unknown.
   */
  readonly asked?: true;
}

/** Ends an attempt early. Thrown by steps, caught only by `attemptAt`. */
class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly result: AttemptResult;

  constructor(result: AttemptResult) {
    super(`${result.outcome}: ${result.reason}`);
    this.result = result;
  }
}

/** Runs one attempt at an operation. Returns its result, or the result of the step that stopped it. */
export async function attemptAt<K extends AttemptedKind, R>(
  { kind, id, queue }: { readonly kind: K; readonly id: string; readonly queue: QueueName },
  context: MoneyContext,
  run: (attempt: Attempt<K>) => Promise<R>,
): Promise<R | AttemptResult> {
  let begun: Attempt<K> | undefined;
  try {
    begun = await begin(kind, id, queue, context);
    return await run(begun);
  } catch (error) {
    if (error instanceof Stopped) return error.result;
    if (isAway(error) || isLedgerAway(error)) await begun?.letGo();
    throw error;
  }
}

/**
 * The processor of a kind in a queue, with one action for each state that is due there. Operations in other states
 * are never acquired.
 */
export function attempt<K extends AttemptedKind, Queue extends QueueName, R extends AttemptResult>(
  kind: K,
  queue: Queue,
  steps: Readonly<Record<StateInQueue<K, Queue>, (attempt: Attempt<K>) => Promise<R>>>,
) {
  const inState: Readonly<Partial<Record<string, (attempt: Attempt<K>) => Promise<R>>>> = steps;
  return (id: string, context: MoneyContext): Promise<R | AttemptResult> =>
    attemptAt({ kind, id, queue }, context, (a) => inState[a.record.state]?.(a) ?? Promise.reject(new Error(id)));
}

/** Takes the lease, or returns why there is nothing to do. */
async function begin<K extends AttemptedKind>(
  kind: K,
  id: string,
  queue: QueueName,
  context: MoneyContext,
): Promise<Attempt<K>> {
  const { leaseMs, holdRecheckMs } = context.policy;
  const acquired = await context.operations.acquire(kind, id, queue, leaseMs);
  if (acquired.is !== 'acquired') throw new Stopped({ outcome: 'idle', reason: acquired.is });
  const { record, lease, at, leasedSince } = acquired;
  context.traces?.belongsTo(record.trace);
  const known = context.account(record.account);
  const foreign = known && foreignTo(known, record);
  if (known && foreign === undefined) {
    return new Attempt({ record, lease, at, leasedSince, known, context });
  }
  // Another process may have these keys. An operation must end with the keys that it began with.
  const reason = foreign ?? 'account_not_configured';
  // Finished operations are not urgent, and there may be many of them.
  const dueInMs = isFinal(kind, record.state) ? DAILY_MS : holdRecheckMs;
  throw new Stopped(
    await finish<K>({ record, lease }, context, { to: record.state, dueInMs, outcome: 'waits', reason }),
  );
}

interface Begun<K extends AttemptedKind> {
  readonly record: RecordAt<K>;
  readonly lease: string;
  readonly at: number;
  readonly leasedSince: Moment;
  readonly known: AccountKeys;
  readonly context: MoneyContext;
}

/** Updates that an attempt has not written yet. The next write includes them. */
export interface Learnt<K extends AttemptedKind> {
  readonly change: {
    readonly to: StateOf<K>;
    readonly set: Readonly<Record<string, string | number>>;
    readonly evidence: EvidenceDraft;
    readonly claims: string;
  };
  /** Ends the attempt when a reference from the provider already belongs to another operation. */
  readonly claimed: () => Promise<AttemptResult>;
}

/** The parts in which one request with an effect differs from another. */
export interface Intent<K extends AttemptedKind> {
  /** The record after the intent was written. */
  readonly written: RecordAt<K>;
  readonly set: Readonly<Record<string, string | number>>;
  readonly evidence: EvidenceDraft;
  /** A hold of the account, as `area.reason`, that forbids the write. The write itself checks it. */
  readonly unlessHeld?: string;
  readonly learnt?: Learnt<K> | undefined;
  /** Reverts the intent of a request of which no byte left this process. */
  readonly unsent: (reason: string) => Change<K>;
}

type Request<T> = (account: UpstreamAccount, call: CallOptions) => Promise<Verdict<T>>;

/** How an operation stays in its state. Without `dueInMs` it is due again only after an event or a manual action. */
interface Staying<K extends AttemptedKind> {
  readonly dueInMs?: number | undefined;
  readonly reason: string;
  readonly outcome?: Outcome;
  readonly evidence?: Said;
  readonly set?: FieldValues;
  /** The new state, if the current one is outdated. */
  readonly to?: StateOf<K>;
  readonly claims?: string;
}

export class Attempt<K extends AttemptedKind> {
  readonly context: MoneyContext;
  readonly lease: string;
  readonly account: UpstreamAccount;
  /** Fingerprint of the provider keys, stored with each operation that used them. */
  readonly keys: string;
  #record: RecordAt<K>;
  #at: number;
  #leasedSince: Moment;
  /** The pending result of this attempt. Retries of the write are idempotent. */
  #unsaid: Ending<K> | undefined;

  constructor({ record, lease, at, leasedSince, known, context }: Begun<K>) {
    this.context = context;
    this.lease = lease;
    this.account = known.upstream;
    this.keys = known.fingerprint;
    this.#record = record;
    this.#at = at;
    this.#leasedSince = leasedSince;
  }

  /** The record as this attempt last read or wrote it. */
  get record(): RecordAt<K> {
    return this.#record;
  }

  /** The time of PostgreSQL when the lease was granted or renewed. All observations of this attempt are later. */
  get at(): number {
    return this.#at;
  }

  get policy(): Policy {
    return this.context.policy;
  }

  /** Ends the attempt with this result. */
  async stop(result: Promise<AttemptResult>): Promise<never> {
    throw new Stopped(await result);
  }

  async notBefore(time = 0): Promise<void> {
    const early = time - this.#at;
    if (early > 0) await this.stop(this.stay({ dueInMs: early, reason: 'not_before' }));
  }

  /** If the ledger may have lost data, an operation does not change until an operator decides. */
  async notRecovering(): Promise<void> {
    if (isRecovering(this.context)) await this.#wait('recovering');
  }

  /** An operation that did not begin within its time limit never begins. */
  async withinLimit(
    limitMs: number,
    { from, to, ...told }: { readonly from: number; readonly to: Announced<K> & StateOf<K> } & Told,
  ): Promise<void> {
    if (this.#at - from >= limitMs) await this.stop(this.announce(to, { ...told, hasEffect: true }));
  }

  /**
   * Stops while a recovery runs. Also stops operations that must be sent at most once while no witness has confirmed
   * the ledger.
   */
  async open(learnt?: Learnt<K>): Promise<void> {
    const closed = closedFor(this.context, sentOnce(this.#record.kind, this.policy));
    if (closed) await this.#wait(closed, learnt);
  }

  /** Waits for a permit of the provider's rate limit. */
  async turn(purpose: 'act' | 'look', learnt?: Learnt<K>): Promise<void> {
    const admission = await this.context.upstream.admit(this.account, 'payments', purpose);
    if (!admission.admitted) await this.#leave({ dueInMs: admission.retryAfterMs, reason: 'rate' }, learnt);
  }

  /** Sends a request without side effects. It can be repeated. */
  async ask<T>(purpose: 'act' | 'look', request: Request<T>): Promise<Verdict<T>> {
    await this.turn(purpose);
    return request(this.account, this.call());
  }

  /** Sends a request with side effects. See intent.ts for the steps before it. */
  async send<T>(intent: Intent<K>, request: Request<T>): Promise<Verdict<T>> {
    await this.open(intent.learnt);
    // Obtained before any write: nothing may wait between the commit of the intent and the request.
    await this.turn('act', intent.learnt);
    await this.#intend(intent);
    return request(this.account, this.call());
  }

  /**
   * Changes the record and keeps the lease. `claimed`: handles a provider reference that belongs to another
   * operation.
   */
  async keep(
    change: Omit<Change<K>, 'keepMs' | 'dueInMs'>,
    written: (at: number) => Partial<RecordAt<K>>,
  ): Promise<'kept' | 'claimed'> {
    const { leaseMs } = this.policy;
    const leasedSince = momentOf(this.context.clock);
    const kept = await write<K>(this, this.context, { ...change, dueInMs: leaseMs, keepMs: leaseMs });
    if (kept.is === 'claimed') return kept.is;
    if (!isApplied(kept)) throw new Stopped({ outcome: 'lost', reason: kept.is });
    this.#renew({ ...this.#record, ...written(kept.at) }, kept, leasedSince);
    return 'kept';
  }

  async finish(ending: Ending<K>): Promise<AttemptResult> {
    const said = await finish<K>(this, this.context, (this.#unsaid = { ...ending, op: this.lease }));
    this.#unsaid = undefined;
    if (said.outcome !== 'lost' && tellsPayee(this.#record, ending.to)) this.context.wake('sms-batch');
    return said;
  }

  /** Writes the pending result again after PostgreSQL was away. No other attempt can begin before the lease ends. */
  async letGo(): Promise<void> {
    // The operator already knows that their decision was not applied.
    const last = this.#unsaid?.act ? undefined : this.#unsaid;
    const say = () => (last ? this.finish(last) : this.stay({ dueInMs: 0, reason: 'redis_away' }));
    await untilSaid(say, { since: this.#leasedSince, ms: this.policy.leaseMs }, this.context);
  }

  /** Leaves the operation in its state. */
  stay({ outcome, set, to = this.#record.state, ...how }: Staying<K>): Promise<AttemptResult> {
    // Waiting for a permit or a condition is not a try and must not lengthen later waits.
    const tries = outcome === undefined ? {} : { tries: this.#record.tries + 1 };
    return this.finish({
      ...how,
      to,
      set: { ...tries, ...set },
      nudgeAfterMs: NUDGE_INTERVAL_MS,
      outcome: outcome ?? 'waits',
    });
  }

  /** Ends in a state that is reported to callers. */
  announce(
    to: Announced<K> & StateOf<K>,
    { reason, failure, more, late, set, details, as, ...rest }: Told = {},
  ): Promise<AttemptResult> {
    const told = { ...(reason ? { reason } : {}), ...(failure ? { failure } : {}), ...more };
    return this.finish({
      ...rest,
      to,
      set: { reason: '', failure: '', ...told, ...details, ...set },
      event: eventOf<K>({ ...this.#record, ...details }, to, { ...told, ...(late ? { late } : {}) }),
      outcome: to === 'needs_review' ? 'needs_review' : 'ended',
      reason: as ?? reason ?? to,
    });
  }

  /**
   * The provider did nothing. The operation is due again after the provider's delay, and not before the waits of its
   * queue (ms). Repeated identical failures are recorded once, so a long outage does not evict older evidence.
   */
  retryLater(
    verdict: NotOk,
    {
      waitsMs,
      evidence,
      set,
    }: Pick<Staying<K>, 'set'> & {
      readonly waitsMs: readonly number[];
      readonly evidence: EvidenceDraft;
    },
  ): Promise<AttemptResult> {
    const reason = verdict.code;
    const { dueInMs, tries, sameAgain } = retryAt(
      waitsMs,
      { tries: this.#record.tries, because: reason },
      this.policy,
    );
    return this.stay({
      dueInMs: Math.max(retryAfterOf(verdict), dueInMs),
      reason,
      outcome: 'retries',
      set: { ...set, tries },
      ...(sameAgain ? {} : { evidence }),
    });
  }

  #wait(reason: string, learnt?: Learnt<K>): Promise<never> {
    return this.#leave({ dueInMs: this.policy.holdRecheckMs, reason }, learnt);
  }

  /** Ends the attempt here and writes its pending updates. */
  async #leave(how: Staying<K>, learnt: Learnt<K> | undefined): Promise<never> {
    const left = await this.stay({ ...how, ...learnt?.change });
    throw new Stopped(learnt && left.reason === CLAIMED ? await learnt.claimed() : left);
  }

  /** Options of a request: after the deadline of the lease, no byte of it leaves. */
  call(): CallOptions {
    return { sendBy: sendBy(this.#leasedSince, this.context) };
  }

  async #intend(intent: Intent<K>): Promise<void> {
    const { written, set, evidence, unlessHeld, unsent, learnt } = intent;
    const { leaseMs } = this.policy;
    const change: Change<K> = {
      to: written.state,
      dueInMs: leaseMs,
      keepMs: leaseMs,
      set: { ...learnt?.change.set, ...set, keys: this.keys, mode: this.account.mode },
      evidence: [...linesOf(learnt?.change.evidence), { ...evidence, code: INTENDED }],
      claims: learnt?.change.claims,
      unlessHeld,
      hasEffect: true,
    };
    const steps: IntentSteps<'written'> = {
      write: () => write<K>(this, this.context, change),
      written: (applied, leasedSince) => {
        this.#renew(written, applied, leasedSince);
        return 'written';
      },
      withdrawIntent: ({ because, code }) => {
        const back = { ...unsent('not_sent'), evidence: { operation: evidence.operation, code } };
        return finish<K>({ record: written, lease: this.lease }, this.context, {
          ...back,
          outcome: 'retries',
          reason: because,
        });
      },
    };
    const intended = await writeIntent(steps, this.context);
    if (intended === 'written') return;
    if (intended.reason === 'held') await this.#wait('account_stopped', learnt);
    if (intended.reason === 'recovering') await this.#wait('recovering', learnt);
    if (intended.reason === CLAIMED && learnt) throw new Stopped(await learnt.claimed());
    throw new Stopped(intended);
  }

  #renew(record: RecordAt<K>, { at, rev }: { readonly at: number; readonly rev: number }, leasedSince: Moment): void {
    this.#at = at || this.#at;
    this.#record = { ...record, rev };
    this.#leasedSince = leasedSince;
  }
}

interface Told {
  /** Machine-readable. Absent: the state is the reason. */
  readonly reason?: string | undefined;
  /** The failure in the provider's own words. */
  readonly failure?: string | undefined;
  /** Further fields of the record and of the event, by the same names. */
  readonly more?: Readonly<Record<string, string | number>>;
  /** The result follows a review, or corrects an earlier result. */
  readonly late?: boolean;
  readonly set?: FieldValues;
  /** Fields that the provider has just named: the record stores them, and the event carries its own part of them. */
  readonly details?: FieldValues;
  readonly dueInMs?: number | undefined;
  readonly evidence?: Said | undefined;
  readonly nudgeAfterMs?: number;
  readonly claims?: string | undefined;
  /** Not reported while the ledger may have lost data: the operation may have ended differently since. */
  readonly hasEffect?: true;
  /** The outcome of the attempt, if it differs from the state. */
  readonly as?: string;
}

/** A callback that arrives during a status check makes the next check due after this delay. */
export const NUDGE_INTERVAL_MS = 5_000;

/** Operations that need review are checked daily if the provider can be asked: a late final status settles them. */
export const DAILY_MS = 86_400_000;

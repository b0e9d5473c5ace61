/**
 * One attempt at an operation of any kind, as a processor reads it from top to bottom:
 *
 *   take the lease ──▶ notBefore, withinLimit, open … ──▶ ask, or send ──▶ finish
 *
 * A step that finds something in the way writes down that the operation waits, or has ended, and throws `Stopped`:
 * `attempt` makes its result the result of the attempt, so what follows a step is what the step let through. BullMQ
 * knows the same signal as DelayedError. A step that is not awaited would let through what it should have stopped, and
 * the linter refuses that (no-floating-promises). Nothing but `finish` ends an attempt: all other endings use it.
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
  isApplied,
  type AttemptedKind,
  type Announced,
  eventOf,
} from '../operations/transition.ts';
import { type StateInQueue, type StateOf, isFinal } from '../kinds/index.ts';
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

/** What became of an attempt, and what upstream said where it said no: a caller that waits is told. */
export interface Tried extends AttemptResult {
  readonly failure?: NotOk;
  /** Upstream was asked and answered, or there is nothing to ask it by. Absent: nobody knows what it would say now. */
  readonly asked?: true;
}

/** How a step ends an attempt. Thrown by steps, caught by `attemptAt`, and by nothing between them. */
class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly result: AttemptResult;

  constructor(result: AttemptResult) {
    super(`${result.outcome}: ${result.reason}`);
    this.result = result;
  }
}

/** An attempt at one operation, or the result of the step that stopped it. */
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

/** The processor of a kind in a queue: what it does in each state that is due there. No other is ever acquired. */
export function attempt<K extends AttemptedKind, Queue extends QueueName, R extends AttemptResult>(
  kind: K,
  queue: Queue,
  steps: Readonly<Record<StateInQueue<K, Queue>, (attempt: Attempt<K>) => Promise<R>>>,
) {
  const inState: Readonly<Partial<Record<string, (attempt: Attempt<K>) => Promise<R>>>> = steps;
  return (id: string, context: MoneyContext): Promise<R | AttemptResult> =>
    attemptAt({ kind, id, queue }, context, (a) => inState[a.record.state]?.(a) ?? Promise.reject(new Error(id)));
}

/** Takes the lease, or says why there is nothing to do. */
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
  // Another process may have these keys; what was begun with one set is never ended with another.
  const reason = foreign ?? 'account_not_configured';
  // What has ended is not in a hurry, and there may be a great deal of it.
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

/** What an attempt has learnt and not written down yet: it goes into the next write, whichever that is. */
export interface Learnt<K extends AttemptedKind> {
  readonly change: {
    readonly to: StateOf<K>;
    readonly set: Readonly<Record<string, string | number>>;
    readonly evidence: EvidenceDraft;
    readonly claims: string;
  };
  /** How it ends where what upstream named belongs to another operation. */
  readonly claimed: () => Promise<AttemptResult>;
}

/** What differs between one request with an effect and another. */
export interface Intent<K extends AttemptedKind> {
  /** The record with the intent in it, as the attempt goes on with it. */
  readonly written: RecordAt<K>;
  readonly set: Readonly<Record<string, string | number>>;
  readonly evidence: EvidenceDraft;
  /** What of the account forbids it, as `area.reason`; asked by the write itself. */
  readonly unlessHeld?: string;
  readonly learnt?: Learnt<K> | undefined;
  /** The way back, for a request of which no byte left us. */
  readonly unsent: (reason: string) => Change<K>;
}

type Request<T> = (account: UpstreamAccount, call: CallOptions) => Promise<Verdict<T>>;

/** How an operation is left in its state. Without `dueInMs`, nothing is due until somebody has reason to look. */
interface Staying<K extends AttemptedKind> {
  readonly dueInMs?: number | undefined;
  readonly reason: string;
  readonly outcome?: Outcome;
  readonly evidence?: Said;
  readonly set?: Readonly<Record<string, string | number>>;
  /** Where the state it is in says less than is known by now. */
  readonly to?: StateOf<K>;
  readonly claims?: string;
}

export class Attempt<K extends AttemptedKind> {
  readonly context: MoneyContext;
  readonly lease: string;
  readonly account: UpstreamAccount;
  /** Tells these keys from others; written into the record with what they were used for. */
  readonly keys: string;
  #record: RecordAt<K>;
  #at: number;
  #leasedSince: Moment;
  /** How it ends, until that is written. However often it is said, the last word of a lease is one. */
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

  /** As this attempt has read or written it last. */
  get record(): RecordAt<K> {
    return this.#record;
  }

  /** The clock of PostgreSQL when the lease was given or renewed: everything seen in this attempt was seen after it. */
  get at(): number {
    return this.#at;
  }

  get policy(): Policy {
    return this.context.policy;
  }

  /** Ends the attempt here. */
  async stop(result: Promise<AttemptResult>): Promise<never> {
    throw new Stopped(await result);
  }

  async notBefore(time = 0): Promise<void> {
    const early = time - this.#at;
    if (early > 0) await this.stop(this.stay({ dueInMs: early, reason: 'not_before' }));
  }

  /** Until a person decides, an operation of a ledger that may have lost data stays as it is. */
  async notRecovering(): Promise<void> {
    if (isRecovering(this.context)) await this.#wait('recovering');
  }

  /** What was not begun within its time is not begun. */
  async withinLimit(
    limitMs: number,
    { from, to, ...told }: { readonly from: number; readonly to: Announced<K> & StateOf<K> } & Told,
  ): Promise<void> {
    if (this.#at - from >= limitMs) await this.stop(this.announce(to, { ...told, hasEffect: true }));
  }

  /** Nothing leaves while a recovery is under way, or no witness knows the ledger and it must leave once. */
  async open(learnt?: Learnt<K>): Promise<void> {
    const closed = closedFor(this.context, sentOnce(this.#record.kind, this.policy));
    if (closed) await this.#wait(closed, learnt);
  }

  /** A turn at the service: it allows so many requests a second. */
  async turn(purpose: 'act' | 'look', learnt?: Learnt<K>): Promise<void> {
    const admission = await this.context.upstream.admit(this.account, 'payments', purpose);
    if (!admission.admitted) await this.#leave({ dueInMs: admission.retryAfterMs, reason: 'rate' }, learnt);
  }

  /** Asks what has no effect that anybody would miss: it may be asked again. */
  async ask<T>(purpose: 'act' | 'look', request: Request<T>): Promise<Verdict<T>> {
    await this.turn(purpose);
    return request(this.account, this.call());
  }

  /** Sends what has an effect: intent.ts says what comes before it, and why. */
  async send<T>(intent: Intent<K>, request: Request<T>): Promise<Verdict<T>> {
    await this.open(intent.learnt);
    // Asked before anything is written: between the re-read and the request nothing may wait.
    await this.turn('act', intent.learnt);
    await this.#intend(intent);
    return request(this.account, this.call());
  }

  /** Changes the record and keeps the lease. `claimed`: what upstream named belongs to another operation. */
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
    return said;
  }

  /** PostgreSQL was away, and no other attempt begins before the lease ends: the result is written again. */
  async letGo(): Promise<void> {
    // Of their own word a person was told that it was not taken.
    const last = this.#unsaid?.act ? undefined : this.#unsaid;
    const say = () => (last ? this.finish(last) : this.stay({ dueInMs: 0, reason: 'redis_away' }));
    await untilSaid(say, { since: this.#leasedSince, ms: this.policy.leaseMs }, this.context);
  }

  /** Leaves the operation in its state. */
  stay({ outcome, set, to = this.#record.state, ...how }: Staying<K>): Promise<AttemptResult> {
    // Waiting for a turn or a condition is no try: what comes after it must not wait longer for it.
    const tries = outcome === undefined ? {} : { tries: this.#record.tries + 1 };
    return this.finish({
      ...how,
      to,
      set: { ...tries, ...set },
      nudgeAfterMs: NUDGE_INTERVAL_MS,
      outcome: outcome ?? 'waits',
    });
  }

  /** Ends in a state that callers are told of. */
  announce(
    to: Announced<K> & StateOf<K>,
    { reason, failure, more, late, set, as, ...rest }: Told = {},
  ): Promise<AttemptResult> {
    const told = { ...(reason ? { reason } : {}), ...(failure ? { failure } : {}), ...more };
    return this.finish({
      ...rest,
      to,
      set: { reason: '', failure: '', ...told, ...set },
      event: eventOf<K>(this.#record, to, { ...told, ...(late ? { late } : {}) }),
      outcome: to === 'needs_review' ? 'needs_review' : 'ended',
      reason: as ?? reason ?? to,
    });
  }

  /**
   * Nothing happened upstream: it is due again when upstream asks for it, and no sooner than the waits of its queue
   * (ms) say. An outage that goes on is not written down again, so that a long one pushes out nothing that was said
   * before it.
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

  /** Ends the attempt here, with what it has learnt in the record. */
  async #leave(how: Staying<K>, learnt: Learnt<K> | undefined): Promise<never> {
    const left = await this.stay({ ...how, ...learnt?.change });
    throw new Stopped(learnt && left.reason === CLAIMED ? await learnt.claimed() : left);
  }

  /** What a request is sent with: past the deadline of the lease, no byte of it leaves. */
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
  readonly claims?: string | undefined;
  /** Not said where the ledger may have lost data: it may have ended otherwise since. */
  readonly hasEffect?: true;
  /** Where the attempt says it in another word. */
  readonly as?: string;
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

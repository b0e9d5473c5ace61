/**
 * How anything that has an effect leaves this process.
 *
 *   write the intent ──▶ durable ──▶ read it again ──▶ still in time? ──▶ send, on a fresh connection ──▶ write down
 *
 * Each step stands here because a model of the protocol paid twice without it:
 *   the write       a second worker must find the intent and look, not send; and it is refused where Redis has not come
 * so far as this process remembers, or anybody has found that it has not;
 *   the fence       a write that only the memory of Redis knew is forgotten by a power loss, and the other worker
 * begins anew;
 *   the re-read     after such a loss the fence succeeds in the wrong world;
 *   the deadline    a process that was frozen after the re-read must not send minutes later.
 */
import type { EvidenceDraft } from '../operations/evidence.ts';
import type { RecordAt } from '../operations/record.ts';
import type { Change, TransitionResult } from '../operations/transition.ts';
import type { AttemptedKind } from './announced.ts';
import { type Applied, type AttemptAt, INTENDED, finish, isApplied, keep, renewed, stayAt } from './attempt.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';

/** Nothing was sent, and why: the word for the settlement and the line in the evidence. */
interface Unsent {
  readonly because: 'fence' | 'intent_lost';
  readonly code: 'not_durable' | 'not_sent';
}

/** What differs between one intent and another. */
export interface IntentSteps<A> {
  /** Writes it and keeps the lease. Whoever finds something in the way says what became of the attempt instead. */
  readonly write: () => Promise<TransitionResult | AttemptResult>;
  /** What must stand in the record after the fence, besides the lease and the write itself. */
  readonly mine: Readonly<Record<string, string>>;
  /** The attempt as it goes on. */
  readonly written: (applied: Applied, leaseEndsMono: number) => A;
  /** Says in the record that nothing was sent. */
  readonly withdrawIntent: (unsent: Unsent) => Promise<AttemptResult>;
}

/** Writes down that we are about to send. Whatever goes wrong in here, nothing was sent, and that is said. */
export async function writeIntent<A>(
  { record, lease }: { readonly record: { readonly id: string }; readonly lease: string },
  steps: IntentSteps<A>,
  context: ProcessorContext,
): Promise<A | AttemptResult> {
  const leaseEndsMono = context.clock.monotonic() + context.policy.leaseMs;
  try {
    const settled = await steps.write();
    if ('outcome' in settled) return settled;
    if (!isApplied(settled)) return { outcome: 'lost', reason: settled.is };
    if (!(await context.fence())) return await steps.withdrawIntent({ because: 'fence', code: 'not_durable' });
    const kept = await context.operations.stillMine(record.id, { ...steps.mine, lease, op: settled.op });
    if (!kept) return { outcome: 'lost', reason: 're-read' };
    context.heartbeat?.remember(settled.counter ?? 0);
    return steps.written(settled, leaseEndsMono);
  } catch (error) {
    await takeBack(steps.withdrawIntent, sendBy({ leaseEndsMono }, context), context);
    throw error;
  }
}

const EVERY_MS = 500;

/**
 * The answer to our intent was lost, so the intent may stand in the record; but we stopped before sending, and only we
 * know that. Said under the same lease while it is ours, it spares a look, a person or a text that nobody dares to
 * send.
 * If it cannot be said in time, the next attempt finds an intent and doubts it, which is safe.
 *
 * An intent that is still on its way to Redis and arrives after this is harmless for the same reason.
 */
async function takeBack(
  unsay: IntentSteps<unknown>['withdrawIntent'],
  untilMono: number,
  context: ProcessorContext,
): Promise<void> {
  while (context.clock.monotonic() < untilMono) {
    await context.clock.sleep(EVERY_MS);
    const said = await unsay({ because: 'intent_lost', code: 'not_sent' }).then(
      () => true,
      () => false,
    );
    if (said) return;
  }
}

/**
 * Past this, on the monotonic clock, it is not sent; the client asks when it is about to write. That clock goes on
 * while a process is stopped, but not while its whole machine is suspended: see docs/operating.md.
 */
export function sendBy({ leaseEndsMono }: { readonly leaseEndsMono: number }, context: ProcessorContext): number {
  return leaseEndsMono - context.policy.leaseMs / 2;
}

export interface Intent<K extends AttemptedKind> {
  /** The record with the intent in it, as the attempt goes on with it. */
  readonly written: RecordAt<K>;
  readonly set: Readonly<Record<string, string | number>>;
  readonly evidence: EvidenceDraft;
  readonly mine?: Readonly<Record<string, string>>;
  /** What of the account forbids it, as `area.reason`; asked by the write itself. */
  readonly unlessHeld?: string;
  /** The way back, for a request of which no byte left us. */
  readonly unsent: Change<K>;
}

/** The intent of an attempt at a record that has a request of its own. */
export function intend<K extends AttemptedKind>(
  attempt: AttemptAt<K>,
  { written, set, evidence, mine, unlessHeld, unsent }: Intent<K>,
  context: ProcessorContext,
): Promise<AttemptAt<K> | AttemptResult> {
  const { leaseMs } = context.policy;
  const { lease, keys, account } = attempt;
  const { state } = written;
  const steps: IntentSteps<AttemptAt<K>> = {
    write: async () => {
      const settled = await keep<K>(attempt, context, {
        to: state,
        dueInMs: leaseMs,
        keepMs: leaseMs,
        set: { ...set, keys, mode: account.mode },
        evidence: { ...evidence, code: INTENDED },
        unlessHeld,
        hasEffect: true,
      });
      if (settled.is === 'recovering') {
        return stayAt(attempt, context, { dueInMs: context.policy.holdRecheckMs, because: 'recovering' });
      }
      if (settled.is !== 'held') return settled;
      return stayAt(attempt, context, { dueInMs: context.policy.holdRecheckMs, because: 'account_stopped' });
    },
    mine: { ...mine, state },
    written: (applied, leaseEndsMono) => renewed<K>(attempt, written, applied, leaseEndsMono),
    withdrawIntent: ({ because, code }) => {
      const back = { ...unsent, evidence: { operation: evidence.operation, code } };
      return finish<K>({ record: written, lease }, context, { ...back, outcome: 'retries', reason: because });
    },
  };
  return writeIntent(attempt, steps, context);
}

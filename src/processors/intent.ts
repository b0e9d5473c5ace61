/**
 * How a request with an effect leaves this process.
 *
 *   commit the intent ──▶ still in time? ──▶ send, on a fresh connection ──▶ commit the result
 *
 * Each step is necessary: a model of the protocol paid twice without it.
 *
 *   the intent      a second worker must find it and check instead of sending. The commit is refused if the ledger is
 *                   behind the memory of this process. A commit that returned is durable, so nothing is read again;
 *   the deadline    a process that was frozen after the commit, or whose machine was suspended, must not send minutes
 *                   later. Every clock of the machine has to allow it.
 */
import { type Deadline, type Moment, momentOf } from '../lib/clock.ts';
import {
  linesOf,
  named,
  type Applied,
  type Change,
  type TransitionResult,
  isApplied,
} from '../operations/transition.ts';
import type { Kind } from '../kinds/index.ts';
import type { RecordBase } from '../operations/record.ts';
import type { AttemptContext, AttemptResult, RecordContext } from './context.ts';

/** The line of evidence for an intent. */
export const INTENDED = 'intended';

/** Nothing was sent: the outcome and the line of evidence that explain why. */
interface Unsent {
  readonly because: 'intent_lost';
  readonly code: 'not_sent';
}

export interface IntentSteps<A> {
  /** Writes the intent and keeps the lease. If something forbids it, returns the outcome instead. */
  readonly write: () => Promise<TransitionResult | AttemptResult>;
  /** The attempt after the write. */
  readonly written: (applied: Applied, leasedSince: Moment) => A;
  /** Records that nothing was sent. */
  readonly withdrawIntent: (unsent: Unsent) => Promise<AttemptResult>;
}

/** Writes the intent. Nothing is sent here; if anything fails, the record shows that nothing was sent. */
export async function writeIntent<A>(steps: IntentSteps<A>, context: AttemptContext): Promise<A | AttemptResult> {
  const leasedSince = momentOf(context.clock);
  try {
    const settled = await steps.write();
    if ('outcome' in settled) return settled;
    if (!isApplied(settled)) return { outcome: 'lost', reason: settled.is };
    return steps.written(settled, leasedSince);
  } catch (error) {
    // The answer to our intent was lost, so the record may contain it. This process stopped before sending, and only
    // this process knows that. Recording it under the same lease saves a status check, a review or an unsent SMS.
    // Otherwise the next attempt finds an intent and treats it as in doubt, which is safe. An intent that commits
    // later is harmless for the same reason.
    const say = (): Promise<AttemptResult> => steps.withdrawIntent({ because: 'intent_lost', code: 'not_sent' });
    await untilSaid(say, sendBy(leasedSince, context), context);
    throw error;
  }
}

const EVERY_MS = 500;

/** Retries, while PostgreSQL is away, the write of a result that only this process knows. */
export async function untilSaid(
  say: () => Promise<AttemptResult>,
  until: Deadline,
  { clock }: Pick<AttemptContext, 'clock'>,
): Promise<void> {
  while (clock.monotonic() < until.since.mono + until.ms) {
    await clock.sleep(EVERY_MS);
    const said = await say().then(
      () => true,
      () => false,
    );
    if (said) return;
  }
}

/**
 * After half of its lease an attempt sends nothing. The client checks this directly before it writes to the socket.
 */
export function sendBy(leasedSince: Moment, { policy }: Pick<AttemptContext, 'policy'>): Deadline {
  return { since: leasedSince, ms: policy.leaseMs / 2 };
}

/** The preconditions of an attempt's change. Without a lease: a decision that no running attempt may undo. */
export interface Mine<K extends Kind> {
  readonly record: RecordBase<K>;
  readonly lease: string | undefined;
}

/** How an attempt ends: the change, and the events that follow if it was written. */
export type Ending<K extends Kind> = Omit<Change<K>, 'keepMs'> & Pick<AttemptResult, 'outcome' | 'reason'>;

/**
 * Ends an attempt: the only way. If another attempt has the record by then, the result is `lost`, but the pending
 * updates are stored with the record.
 */
export async function finish<K extends Kind>(
  mine: Mine<K>,
  context: RecordContext,
  { outcome, reason, ...what }: Ending<K>,
): Promise<AttemptResult> {
  const settled = await write(mine, context, what);
  return isApplied(settled) ? { outcome, reason } : { outcome: 'lost', reason: settled.is };
}

/** Writes a change. Pending updates are stored even if the record has changed since. */
export async function write<K extends Kind>(
  { record, lease }: Mine<K>,
  context: RecordContext,
  what: Change<K>,
): Promise<TransitionResult> {
  const settled = await context.operations.transition(record, lease, what);
  if (settled.is === 'none' || settled.is === 'not yours') await noteLearnt(record.id, what, context);
  return settled;
}

/** Nothing was changed: a reference from the provider belongs to another operation. */
export const CLAIMED = 'claimed';
/** The reason for the review. */
export const TOKEN_COLLISION = 'token_collision';
export const TRANSACTION_COLLISION = 'transaction_collision';

/** The provider's references of an operation. */
const NAMED_UPSTREAM = ['token', 'transactionId', 'disburseTxId', 'providerRef', 'referenceNumber'] as const;

/** The attempt that now has the record does not know our answer: store the provider's status and references. */
async function noteLearnt<K extends Kind>(
  id: string,
  { evidence, set }: Change<K>,
  context: RecordContext,
): Promise<void> {
  const told = linesOf(evidence).filter(({ operation, code }) => operation !== RESOLVE && code !== INTENDED);
  if (told.length === 0) return;
  const names = NAMED_UPSTREAM.flatMap((name) => {
    const as = set?.[name];
    return as && typeof as !== 'object' ? [named(name, as)] : [];
  });
  await context.operations.appendEvidence(id, [...told, ...names]);
}

/** The subject of an evidence line about an operator's decision. */
export const RESOLVE = 'resolve';

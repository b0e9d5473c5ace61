/**
 * How anything that has an effect leaves this process.
 *
 *   commit the intent ──▶ still in time? ──▶ send, on a fresh connection ──▶ commit the result
 *
 * Each step is here because a model of the protocol paid twice without it:
 *   the intent      a second worker must find it and check, not send. The commit is refused where the ledger is behind
 * what this process remembers. Nothing is read again after it: a commit that returned is durable;
 *   the deadline    a process that was frozen after the commit, or whose machine was suspended, must not send minutes
 * later: every clock of the machine has to allow it.
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

/** The line of evidence that tells what we were about to do. */
export const INTENDED = 'intended';

/** Nothing was sent, and why: the word for the result and the line in the evidence. */
interface Unsent {
  readonly because: 'intent_lost';
  readonly code: 'not_sent';
}

/** What differs between one intent and another. */
export interface IntentSteps<A> {
  /** Writes it and keeps the lease. Where something is in the way, it says what became of the attempt instead. */
  readonly write: () => Promise<TransitionResult | AttemptResult>;
  /** The attempt as it goes on. */
  readonly written: (applied: Applied, leasedSince: Moment) => A;
  /** Says in the record that nothing was sent. */
  readonly withdrawIntent: (unsent: Unsent) => Promise<AttemptResult>;
}

/** Writes down that we are about to send. Whatever goes wrong in here, nothing was sent, and that is said. */
export async function writeIntent<A>(steps: IntentSteps<A>, context: AttemptContext): Promise<A | AttemptResult> {
  const leasedSince = momentOf(context.clock);
  try {
    const settled = await steps.write();
    if ('outcome' in settled) return settled;
    if (!isApplied(settled)) return { outcome: 'lost', reason: settled.is };
    return steps.written(settled, leasedSince);
  } catch (error) {
    // The answer to our intent was lost, so the intent may stand in the record; but we stopped before sending, and only we
    // know that. Said under the same lease while it is ours, it spares a look, a person or a text that nobody dares to
    // send. If it cannot be said in time, the next attempt finds an intent and doubts it, which is safe. An intent
    // that is committed after this is harmless for the same reason.
    const say = (): Promise<AttemptResult> => steps.withdrawIntent({ because: 'intent_lost', code: 'not_sent' });
    await untilSaid(say, sendBy(leasedSince, context), context);
    throw error;
  }
}

const EVERY_MS = 500;

/** Repeats, while PostgreSQL is away, the write of a result that only this process knows. */
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

/** Past half of its lease an attempt sends nothing. The client checks it when it is about to write. */
export function sendBy(leasedSince: Moment, { policy }: Pick<AttemptContext, 'policy'>): Deadline {
  return { since: leasedSince, ms: policy.leaseMs / 2 };
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
  context: RecordContext,
  { outcome, reason, ...what }: Ending<K>,
): Promise<AttemptResult> {
  const settled = await write(mine, context, what);
  return isApplied(settled) ? { outcome, reason } : { outcome: 'lost', reason: settled.is };
}

/** Writes a change down; what was learnt is kept also where the record has moved on. */
export async function write<K extends Kind>(
  { record, lease }: Mine<K>,
  context: RecordContext,
  what: Change<K>,
): Promise<TransitionResult> {
  const settled = await context.operations.transition(record, lease, what);
  if (settled.is === 'none' || settled.is === 'not yours') await noteLearnt(record.id, what, context);
  return settled;
}

/** Nothing was changed: what upstream named belongs to another operation. */
export const CLAIMED = 'claimed';
/** Why a person looks then. */
export const TOKEN_COLLISION = 'token_collision';
export const TRANSACTION_COLLISION = 'transaction_collision';

/** What upstream knows an operation by. */
const NAMED_UPSTREAM = ['token', 'transactionId', 'disburseTxId', 'providerRef', 'referenceNumber'] as const;

/** The attempt that has the record now does not know what we were told: upstream's word, and what it named. */
async function noteLearnt<K extends Kind>(
  id: string,
  { evidence, set }: Change<K>,
  context: RecordContext,
): Promise<void> {
  const told = linesOf(evidence).filter(({ operation, code }) => operation !== RESOLVE && code !== INTENDED);
  if (told.length === 0) return;
  const names = NAMED_UPSTREAM.flatMap((name) => (set?.[name] ? [named(name, set[name])] : []));
  await context.operations.appendEvidence(id, [...told, ...names]);
}

/** What a line of evidence is about that tells a person's word. */
export const RESOLVE = 'resolve';

/** Holds that stop the payments of an account: when they begin, and how relais finds that the cause has cleared. */
import { type StateOf, operations } from '../kinds/index.ts';
import { type AccountHold, PROVIDER_UNREADABLE, STOPPED, type Row } from '../kinds/hold.ts';
import { isOutage, isUnrecognised } from '../provider/meaning.ts';
import type { NotOk, Verdict } from '../provider/verdict.ts';
import type { AttemptedKind } from '../operations/transition.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptContext, AttemptResult } from './context.ts';
import type { Ending } from './intent.ts';

/**
 * This answer also occurs during the provider's maintenance. One is an accident; a series is an outage. During an
 * outage one disbursement per interval runs as a trial.
 */
const OUTAGE: Row = { length: 5, windowMs: 60_000 };
const MAINTENANCE = 'maintenance';

/** One unrecognised refusal concerns its disbursement; a series concerns the account or a gateway. */
const UNRECOGNISED: Row = { length: 3, windowMs: 600_000 };
export const NOT_UNDERSTOOD = 'not_understood';

/** The hold conditions that a trial attempt tests. */
export interface ProbePermit {
  /** The holds that this attempt can clear. */
  readonly probing: readonly string[];
  /** Failures of earlier attempts, as `area.reason`. More of them in a row start a hold. */
  readonly failing: ReadonlySet<string>;
}

/** Kinds that wait with their account until a condition clears. */
type SendingKind = { [K in AttemptedKind]: 'held' extends StateOf<K> ? K : never }[AttemptedKind];

/** The conditions that block sending. For each held account, one operation per interval runs as a trial. */
export async function gate<K extends SendingKind>(attempt: Attempt<K>): Promise<ProbePermit> {
  await attempt.open();
  const { context, record, policy } = attempt;
  const { account, kind } = record;
  const wait = (reason: string) => attempt.stop(attempt.stay({ dueInMs: policy.holdRecheckMs, reason }));
  const { holds, failing } = await context.accounts.standingOf(account);
  const probing: string[] = [];
  for (const one of holds) {
    const { area, reason } = one;
    const isUnreadable = reason === PROVIDER_UNREADABLE;
    if (area === 'payments' && reason === STOPPED) await wait('account_stopped');
    if (area !== operations[kind].area && !(isUnreadable && area === 'payments')) continue;
    const mayTry = !isUnreadable || (kind === 'disbursement' && mayTryUnreadable(one));
    if (!mayTry || !(await context.accounts.mayProbe(account, area, reason, policy.holdRecheckMs)))
      await wait(`account_held_${reason}`);
    // Code that parses the provider's answers ends an unreadable hold.
    if (!isUnreadable) probing.push(reason);
  }
  return { probing, failing };
}

/** Kinds whose payments and SMS can be checked by status after an unreadable answer. */
const TRIED_AGAIN: readonly string[] = ['disbursement_create', 'disbursement_submit', 'sms_login'];
const mayTryUnreadable = ({ unreadable }: AccountHold): boolean =>
  unreadable !== undefined && TRIED_AGAIN.includes(unreadable.operation);

/**
 * A refusal whose cause may clear: the operation and its account wait. Callers are notified at the start of the hold.
 */
export async function hold<K extends SendingKind>(
  attempt: Attempt<K>,
  { reason, event, ...ending }: Pick<Ending<K>, 'to' | 'reason' | 'event' | 'evidence' | 'set'>,
): Promise<AttemptResult> {
  const { record, context, policy } = attempt;
  const toldAlready = record.state === ending.to && record.reason === reason;
  // If the hold cannot be written now, the next refusal writes it. This process alone knows that the request was not
  // executed.
  const [held] = await Promise.allSettled([
    context.accounts.hold(record.account, operations[record.kind].area, reason),
  ]);
  const ended = await attempt.finish({
    ...ending,
    event: toldAlready ? undefined : event,
    dueInMs: policy.holdRecheckMs,
    set: { reason, ...ending.set },
    outcome: 'waits',
    reason,
  });
  if (held.status === 'rejected') throw held.reason;
  return ended;
}

export const NOT_AUTHORISED = 'not_authorised';

/** The condition in an answer that refuses the account and not the operation. */
export function conditionIn(verdict: NotOk): string | undefined {
  if (verdict.is === 'config') return NOT_AUTHORISED;
  return verdict.is === 'held' ? verdict.condition : undefined;
}

/**
 * Applies the answer of a creation to the holds of the account. Only a trial attempt releases holds: an attempt that
 * began before the hold proves nothing.
 */
export async function recordHealth(
  account: string,
  verdict: Verdict<unknown>,
  { probing, failing }: ProbePermit,
  context: AttemptContext,
): Promise<void> {
  // An unrecognised answer may come from elsewhere and does not affect the holds.
  if (isUnrecognised(verdict)) return;
  if (verdict.is === 'transient') {
    if (isOutage(verdict)) await context.accounts.countFailure(account, 'payments', MAINTENANCE, OUTAGE);
    return;
  }
  const answering = [MAINTENANCE, NOT_UNDERSTOOD];
  for (const reason of answering) {
    if (failing.has(`payments.${reason}`)) await context.accounts.endRow(account, 'payments', reason);
  }
  // A refusal shows that the provider works again; the other conditions clear only for an attempt that got its token.
  const over = verdict.is === 'ok' ? probing : probing.filter((reason) => answering.includes(reason));
  await releaseHolds({ kind: 'disbursement', account }, over, context);
}

/**
 * Whether the account is held because of unrecognised answers. Each disbursement counts once, so repeated refusals of
 * one disbursement do not hold the others.
 */
export async function isNotUnderstood(
  account: string,
  firstTime: boolean,
  context: AttemptContext,
): Promise<boolean> {
  const { accounts } = context;
  if (firstTime && (await accounts.countFailure(account, 'payments', NOT_UNDERSTOOD, UNRECOGNISED))) return true;
  return (await accounts.holdsOf(account)).some(({ reason }) => reason === NOT_UNDERSTOOD);
}

/** Ends the holds that a trial attempt found to be cleared. */
export async function releaseHolds(
  { kind, account }: { readonly kind: SendingKind; readonly account: string },
  reasons: readonly string[],
  context: AttemptContext,
): Promise<void> {
  for (const reason of reasons) await context.accounts.release(account, operations[kind].area, reason);
}

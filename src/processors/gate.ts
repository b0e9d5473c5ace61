/** What keeps money of an account from being sent, how that begins, and how it is found out that it has cleared. */
import { type StateOf, operations } from '../kinds/index.ts';
import { type AccountHold, PROVIDER_UNREADABLE, STOPPED, type Row } from '../kinds/hold.ts';
import { isOutage, isUnrecognised } from '../provider/meaning.ts';
import type { NotOk, Verdict } from '../provider/verdict.ts';
import type { AttemptedKind } from '../operations/transition.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptContext, AttemptResult } from './context.ts';
import type { Ending } from './intent.ts';

/**
 * The provider is also under maintenance in this way. One such answer is an accident; so many in a row are an outage,
 * which one disbursement an interval checks instead of all.
 */
const OUTAGE: Row = { length: 5, windowMs: 60_000 };
const MAINTENANCE = 'maintenance';

/** One unrecognised refusal is about its disbursement; several in a row are about the account or a gateway. */
const UNRECOGNISED: Row = { length: 3, windowMs: 600_000 };
export const NOT_UNDERSTOOD = 'not_understood';

/** What an attempt that was let through was let through for. */
export interface ProbePermit {
  /** The holds that this attempt may find to have cleared. */
  readonly probing: readonly string[];
  /** What others before it have met, as `area.reason`: it makes a hold when more follow in a row. */
  readonly failing: ReadonlySet<string>;
}

/** The kinds that wait, with their account, for a condition to clear. */
type SendingKind = { [K in AttemptedKind]: 'held' extends StateOf<K> ? K : never }[AttemptedKind];

/**
 * The conditions under which nothing may be sent. Each is looked at again by itself: of a held account one operation an
 * interval is let through to see whether the condition has cleared.
 */
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
    // The code that reads the provider's answers ends an unreadable hold.
    if (!isUnreadable) probing.push(reason);
  }
  return { probing, failing };
}

/** Operations whose unreadable answer puts no money and no SMS in doubt that a status cannot settle. */
const TRIED_AGAIN: readonly string[] = ['disbursement_create', 'disbursement_submit', 'sms_login'];
const mayTryUnreadable = ({ unreadable }: AccountHold): boolean =>
  unreadable !== undefined && TRIED_AGAIN.includes(unreadable.operation);

/** Refused for a cause that may clear: the operation waits, and so does the account. Callers are told once. */
export async function hold<K extends SendingKind>(
  attempt: Attempt<K>,
  { reason, event, ...ending }: Pick<Ending<K>, 'to' | 'reason' | 'event' | 'evidence' | 'set'>,
): Promise<AttemptResult> {
  const { record, context, policy } = attempt;
  const toldAlready = record.state === ending.to && record.reason === reason;
  // One that cannot be held now is held by the next that is refused; that nothing was done, nobody else knows.
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

/** The condition that an answer names, where it is the account that is refused and not the operation. */
export function conditionIn(verdict: NotOk): string | undefined {
  if (verdict.is === 'config') return NOT_AUTHORISED;
  return verdict.is === 'held' ? verdict.condition : undefined;
}

/**
 * What the answer to a creation says about the account. Only an attempt that was let through to try releases: one that
 * was under way before the hold began proves nothing.
 */
export async function recordHealth(
  account: string,
  verdict: Verdict<unknown>,
  { probing, failing }: ProbePermit,
  context: AttemptContext,
): Promise<void> {
  // An answer that is not understood may be anybody's, and says nothing about what holds the account.
  if (isUnrecognised(verdict)) return;
  if (verdict.is === 'transient') {
    if (isOutage(verdict)) await context.accounts.countFailure(account, 'payments', MAINTENANCE, OUTAGE);
    return;
  }
  const answering = [MAINTENANCE, NOT_UNDERSTOOD];
  for (const reason of answering) {
    if (failing.has(`payments.${reason}`)) await context.accounts.endRow(account, 'payments', reason);
  }
  // A service that refuses is at work again; the other conditions have cleared only for one that got its token.
  const over = verdict.is === 'ok' ? probing : probing.filter((reason) => answering.includes(reason));
  await releaseHolds({ kind: 'disbursement', account }, over, context);
}

/**
 * Whether the account is held because nobody understands what it is answered. Each disbursement counts once, so that
 * one that is refused again and again holds nobody else.
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

/** Ends the holds that an attempt was let through to try, and found to be over. */
export async function releaseHolds(
  { kind, account }: { readonly kind: SendingKind; readonly account: string },
  reasons: readonly string[],
  context: AttemptContext,
): Promise<void> {
  for (const reason of reasons) await context.accounts.release(account, operations[kind].area, reason);
}

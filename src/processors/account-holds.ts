/** What keeps money of an account from being sent, how it is found out that it has cleared, and who begins it. */
import { type StateOf, operations } from '../kinds/index.ts';
import { STOPPED, type Row } from '../operations/accounts.ts';
import type { Verdict } from '../upstream/verdict.ts';
import type { AttemptedKind } from './announced.ts';
import { type AttemptAt, type Ending, finish, stayAt } from './attempt.ts';
import { type ProcessorContext, type AttemptResult, closedFor } from './context.ts';

/**
 * Upstream answers, or is silent, in a way that says nothing about this disbursement but much about upstream. Not one
 * that refuses connections: asking it costs neither side anything, and a restart of it is over in a moment.
 */
const SICK: readonly string[] = ['5000', 'server_error', 'no_answer'];

/**
 * interface: Errors, 5000 is also maintenance. One is an accident; so many in a row are an outage, asked about by one
 * disbursement an interval instead of by all.
 */
const OUTAGE: Row = { length: 5, windowMs: 60_000 };
const MAINTENANCE = 'maintenance';

/**
 * A refusal in words that the interface does not have. One is about a disbursement; of several in a row, none of which
 * has been answered so before, whoever answers is not the service as we know it: a gateway that sends us elsewhere.
 */
const STRANGE: readonly string[] = ['unlisted_code', 'rejected'];
const STRANGERS: Row = { length: 3, windowMs: 600_000 };
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
export async function mustWait<K extends SendingKind>(
  attempt: AttemptAt<K>,
  context: ProcessorContext,
): Promise<AttemptResult | ProbePermit> {
  const { account, kind } = attempt.record;
  const { holdRecheckMs } = context.policy;
  const wait = (because: string) => stayAt<K>(attempt, context, { dueInMs: holdRecheckMs, because });
  const closed = closedFor(context);
  if (closed) return wait(closed);
  const { holds, failing } = attempt.standing ?? (await context.accounts.standingOf(account));
  const probing: string[] = [];
  for (const { area, reason } of holds) {
    if (area === 'payments' && reason === STOPPED) return wait('account_stopped');
    if (area !== operations[kind].area) continue;
    if (!(await context.accounts.mayProbe(account, area, reason, holdRecheckMs)))
      return wait(`account_held_${reason}`);
    probing.push(reason);
  }
  return { probing, failing };
}

/** Refused for a cause that may clear: the operation waits, and so does the account. Callers are told once. */
export async function hold<K extends SendingKind>(
  attempt: AttemptAt<K>,
  context: ProcessorContext,
  { reason, event, ...ending }: Pick<Ending<K>, 'to' | 'reason' | 'event' | 'evidence' | 'set'>,
): Promise<AttemptResult> {
  const { record } = attempt;
  await context.accounts.hold(record.account, operations[record.kind].area, reason);
  const toldAlready = record.state === ending.to && record.fields['reason'] === reason;
  return finish<K>(attempt, context, {
    ...ending,
    event: toldAlready ? undefined : event,
    dueInMs: context.policy.holdRecheckMs,
    set: { reason, ...ending.set },
    outcome: 'waits',
    reason,
  });
}

export function isStrange(verdict: Verdict<unknown>): boolean {
  return verdict.is === 'refused' && STRANGE.includes(verdict.code);
}

/**
 * What the answer to a creation says about the account. Only who was let through to try releases: one that was under
 * way before the hold began proves nothing.
 */
export async function recordHealth(
  account: string,
  verdict: Verdict<unknown>,
  { probing, failing }: ProbePermit,
  context: ProcessorContext,
): Promise<void> {
  // Who is not understood may be anybody, and has said nothing about what holds the account.
  if (isStrange(verdict)) return;
  if (verdict.is === 'transient') {
    if (SICK.includes(verdict.code)) await context.accounts.countFailure(account, 'payments', MAINTENANCE, OUTAGE);
    return;
  }
  const answering = [MAINTENANCE, NOT_UNDERSTOOD];
  for (const reason of answering) {
    if (failing.has(`payments.${reason}`)) await context.accounts.endRow(account, 'payments', reason);
  }
  // Whoever refuses is at work again; the other conditions have cleared only for one that got its token.
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
  context: ProcessorContext,
): Promise<boolean> {
  const { accounts } = context;
  if (firstTime && (await accounts.countFailure(account, 'payments', NOT_UNDERSTOOD, STRANGERS))) return true;
  return (await accounts.holdsOf(account)).some(({ reason }) => reason === NOT_UNDERSTOOD);
}

/** Ends the holds that an attempt was let through to try, and found to be over. */
export async function releaseHolds(
  { kind, account }: { readonly kind: SendingKind; readonly account: string },
  reasons: readonly string[],
  context: ProcessorContext,
): Promise<void> {
  for (const reason of reasons) await context.accounts.release(account, operations[kind].area, reason);
}

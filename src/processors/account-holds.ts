/** What keeps money of an account from being sent, how it is found out that it has cleared, and who begins it. */
import { type HoldArea, STOPPED, type Row } from '../operations/accounts.ts';
import type { Verdict } from '../upstream/verdict.ts';
import type { AttemptedKind } from './announced.ts';
import { type AttemptAt, type Ending, finish, stayAt } from './attempt.ts';
import type { Bench, Settlement } from './bench.ts';

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
const FAILING = `payments.${MAINTENANCE}`;

/** What an attempt that was let through was let through for. */
export interface Passage {
  /** The holds that this attempt may find to have cleared. */
  readonly probing: readonly string[];
  /** Others before it have met a sick upstream. */
  readonly failing: boolean;
}

/** What of an account is held for each kind: each is an option of its own upstream. */
const AREA = { disbursement: 'payments', direct_credit: 'direct_credit' } as const satisfies Partial<
  Record<AttemptedKind, HoldArea>
>;
type SendingKind = keyof typeof AREA;

/**
 * The conditions under which nothing may be sent. Each is looked at again by itself: of a held account one operation an
 * interval is let through to see whether the condition has cleared.
 */
export async function mustWait<K extends SendingKind>(
  attempt: AttemptAt<K>,
  bench: Bench,
): Promise<Settlement | Passage> {
  const { account, kind } = attempt.record;
  const { holdRecheckMs } = bench.policy;
  const wait = (because: string) => stayAt<K>(attempt, bench, { dueInMs: holdRecheckMs, because });
  if (!bench.durability().durable) return wait('redis_not_durable');
  const { holds, failing } = attempt.standing ?? (await bench.accounts.standingOf(account));
  const probing: string[] = [];
  for (const { area, reason } of holds) {
    if (area === 'payments' && reason === STOPPED) return wait('account_stopped');
    if (area !== AREA[kind]) continue;
    if (!(await bench.accounts.mayProbe(account, area, reason, holdRecheckMs))) return wait(`account_held_${reason}`);
    probing.push(reason);
  }
  return { probing, failing: failing.has(FAILING) };
}

/** Refused for a cause that may clear: the operation waits, and so does the account. Callers are told once. */
export async function hold<K extends SendingKind>(
  attempt: AttemptAt<K>,
  bench: Bench,
  { because, event, ...ending }: Pick<Ending<K>, 'to' | 'because' | 'event' | 'evidence' | 'set'>,
): Promise<Settlement> {
  const { record } = attempt;
  await bench.accounts.hold(record.account, AREA[record.kind], because);
  const toldAlready = record.state === ending.to && record.fields['reason'] === because;
  return finish<K>(attempt, bench, {
    ...ending,
    event: toldAlready ? undefined : event,
    dueInMs: bench.policy.holdRecheckMs,
    set: { reason: because, ...ending.set },
    did: 'waits',
    because,
  });
}

/**
 * What the answer to a creation says about the account. Only who was let through to try releases: one that was under
 * way before the hold began proves nothing.
 */
export async function heard(
  account: string,
  verdict: Verdict<unknown>,
  { probing, failing }: Passage,
  bench: Bench,
): Promise<void> {
  if (verdict.is === 'transient') {
    if (SICK.includes(verdict.code)) await bench.accounts.countFailure(account, 'payments', MAINTENANCE, OUTAGE);
    return;
  }
  if (failing) await bench.accounts.endRow(account, 'payments', MAINTENANCE);
  // Whoever refuses is at work again; the other conditions have cleared only for one that got its token.
  const over = verdict.is === 'ok' ? probing : probing.filter((reason) => reason === MAINTENANCE);
  await cleared({ kind: 'disbursement', account }, over, bench);
}

/** Ends the holds that an attempt was let through to try, and found to be over. */
export async function cleared(
  { kind, account }: { readonly kind: SendingKind; readonly account: string },
  reasons: readonly string[],
  bench: Bench,
): Promise<void> {
  for (const reason of reasons) await bench.accounts.release(account, AREA[kind], reason);
}

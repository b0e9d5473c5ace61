/** What keeps disbursements of an account from being sent, how it is found out that it has cleared, and who begins it. */
import { STOPPED, type Row } from '../operations/accounts.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { type AttemptAt, stayAt } from './attempt.ts';
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

/**
 * The conditions under which nothing may be sent. Each is looked at again by itself: of a held account one operation an
 * interval is let through to see whether the condition has cleared.
 */
export async function mustWait(attempt: AttemptAt<'disbursement'>, bench: Bench): Promise<Settlement | Passage> {
  const { account, id } = attempt.record;
  const { holdRecheckMs } = bench.policy;
  const wait = (because: string) => stayAt(attempt, bench, { dueInMs: holdRecheckMs, because });
  if (!bench.durability().durable) return wait('redis_not_durable');
  if (bench.callbackUrl(account, id) === undefined) return wait('no_callback_url');
  const { holds, failing } = attempt.standing ?? (await bench.accounts.standingOf(account));
  const probing: string[] = [];
  for (const { area, reason } of holds) {
    if (area !== 'payments') continue;
    const mayProbe = reason !== STOPPED && (await bench.accounts.mayProbe(account, area, reason, holdRecheckMs));
    if (!mayProbe) return wait(`account_held_${reason}`);
    probing.push(reason);
  }
  return { probing, failing: failing.has(FAILING) };
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
  await cleared(account, verdict.is === 'ok' ? probing : probing.filter((reason) => reason === MAINTENANCE), bench);
}

/** Ends the holds that an attempt was let through to try, and found to be over. */
export async function cleared(account: string, reasons: readonly string[], bench: Bench): Promise<void> {
  for (const reason of reasons) await bench.accounts.release(account, 'payments', reason);
}

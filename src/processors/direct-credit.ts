/**
 * A direct credit: one request that moves money, with no reference of ours in it and nothing to ask afterwards.
 *
 *   may we? ──▶ write `sending` ──▶ durable ──▶ read it again ──▶ still in time? ──▶ send, once ──▶ write down
 *
 * So there is no second try of anything that may have left us. An attempt that finds `sending` does not know what the
 * one before it did, and leaves it to a person. Only a request of which no byte left us goes back to `queued`.
 */
import { toMs } from '../lib/durations.ts';
import { STOPPED } from '../operations/accounts.ts';
import { directCredit as declaration } from '../queues/direct-credit.ts';
import type { Change } from '../operations/settle.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { type AttemptAt, beginAt, change, evidenceOf, isApplied, settlementOf, stayAt } from './attempt.ts';
import { type Bench, type Settlement, retryAt } from './bench.ts';
import { directCreditEvent } from './direct-credit-event.ts';
import { intend, sendBy } from './intent.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptAt<'direct_credit'>;
type CreditVerdict = Verdict<{ readonly transactionId?: string }>;

export async function advanceDirectCredit(id: string, bench: Bench): Promise<Settlement> {
  const attempt = await beginAt('direct_credit', id, 'direct-credit', bench);
  if ('did' in attempt) return attempt;
  if (attempt.record.state === 'sending') return end(attempt, bench, 'needs_review', { reason: 'interrupted' });
  const late = await pastItsLimit(attempt, bench);
  if (late) return late;
  const gate = await mustWait(attempt, bench);
  return 'did' in gate ? gate : send(attempt, gate.probing, bench);
}

async function pastItsLimit(attempt: Attempt, bench: Bench): Promise<Settlement | undefined> {
  const { record, at } = attempt;
  if (at - record.createdAt < bench.policy.limitMs) return undefined;
  return end(attempt, bench, 'rejected', { reason: 'not_sent_in_time' });
}

/**
 * The conditions under which nothing may be sent. Each is looked at again by itself, and one operation an interval is
 * let through to see whether a hold has cleared.
 */
async function mustWait(attempt: Attempt, bench: Bench): Promise<Settlement | { readonly probing: string[] }> {
  const { account: name } = attempt.record;
  const { holdRecheckMs } = bench.policy;
  const wait = (because: string) => stayAt(attempt, bench, { dueInMs: holdRecheckMs, because });
  if (!bench.durability().durable) return wait('redis_not_durable');
  const probing: string[] = [];
  for (const { area, reason } of await bench.accounts.holdsOf(name)) {
    if (area === 'payments' && reason === STOPPED) return wait('account_stopped');
    if (area !== 'direct_credit') continue;
    if (!(await bench.accounts.mayProbe(name, area, reason, holdRecheckMs))) return wait(`account_held_${reason}`);
    probing.push(reason);
  }
  return { probing };
}

async function send(attempt: Attempt, probing: readonly string[], bench: Bench): Promise<Settlement> {
  const { account, record } = attempt;
  const admission = await bench.upstream.admit(account, 'payments', 'act');
  if (!admission.admitted) return stayAt(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const evidence = { operation: 'credit', code: 'intended', send: 1 };
  const intended = await intend(
    attempt,
    {
      written: { ...record, state: 'sending' },
      set: { '@sentAt': 0 },
      evidence,
      // A person's word counts until the very write: what is read before it may be said too late.
      unlessHeld: `payments.${STOPPED}`,
      unsent: unsent(record, 'not_sent', bench),
    },
    bench,
  );
  if ('did' in intended) return intended;
  const { accountAlias, amount } = record;
  const verdict = await bench.upstream.payments.directCredit(
    account,
    { accountAlias, amount },
    { sendBy: sendBy(intended, bench) },
  );
  const settlement = await settleSent(intended, verdict, bench);
  if (verdict.is === 'ok') {
    // Only who was let through to try releases: one that was under way before the hold began proves nothing.
    for (const reason of probing) await bench.accounts.release(record.account, 'direct_credit', reason);
  }
  return settlement.did === 'lost' ? settleLate(intended, verdict, bench) : settlement;
}

/** The way back for one of which no byte left us. */
function unsent(record: Attempt['record'], because: string, { policy }: Bench): Change<'direct_credit'> {
  const { dueInMs, tries } = retryAt(RETRY_MS, { tries: record.tries, because }, policy);
  return { to: 'queued', dueInMs, set: { sentAt: '', tries } };
}

async function settleSent(attempt: Attempt, verdict: CreditVerdict, bench: Bench): Promise<Settlement> {
  if (verdict.is === 'ok') {
    const { transactionId } = verdict.value;
    const { code, httpStatus } = verdict.seen;
    const evidence = { operation: 'credit', code, httpStatus };
    return end(attempt, bench, 'succeeded', { evidence, ...(transactionId ? { transactionId } : {}) });
  }
  const evidence = evidenceOf('credit', verdict);
  const ending = { reason: verdict.code, failure: verdict.seen.message, evidence };
  if (verdict.is === 'refused') return end(attempt, bench, 'rejected', ending);
  if (verdict.is === 'config') return hold(attempt, bench, 'not_authorised', evidence);
  if (verdict.is === 'held') return hold(attempt, bench, verdict.condition, evidence);
  if (verdict.seen.sent !== 'never') return end(attempt, bench, 'needs_review', ending);
  const settled = await change(attempt, bench, { ...unsent(attempt.record, verdict.code, bench), evidence });
  return settlementOf(settled, { did: 'retries', because: verdict.code });
}

/**
 * An answer to a request that another attempt has given up meanwhile, because our lease ended. It is all that will ever
 * be known of the request, so it is kept, and a success settles the review for which the same request waits.
 */
async function settleLate(attempt: Attempt, verdict: CreditVerdict, bench: Bench): Promise<Settlement> {
  const { id } = attempt.record;
  const transactionId = verdict.is === 'ok' ? verdict.value.transactionId : undefined;
  const { code, httpStatus } = verdict.seen;
  await bench.operations.note(
    id,
    verdict.is === 'ok'
      ? { operation: 'credit', code, httpStatus, detail: transactionId }
      : evidenceOf('credit', verdict),
  );
  const lost = { did: 'lost', because: 'not yours' } as const;
  const record = await bench.queries.read('direct_credit', id);
  const waits = record?.state === 'needs_review' && record.reason === 'interrupted' && record.sentAt === attempt.at;
  if (verdict.is !== 'ok' || !record || !waits) return lost;
  const told = { late: true, ...(transactionId ? { transactionId } : {}) };
  const settled = await bench.operations.settle(record, undefined, {
    to: 'succeeded',
    set: { reason: '', ...(transactionId ? { transactionId } : {}) },
    event: directCreditEvent(record, 'succeeded', told),
  });
  return isApplied(settled) ? { did: 'ended', because: 'succeeded_late' } : lost;
}

/** Refused for a cause that may clear. Held apart from the disbursements: each is an option of its own upstream. */
async function hold(
  attempt: Attempt,
  bench: Bench,
  reason: string,
  evidence: ReturnType<typeof evidenceOf>,
): Promise<Settlement> {
  const dueInMs = bench.policy.holdRecheckMs;
  const settled = await change(attempt, bench, { to: 'held', dueInMs, set: { reason, sentAt: '' }, evidence });
  await bench.accounts.hold(attempt.record.account, 'direct_credit', reason);
  return settlementOf(settled, { did: 'waits', because: reason });
}

interface Ending {
  readonly reason?: string;
  readonly failure?: string | undefined;
  readonly transactionId?: string;
  readonly evidence?: ReturnType<typeof evidenceOf>;
}

async function end(
  attempt: Attempt,
  bench: Bench,
  to: 'succeeded' | 'rejected' | 'needs_review',
  { reason, failure, transactionId, evidence }: Ending,
): Promise<Settlement> {
  const told = {
    ...(reason ? { reason } : {}),
    ...(failure ? { failure } : {}),
    ...(transactionId ? { transactionId } : {}),
  };
  const event = directCreditEvent(attempt.record, to, told);
  const settled = await change(attempt, bench, { to, set: { reason: '', ...told }, evidence, event });
  return settlementOf(settled, { did: to === 'needs_review' ? 'needs_review' : 'ended', because: reason ?? to });
}

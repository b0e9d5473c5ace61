/**
 * Takes a disbursement from acceptance to its submit.
 *
 *   may we? ──▶ get a token (harmless) ──▶ write it down ──▶ submit (guarded, submit.ts) ──▶ looks decide the rest
 *
 * Creating a token moves no money, so everything before the submit may be repeated. A token is durable before it is
 * used: one that is lost after a submit could never be asked about.
 */
import { toMs } from '../lib/durations.ts';
import type { EvidenceDraft } from '../operations/evidence.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { STOPPED } from '../operations/accounts.ts';
import { type Bench, type Settlement, waitAt } from './bench.ts';
import { type Attempt, begin, renewed, stay } from './disbursement-attempt.ts';
import { disbursementEvent } from './disbursement-event.ts';
import { disbursement as declaration } from '../queues/disbursement.ts';
import { submit } from './submit.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

/** A token that was never used and is older than this is not worth the doubt; another one costs nothing. */
const TOKEN_AGE_MAX_MS = 86_400_000;

export async function advanceDisbursement(id: string, bench: Bench): Promise<Settlement> {
  const begun = await begin(id, 'disbursement', bench);
  if ('did' in begun) return begun;
  const early = (begun.record.notBefore ?? 0) - begun.at;
  if (early > 0) return stay(begun, bench, { dueInMs: early, because: 'not_before' });
  const late = await pastItsLimit(begun, bench);
  if (late) return late;
  const gate = await mustWait(begun, bench);
  if ('did' in gate) return gate;
  if (begun.record.state !== 'created') return createToken(begun, gate.probing, bench);
  if (begun.at - (begun.record.tokenAt ?? 0) > TOKEN_AGE_MAX_MS) return forgetToken(begun, bench);
  return submit(begun, bench);
}

async function pastItsLimit(attempt: Attempt, bench: Bench): Promise<Settlement | undefined> {
  const { record, lease, at } = attempt;
  const from = Math.max(record.createdAt, record.notBefore ?? 0, record.approvedAt ?? 0);
  if (record.sends > 0 || at - from < bench.policy.limitMs) return undefined;
  await bench.operations.settle(record, lease, {
    to: 'rejected',
    set: { reason: 'not_submitted_in_time' },
    event: disbursementEvent(record, 'rejected', { reason: 'not_submitted_in_time' }),
  });
  return { did: 'ended', because: 'not_submitted_in_time' };
}

/**
 * The conditions under which nothing may be sent. Each is looked at again by itself: of a held account one operation an
 * interval is let through to see whether the condition has cleared.
 */
async function mustWait(attempt: Attempt, bench: Bench): Promise<Settlement | { readonly probing: string[] }> {
  const { record } = attempt;
  const wait = (because: string) => stay(attempt, bench, { dueInMs: bench.policy.holdRecheckMs, because });
  if (!bench.durability().durable) return wait('redis_not_durable');
  if (bench.callbackUrl(record.account, record.id) === undefined) return wait('no_callback_url');
  const probing: string[] = [];
  for (const { area, reason } of await bench.accounts.holdsOf(record.account)) {
    if (area !== 'payments') continue;
    const mayProbe =
      reason !== STOPPED && (await bench.accounts.mayProbe(record.account, area, reason, bench.policy.holdRecheckMs));
    if (!mayProbe) return wait(`account_held_${reason}`);
    probing.push(reason);
  }
  return { probing };
}

async function createToken(attempt: Attempt, probing: readonly string[], bench: Bench): Promise<Settlement> {
  const { record } = attempt;
  const admission = await bench.upstream.admit(attempt.account, 'payments', 'act');
  if (!admission.admitted) return stay(attempt, bench, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const verdict = await bench.upstream.payments.createDisbursement(attempt.account, {
    accountAlias: record.accountAlias,
    amount: record.amount,
    withdrawMode: record.withdrawMode,
    callbackUrl: bench.callbackUrl(record.account, record.id) ?? '',
    ...(record.debitAccountNumber ? { debitAccountNumber: record.debitAccountNumber } : {}),
  });
  if (verdict.is !== 'ok') return settleNoToken(attempt, verdict, bench);

  const leaseEndsMono = bench.clock.monotonic() + bench.policy.leaseMs;
  const settled = await bench.operations.settle(record, attempt.lease, {
    to: 'created',
    dueInMs: bench.policy.leaseMs,
    keepMs: bench.policy.leaseMs,
    set: { token: verdict.value.token, '@tokenAt': 0, reason: '', keys: attempt.keys, mode: attempt.account.mode },
    evidence: { operation: 'create', code: verdict.seen.code, httpStatus: verdict.seen.httpStatus },
  });
  if (settled.is !== 'applied' && settled.is !== 'mine') return { did: 'lost', because: settled.is };
  // Only who was let through to try releases: one that was under way before the hold began proves nothing.
  for (const reason of probing) await bench.accounts.release(record.account, 'payments', reason);
  const { token } = verdict.value;
  return submit(renewed(attempt, { state: 'created', token, tokenAt: settled.at }, settled, leaseEndsMono), bench);
}

/** What an answer that is not a token means. Nothing was sent to an operator, whatever it says. */
async function settleNoToken(
  attempt: Attempt,
  verdict: Exclude<Verdict<{ token: string }>, { is: 'ok' }>,
  bench: Bench,
): Promise<Settlement> {
  const { seen } = verdict;
  const evidence = { operation: 'create', code: seen.code, httpStatus: seen.httpStatus, detail: seen.upstreamCode };
  if (verdict.is === 'transient') {
    const dueInMs = Math.max(verdict.retryAfterMs ?? 0, waitAt(RETRY_MS, attempt.record.tries));
    return stay(attempt, bench, { dueInMs, because: verdict.code, evidence, did: 'retries' });
  }
  if (verdict.is === 'config') return hold(attempt, bench, 'not_authorised', evidence);
  if (verdict.is === 'held') return hold(attempt, bench, verdict.condition, evidence);
  return giveUp(attempt, bench, verdict.is === 'refused' ? 'rejected' : 'needs_review', verdict.code, evidence);
}

async function hold(attempt: Attempt, bench: Bench, reason: string, evidence: EvidenceDraft): Promise<Settlement> {
  const { record, lease } = attempt;
  await bench.accounts.hold(record.account, 'payments', reason);
  const alreadyHeld = record.state === 'held' && record.reason === reason;
  await bench.operations.settle(record, lease, {
    to: 'held',
    dueInMs: bench.policy.holdRecheckMs,
    set: { reason },
    evidence,
    ...(alreadyHeld ? {} : { event: disbursementEvent(record, 'held', { reason }) }),
  });
  return { did: 'waits', because: reason };
}

/**
 * `needs_review` where upstream knows our disburse_id although no submit of this record was ever intended: after a loss
 * of data that may be a paid one, so a person looks before anything else happens.
 */
async function giveUp(
  attempt: Attempt,
  bench: Bench,
  to: 'rejected' | 'needs_review',
  reason: string,
  evidence: EvidenceDraft,
): Promise<Settlement> {
  const { record, lease } = attempt;
  const event = disbursementEvent(record, to, { reason });
  await bench.operations.settle(record, lease, { to, set: { reason }, evidence, event });
  return { did: to === 'rejected' ? 'ended' : 'needs_review', because: reason };
}

async function forgetToken(attempt: Attempt, bench: Bench): Promise<Settlement> {
  await bench.operations.settle(attempt.record, attempt.lease, {
    to: 'queued',
    dueInMs: 0,
    set: { token: '', tokenAt: '' },
  });
  return { did: 'advanced', because: 'token_too_old' };
}

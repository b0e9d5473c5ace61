/**
 * A direct credit: one request that moves money, without our reference and without a status check afterwards.
 *
 *   may we? ──▶ commit `sending` ──▶ still in time? ──▶ send at most once ──▶ commit the result
 *
 * A request that may have left is therefore never repeated. An attempt that finds `sending` does not know the result
 * of the earlier attempt, and the operation needs review. Only if no byte of the request left does the operation
 * return to `queued`.
 */
import { operations } from '../../kinds/index.ts';
import { toMs } from '../../lib/clock.ts';
import { STOPPED } from '../../kinds/hold.ts';
import { RESTORED } from '../../ledger/recovery-report.ts';
import { type Change, eventOf, named } from '../../operations/transition.ts';
import { directCredit as declaration } from '../../queues/index.ts';
import { isTurnedAway } from '../../provider/meaning.ts';
import type { Verdict } from '../../provider/verdict.ts';
import { type Attempt as AttemptOf, attempt } from '../attempt.ts';
import { type AttemptResult, type Policy, evidenceOf, retryAt } from '../context.ts';
import { conditionIn, gate, hold, NOT_AUTHORISED, releaseHolds } from '../gate.ts';
import { CLAIMED, TRANSACTION_COLLISION, finish } from '../intent.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptOf<'direct_credit'>;
type CreditVerdict = Verdict<{ readonly transactionId?: string }>;

export const advanceDirectCredit = attempt('direct_credit', 'direct-credit', {
  queued: credit,
  held: credit,
  sending: (a) => a.announce('needs_review', { reason: 'interrupted' }),
});

async function credit(a: Attempt): Promise<AttemptResult> {
  const { record, context, policy } = a;
  await a.notRecovering();
  await a.withinLimit(policy.limitMs, { from: record.createdAt, to: 'rejected', reason: 'not_sent_in_time' });
  const { probing } = await gate(a);
  const { accountAlias, amount } = record;
  const intent = {
    written: { ...record, state: 'sending' } as const,
    set: { '@sentAt': 0 },
    evidence: { operation: 'credit', code: '', send: 1 },
    // An operator can stop payments until this write: a check before it could be outdated.
    unlessHeld: `payments.${STOPPED}`,
    unsent: (reason: string) => unsent(record, reason, policy),
  };
  const verdict = await a.send(intent, (account, call) => {
    return context.upstream.payments.directCredit(account, { accountAlias, amount }, call);
  });
  const result = await settleSent(a, verdict);
  // Only a trial attempt releases holds: an attempt that began before the hold proves nothing.
  if (verdict.is === 'ok') await releaseHolds(record, probing, context);
  return result.outcome === 'lost' ? settleLate(a, verdict) : result;
}

/** Reverts an operation of whose request no byte left. */
function unsent(record: Attempt['record'], because: string, policy: Policy): Change<'direct_credit'> {
  const { dueInMs, tries } = retryAt(RETRY_MS, { tries: record.tries, because }, policy);
  return { to: 'queued', dueInMs, set: { sentAt: '', tries } };
}

async function settleSent(a: Attempt, verdict: CreditVerdict): Promise<AttemptResult> {
  if (verdict.is === 'ok') {
    const { transactionId } = verdict.value;
    const { code, httpStatus } = verdict.exchange;
    const evidence = { operation: 'credit', code, httpStatus };
    if (transactionId === undefined) return a.announce('succeeded', { evidence });
    const told = { evidence, more: { transactionId }, claims: `transactionId=${transactionId}` };
    const made = await a.announce('succeeded', told);
    if (made.reason !== CLAIMED) return made;
    const another = [evidence, named('transactionId', transactionId)];
    return a.announce('needs_review', { reason: TRANSACTION_COLLISION, evidence: another });
  }
  const evidence = evidenceOf('credit', verdict);
  const told = { reason: verdict.code, failure: verdict.exchange.message, evidence };
  if (verdict.is === 'refused') return a.announce('rejected', told);
  const condition = conditionIn(verdict);
  if (condition) return hold(a, { to: 'held', reason: condition, evidence, set: { sentAt: '' } });
  if (verdict.exchange.sent !== 'never') {
    const ended = await a.announce('needs_review', told);
    if (isTurnedAway(verdict))
      await a.context.accounts.hold(a.record.account, operations.direct_credit.area, NOT_AUTHORISED);
    return ended;
  }
  const reason = verdict.code;
  return a.finish({ ...unsent(a.record, reason, a.policy), evidence, outcome: 'retries', reason });
}

/**
 * Handles an answer that arrives after our lease ended and another attempt gave up the request. No other information
 * about the request will follow. The answer is in the evidence, and a success settles the review of this request.
 */
async function settleLate(a: Attempt, verdict: CreditVerdict): Promise<AttemptResult> {
  const { context } = a;
  const lost = { outcome: 'lost', reason: 'not yours' } as const;
  const record = await context.queries.read('direct_credit', a.record.id);
  const givenUp = record?.reason === 'interrupted' || record?.reason === RESTORED;
  const waits = record?.state === 'needs_review' && givenUp && record.sentAt === a.at;
  if (verdict.is !== 'ok' || !record || !waits) return lost;
  const { transactionId } = verdict.value;
  const told = transactionId ? { transactionId } : {};
  const mine = { record, lease: undefined };
  const ended = await finish(mine, context, {
    to: 'succeeded',
    set: { reason: '', ...told },
    ...(transactionId ? { claims: `transactionId=${transactionId}` } : {}),
    event: eventOf(record, 'succeeded', { late: true, ...told }),
    outcome: 'ended',
    reason: 'succeeded_late',
  });
  if (ended.reason !== CLAIMED) return ended;
  const reason = TRANSACTION_COLLISION;
  return finish(mine, context, { to: record.state, set: { reason }, outcome: 'needs_review', reason });
}

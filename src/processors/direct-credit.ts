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
import { RESTORED } from '../operations/restored.ts';
import { directCredit as declaration } from '../queues/direct-credit.ts';
import type { Change } from '../operations/transition.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { releaseHolds, hold, mustWait } from './account-holds.ts';
import { eventOf } from './announced.ts';
import { type AttemptAt, announceEnd, beginAt, evidenceOf, finish, stayAt, waitForRecovery } from './attempt.ts';
import { type ProcessorContext, type AttemptResult, retryAt, isRecovering } from './context.ts';
import { intend, sendBy } from './intent.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptAt<'direct_credit'>;
type CreditVerdict = Verdict<{ readonly transactionId?: string }>;

export async function advanceDirectCredit(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const attempt = await beginAt('direct_credit', id, 'direct-credit', context);
  if ('outcome' in attempt) return attempt;
  if (attempt.record.state === 'sending')
    return announceEnd(attempt, context, 'needs_review', { reason: 'interrupted' });
  if (isRecovering(context)) return waitForRecovery(attempt, context);
  const late = await pastItsLimit(attempt, context);
  if (late) return late;
  const gate = await mustWait(attempt, context);
  return 'outcome' in gate ? gate : send(attempt, gate.probing, context);
}

async function pastItsLimit(attempt: Attempt, context: ProcessorContext): Promise<AttemptResult | undefined> {
  const { record, at } = attempt;
  if (at - record.createdAt < context.policy.limitMs) return undefined;
  return announceEnd(attempt, context, 'rejected', { reason: 'not_sent_in_time', hasEffect: true });
}

async function send(attempt: Attempt, probing: readonly string[], context: ProcessorContext): Promise<AttemptResult> {
  const { account, record } = attempt;
  const admission = await context.upstream.admit(account, 'payments', 'act');
  if (!admission.admitted) return stayAt(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const evidence = { operation: 'credit', code: 'intended', send: 1 };
  const intended = await intend(
    attempt,
    {
      written: { ...record, state: 'sending' },
      set: { '@sentAt': 0 },
      evidence,
      // A person's word counts until the very write: what is read before it may be said too late.
      unlessHeld: `payments.${STOPPED}`,
      unsent: unsent(record, 'not_sent', context),
    },
    context,
  );
  if ('outcome' in intended) return intended;
  const { accountAlias, amount } = record;
  const verdict = await context.upstream.payments.directCredit(
    account,
    { accountAlias, amount },
    { sendBy: sendBy(intended, context) },
  );
  const result = await settleSent(intended, verdict, context);
  if (verdict.is === 'ok') {
    // Only who was let through to try releases: one that was under way before the hold began proves nothing.
    await releaseHolds(record, probing, context);
  }
  return result.outcome === 'lost' ? settleLate(intended, verdict, context) : result;
}

/** The way back for one of which no byte left us. */
function unsent(record: Attempt['record'], because: string, { policy }: ProcessorContext): Change<'direct_credit'> {
  const { dueInMs, tries } = retryAt(RETRY_MS, { tries: record.tries, because }, policy);
  return { to: 'queued', dueInMs, set: { sentAt: '', tries } };
}

async function settleSent(
  attempt: Attempt,
  verdict: CreditVerdict,
  context: ProcessorContext,
): Promise<AttemptResult> {
  if (verdict.is === 'ok') {
    const { transactionId } = verdict.value;
    const { code, httpStatus } = verdict.exchange;
    const evidence = { operation: 'credit', code, httpStatus };
    return announceEnd(attempt, context, 'succeeded', {
      evidence,
      ...(transactionId ? { more: { transactionId } } : {}),
    });
  }
  const evidence = evidenceOf('credit', verdict);
  const ending = { reason: verdict.code, failure: verdict.exchange.message, evidence };
  if (verdict.is === 'refused') return announceEnd(attempt, context, 'rejected', ending);
  const refusedFor =
    verdict.is === 'config' ? 'not_authorised' : verdict.is === 'held' ? verdict.condition : undefined;
  if (refusedFor) return hold(attempt, context, { to: 'held', reason: refusedFor, evidence, set: { sentAt: '' } });
  if (verdict.exchange.sent !== 'never') return announceEnd(attempt, context, 'needs_review', ending);
  const because = verdict.code;
  return finish(attempt, context, {
    ...unsent(attempt.record, because, context),
    evidence,
    outcome: 'retries',
    reason: because,
  });
}

/**
 * An answer to a request that another attempt has given up meanwhile, because our lease ended. It is all that will ever
 * be known of the request: it is in the evidence by now, and a success settles the review for which this very request
 * waits.
 */
async function settleLate(
  attempt: Attempt,
  verdict: CreditVerdict,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const lost = { outcome: 'lost', reason: 'not yours' } as const;
  const record = await context.queries.read('direct_credit', attempt.record.id);
  const givenUp = record?.reason === 'interrupted' || record?.reason === RESTORED;
  const waits = record?.state === 'needs_review' && givenUp && record.sentAt === attempt.at;
  if (verdict.is !== 'ok' || !record || !waits) return lost;
  const { transactionId } = verdict.value;
  const told = transactionId ? { transactionId } : {};
  return finish({ record, lease: undefined }, context, {
    to: 'succeeded',
    set: { reason: '', ...told },
    event: eventOf(record, 'succeeded', { late: true, ...told }),
    outcome: 'ended',
    reason: 'succeeded_late',
  });
}

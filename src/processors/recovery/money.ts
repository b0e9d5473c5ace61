/**
 * What becomes of money that stood in a copy of Redis that was put back. What the copy shows as not yet sent may have
 * been sent, called off or decided since, so it waits for a person; what can be asked about is asked, and what the
 * service confirms is settled as any look settles it.
 */
import { type StateOf, statesRestored } from '../../kinds/index.ts';
import { named, type AttemptedKind, eventOf } from '../../operations/transition.ts';
import type { DisbursementRecord, RecordAt } from '../../operations/record.ts';
import type { LostTime } from '../../operations/put-back.ts';
import type { ReviewKind } from '../../operations/review.ts';
import { RESTORED } from '../../operations/restored.ts';
import type { DisbursementStatus } from '../../upstream/payments/ask.ts';
import type { Verdict } from '../../upstream/verdict.ts';
import { DAILY_MS } from '../attempt.ts';
import { CLAIMED, type Ending, TRANSACTION_COLLISION, finish } from '../intent.ts';
import { batchEvent } from '../batch/batch.ts';
import { type ProcessorContext, waitAt } from '../context.ts';
import { isNamed, judge } from '../disbursement/judge.ts';
import { endingOf, statusSaid, transactionsIn } from '../disbursement/look.ts';

/** The kinds that can come to need a person. What is left of their states is looked at as ever, and goes on. */
export type MoneyKind = ReviewKind;

export const statesToRestore = <K extends MoneyKind>(kind: K): readonly StateOf<K>[] =>
  statesRestored(kind, 'review', 'ask');

const TO_A_PERSON = { to: 'needs_review', outcome: 'needs_review', reason: RESTORED } as const;

/** Where what the service named belongs to another operation, nothing is settled by it. */
type Restoring<K extends MoneyKind> = Ending<K> & { readonly ifClaimed?: Ending<K> };

type Restorer<K extends MoneyKind> = (
  record: RecordAt<K>,
  context: ProcessorContext,
  at: number,
) => Promise<Restoring<K> | undefined> | Restoring<K> | undefined;

const restorers: { readonly [K in MoneyKind]: Restorer<K> } = {
  // Where every row is a disbursement already, nothing of it is left to be released.
  batch: (record) =>
    record.state === 'running' && record.fed >= record.totals.count
      ? undefined
      : { ...TO_A_PERSON, set: { reason: RESTORED }, event: batchEvent(record, RESTORED) },
  disbursement: restoreDisbursement,
  direct_credit: (record) => ({ ...TO_A_PERSON, ...reviewed<'direct_credit'>(record) }),
  // Nobody was shown its address in this world, but somebody may have been in the one that was lost.
  invoice: (record) => ({ ...TO_A_PERSON, ...reviewed<'invoice'>(record) }),
  payment_request: (record) => ({ ...TO_A_PERSON, ...reviewed<'payment_request'>(record) }),
};

/** `again`: somebody else has changed it meanwhile. */
export async function restoreMoney<K extends MoneyKind>(
  { kind, states }: { readonly kind: K; readonly states: readonly StateOf<K>[] },
  { id, lost }: { readonly id: string; readonly lost: LostTime },
  context: ProcessorContext,
): Promise<'done' | 'nothing' | 'again'> {
  const record = await context.queries.read(kind, id);
  if (record === undefined || !states.includes(record.state)) return 'nothing';
  const restoring = await restorers[kind](record, context, lost.at);
  if (restoring === undefined) return 'nothing';
  const { ifClaimed, ...ending } = restoring;
  const evidence = { operation: RESTORED, code: record.state };
  // Nobody's lease: a worker that is at it finds out when it writes its intent, or its last word.
  const mine = { record, lease: undefined };
  const { outcome, reason } = await finish<K>(mine, context, { evidence, ...ending, inRecovery: lost.since });
  if (reason !== CLAIMED || ifClaimed === undefined) return outcome === 'lost' ? 'again' : 'done';
  return (await finish<K>(mine, context, { ...ifClaimed, inRecovery: lost.since })).outcome === 'lost'
    ? 'again'
    : 'done';
}

function reviewed<K extends AttemptedKind>(record: RecordAt<K>, reason = RESTORED) {
  return {
    set: { reason },
    event: eventOf<K>(record, 'needs_review', { reason }),
    reason,
  };
}

async function restoreDisbursement(
  record: DisbursementRecord,
  context: ProcessorContext,
  at: number,
): Promise<Restoring<'disbursement'>> {
  const review = toReview(record, RESTORED, context);
  const verdict = await statusOf(record, context);
  if (verdict === undefined) return review;
  if (verdict.is !== 'ok') return { ...review, dueInMs: waitAt(context.policy.pollMs, 0) };
  const { value, exchange } = verdict;
  const evidence = statusSaid(exchange, value.status);
  // What names nothing may be said of another payment, and gives this one no name that it keeps.
  const isOfThis = isNamed(record, value);
  const transactionId = isOfThis ? value.transactionId : undefined;
  const details = isOfThis ? transactionsIn(value) : {};
  // As if it had been sent: whether this record knows of a submit proves nothing.
  const judgement = judge({ ...record, state: 'unknown' }, value, at, context.policy);
  if (judgement.is === 'final' || judgement.is === 'pending') {
    const ending = endingOf({ record, at }, { ...record, ...details }, judgement, context.policy);
    const restoring = { ...ending, set: { ...details, ...ending.set }, evidence };
    if (transactionId === undefined) return restoring;
    const told = { ...toReview(record, TRANSACTION_COLLISION, context), dueInMs: DAILY_MS };
    const ifClaimed = { ...told, evidence: [evidence, named('transactionId', transactionId)] };
    return { ...restoring, claims: `transactionId=${transactionId}`, ifClaimed };
  }
  const contradicts = judgement.is === 'review' && value.status !== 'created';
  const told = contradicts ? toReview(record, judgement.because, context) : review;
  // A `failed` counts when it was said twice: the next look hears whether it is.
  const dueInMs = value.status === 'failed' ? waitAt(context.policy.pollMs, 0) : DAILY_MS;
  return { ...told, dueInMs, evidence };
}

/** It may have been sent a moment before the loss, so a person too waits until `created` proves something. */
function toReview(record: DisbursementRecord, reason: string, { policy }: ProcessorContext): Ending<'disbursement'> {
  const { set, ...told } = reviewed<'disbursement'>(record, reason);
  const quiet = record.token === undefined ? {} : { '@quietUntil': policy.leaseMs + policy.quietMs };
  return { ...TO_A_PERSON, ...told, set: { ...set, ...quiet } };
}

/** Undefined: there is nothing to ask by. */
export async function statusOf(
  record: DisbursementRecord,
  context: ProcessorContext,
): Promise<Verdict<DisbursementStatus> | undefined> {
  const { token, account: name, fields } = record;
  const account = context.account(name);
  if (token === undefined || account === undefined) return undefined;
  // What was begun with other keys, or in another mode, is not known to these.
  const { mode = account.upstream.mode, keys = account.fingerprint } = fields;
  if (mode !== account.upstream.mode || keys !== account.fingerprint) return undefined;
  await admitted(name, 'payments', context);
  return context.upstream.payments.disbursementStatus(account.upstream, { token });
}

/** Waits for a turn: nothing is in a hurry here. */
export async function admitted(
  name: string,
  area: 'payments' | 'messaging',
  context: ProcessorContext,
): Promise<void> {
  for (let account = context.account(name); account !== undefined; account = context.account(name)) {
    const admission = await context.upstream.admit(account.upstream, area, 'look');
    if (admission.admitted) return;
    await context.clock.sleep(admission.retryAfterMs);
  }
}

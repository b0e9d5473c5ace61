/**
 * Looks at a disbursement whose submit may have left us. Asking changes nothing upstream, so it may happen at any time
 * and any number of times; judge.ts says what an answer means.
 */
import { isFinal } from '../kinds/states.ts';
import type { StateOf } from '../kinds/index.ts';
import { type EvidenceDraft, WRONG_HASH, claimsSuccess, named, readEvidence } from '../operations/evidence.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import type { DisbursementStatus } from '../upstream/payments/types.ts';
import type { ExchangeSummary, Verdict } from '../upstream/verdict.ts';
import { eventOf } from './announced.ts';
import { type AttemptAt, DAILY_MS, type Ending, NUDGE_INTERVAL_MS, beginAt, finish, stayAt } from './attempt.ts';
import { type ProcessorContext, type AttemptResult, waitAt } from './context.ts';
import { type Judgement, type Seen as SeenBefore, isNamed, judge } from './judge.ts';
import { finishClaiming, submit } from './submit.ts';

type Attempt = AttemptAt<'disbursement'>;

export async function lookAtDisbursement(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const attempt = await beginAt('disbursement', id, 'status-poll', context);
  if ('outcome' in attempt) return attempt;
  const { record, account } = attempt;
  const pollIn = waitAt(context.policy.pollMs, record.tries);
  // Without a token upstream cannot be asked; only a person can settle it, and nothing is due until one does.
  if (record.token === undefined) {
    return finish(attempt, context, { to: record.state, outcome: 'idle', reason: 'no_token' });
  }
  const admission = await context.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) return stayAt(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });

  const verdict = await context.upstream.payments.disbursementStatus(account, { token: record.token });
  const { exchange } = verdict;
  const evidence = {
    operation: 'status',
    code: exchange.upstreamCode ?? exchange.code,
    httpStatus: exchange.httpStatus,
  };
  if (verdict.is !== 'ok') {
    const because = verdict.is === 'held' ? verdict.condition : verdict.code;
    if (isFinal('disbursement', record.state)) return lookInVain(attempt, { because, exchange }, context);
    // No answer is no information: never a reason to submit, and never a result.
    const to = record.state === 'submitting' ? 'unknown' : record.state;
    return stayAt(attempt, context, { to, dueInMs: pollIn, because, did: 'retries', evidence });
  }
  return settleLook(attempt, judge(record, verdict.value, attempt.at, context.policy), verdict, context);
}

/** Upstream was not there, or could not say anything about anything. */
const NOBODY_SAID: readonly string[] = ['server_error', '5000', 'throttled', 'throttled_silently', 'no_answer'];

/**
 * Somebody had a reason to look at what is over, and it is not heard before upstream has been asked. Where it answers
 * and knows nothing, that was the look: thousands that it has forgotten are not asked about again and again.
 */
function lookInVain(
  attempt: Attempt,
  { because, exchange }: { readonly because: string; readonly exchange: ExchangeSummary },
  context: ProcessorContext,
): Promise<AttemptResult> {
  if (exchange.sent === 'answered' && !NOBODY_SAID.includes(exchange.code))
    return leaveOver(attempt, { because }, context);
  const dueInMs = waitAt(context.policy.pollMs, Number.POSITIVE_INFINITY);
  return finish(attempt, context, { to: attempt.record.state, dueInMs, outcome: 'retries', reason: because });
}

type Answered = Extract<Verdict<DisbursementStatus>, { is: 'ok' }>;

async function settleLook(
  attempt: Attempt,
  judgement: Judgement,
  { value, exchange }: Answered,
  context: ProcessorContext,
): Promise<AttemptResult> {
  if (judgement.is === 'resubmit') return submit(attempt, context);
  if (judgement.is === 'over' && judgement.because === 'nothing_new') return leaveOver(attempt, judgement, context);
  const { record } = attempt;
  const { transactionId, disburseTxId } = value;
  const told = { ...(transactionId ? { transactionId } : {}), ...(disburseTxId ? { disburseTxId } : {}) };
  // Money comes back in a transaction of its own, which is not the one that it was paid in.
  const undone = judgement.is === 'final' && judgement.state === 'reversed';
  // What does not name the payment gives the record no name that it keeps.
  const keeps = isNamed(record, value) && !undone && judgement.is !== 'look again' && judgement.is !== 'over';
  const ending = endingOf(attempt, keeps ? { ...record, ...told } : record, judgement, context);
  const code = exchange.upstreamCode ?? exchange.code;
  const evidence = [
    { operation: 'status', code, httpStatus: exchange.httpStatus, detail: value.status },
    ...namedIn(record, value),
    ...(undone && transactionId && transactionId !== record.transactionId
      ? [named('transactionId', transactionId)]
      : []),
  ];
  return finishClaiming(
    attempt,
    { ...ending, set: { ...(keeps ? told : {}), ...ending.set }, evidence, nudgeAfterMs: NUDGE_INTERVAL_MS },
    keeps && transactionId !== record.transactionId ? transactionId : undefined,
    context,
  );
}

/** What upstream named otherwise than we had asked for it. A review that waits already has it. */
function namedIn(record: DisbursementRecord, answer: DisbursementStatus): EvidenceDraft[] {
  if (record.state === 'needs_review') return [];
  const asked = { token: record.token, disburse_id: record.disburseId, withdraw_mode: record.withdrawMode };
  const answered = { token: answer.token, disburse_id: answer.disburseId, withdraw_mode: answer.withdrawMode };
  const names = (['token', 'disburse_id', 'withdraw_mode'] as const).flatMap((name) => {
    const as = answered[name];
    return as === undefined || as === asked[name] ? [] : [named(name, as)];
  });
  if (!isNamed(record, answer) && answer.transactionId) names.push(named('transactionId', answer.transactionId));
  const amount = answer.amountRaw ?? answer.amount;
  return amount === undefined || answer.amount === record.amount ? names : [...names, named('amount', amount)];
}

/** It ended as it was told. Nothing is written down but when it is looked at next. */
function leaveOver(
  attempt: Attempt,
  { because }: { because: string },
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = attempt;
  const dueInMs = recheckIn(attempt, context);
  const hintAfterMs = NUDGE_INTERVAL_MS;
  return finish(attempt, context, {
    to: record.state,
    dueInMs,
    nudgeAfterMs: hintAfterMs,
    set: NOTHING_SEEN,
    outcome: 'idle',
    reason: because,
  });
}

/** Nobody has asked upstream: a word that was said once is still to be said again. */
export function leaveAsItIs(attempt: Attempt, context: ProcessorContext): Promise<AttemptResult> {
  const { state: to, failedSeenAt, contrarySeenAt } = attempt.record;
  const dueInMs = failedSeenAt === undefined && contrarySeenAt === undefined ? recheckIn(attempt, context) : 0;
  return finish(attempt, context, { to, dueInMs, nudgeAfterMs: NUDGE_INTERVAL_MS, outcome: 'idle', reason: to });
}

/** When a success is looked at again by itself, ms from now. */
function recheckIn({ record, at }: Pick<Attempt, 'record' | 'at'>, { policy }: ProcessorContext): number | undefined {
  if (record.state !== 'succeeded') return undefined;
  const next = policy.recheckMs.find((ms) => record.since + ms > at);
  return next === undefined ? undefined : record.since + next - at;
}

type Ruled = Exclude<Judgement, { is: 'resubmit' }>;

/** Whatever was seen once counts no more. */
const NOTHING_SEEN: Readonly<Record<SeenBefore | 'unnamedLooks', ''>> = {
  createdSeenAt: '',
  failedSeenAt: '',
  unnamedSeenAt: '',
  unnamedLooks: '',
  contrarySeenAt: '',
};

/** What only says when and how to go on: a record that is over is kept for long. */
export const NO_LONGER_OF_USE = {
  ...NOTHING_SEEN,
  quietUntil: '',
  hintedAt: '',
  keys: '',
  mode: '',
  acceptedFor: '',
} as const;

/** Nobody will ask what was posted about money that has moved, if all that was posted is that it has. */
function agrees(state: StateOf<'disbursement'>, { fields }: DisbursementRecord): boolean {
  const posted = readEvidence(fields).lines.filter(({ operation }) => operation === 'callback');
  return state === 'succeeded' && posted.every((line) => claimsSuccess(line) && line.detail !== WRONG_HASH);
}

/** The record's next state, as the judgement has it. */
export function endingOf(
  attempt: Pick<Attempt, 'record' | 'at'>,
  record: DisbursementRecord,
  judgement: Ruled,
  context: ProcessorContext,
): Ending<'disbursement'> {
  const over = isFinal('disbursement', record.state);
  // The waits of what is over do not grow.
  const tries = over ? '' : record.tries + 1;
  switch (judgement.is) {
    case 'final': {
      const { state, late } = judgement;
      return {
        to: state,
        dueInMs: state === 'succeeded' && record.token ? context.policy.recheckMs[0] : undefined,
        set: { ...NO_LONGER_OF_USE, reason: '', ...(late ? { late: 1 } : {}) },
        event: eventOf(record, state, late ? { late: true } : {}),
        forgetsCallback: agrees(state, record),
        outcome: 'ended',
        reason: state === 'succeeded' && over ? 'paid_after_all' : state,
      };
    }
    case 'pending': {
      const set = { tries, ...NOTHING_SEEN };
      return { to: 'pending', dueInMs: judgement.dueInMs, set, outcome: 'advanced', reason: 'pending' };
    }
    case 'look again': {
      const { dueInMs, because } = judgement;
      const to = record.state === 'submitting' ? 'unknown' : record.state;
      const set = { tries, ...seenBy(record, judgement) };
      return { to, dueInMs, set, outcome: 'unknown', reason: because };
    }
    case 'review': {
      const reason = judgement.because;
      const event = eventOf(record, 'needs_review', { reason });
      const set = { reason, ...(over ? NOTHING_SEEN : {}) };
      return { to: 'needs_review', dueInMs: DAILY_MS, set, event, outcome: 'needs_review', reason: reason };
    }
    case 'over': {
      const { because: reason } = judgement;
      const dueInMs = recheckIn(attempt, context);
      return { to: record.state, dueInMs, set: NOTHING_SEEN, outcome: 'idle', reason };
    }
    default:
      return judgement satisfies never;
  }
}

/**
 * Which of the words that must be said twice was said once. Another word takes back a `failed`; after a success has been
 * told, only a success that names the payment does.
 */
function seenBy(
  { state, unnamedLooks }: DisbursementRecord,
  { because, saw }: Extract<Judgement, { is: 'look again' }>,
): Readonly<Record<string, string | number>> {
  const stands = state === 'succeeded' ? because !== 'contradicted_once' : because === 'failed_once';
  return {
    ...(stands ? {} : { failedSeenAt: '' }),
    ...(because === 'undone_once' ? { contrarySeenAt: '' } : {}),
    ...(because === 'unnamed' ? { unnamedLooks: unnamedLooks + 1 } : { unnamedSeenAt: '', unnamedLooks: '' }),
    ...(saw ? { [`@${saw}`]: 0 } : {}),
  };
}

/**
 * Looks at a disbursement whose submit may have left us. Asking changes nothing upstream, so it may happen at any time
 * and any number of times; judge.ts says what an answer means.
 */
import { type StateOf, isFinal } from '../../kinds/index.ts';
import {
  type EvidenceDraft,
  WRONG_HASH,
  claimsSuccess,
  named,
  readEvidence,
  eventOf,
} from '../../operations/transition.ts';
import type { DisbursementRecord } from '../../operations/record.ts';
import type { DisbursementStatus } from '../../provider/payments/ask.ts';
import { isUnrecognised } from '../../provider/meaning.ts';
import type { ExchangeSummary, NotOk, Verdict } from '../../provider/verdict.ts';
import { type Attempt as AttemptOf, DAILY_MS, NUDGE_INTERVAL_MS, attempt } from '../attempt.ts';
import { type AttemptResult, type Policy, waitAt } from '../context.ts';
import type { Ending } from '../intent.ts';
import { type Judgement, type Seen as SeenBefore, isNamed, judge } from './judge.ts';
import { finishClaiming, submit } from './pay.ts';

type Attempt = AttemptOf<'disbursement'>;

export const lookAtDisbursement = attempt('disbursement', 'status-poll', {
  submitting: look,
  unknown: look,
  pending: look,
  needs_review: look,
  succeeded: look,
  failed: look,
  cancelled: look,
});

async function look(a: Attempt): Promise<AttemptResult> {
  const { record, context, policy } = a;
  const { token } = record;
  // Without a token upstream cannot be asked; only a person can settle it, and nothing is due until one does.
  if (token === undefined) return a.finish({ to: record.state, outcome: 'idle', reason: 'no_token' });
  const verdict = await a.ask('look', (account) => context.upstream.payments.disbursementStatus(account, { token }));
  if (verdict.is === 'ok') return settleLook(a, judge(record, verdict.value, a.at, policy), verdict);
  const reason = verdict.is === 'held' ? verdict.condition : verdict.code;
  if (isFinal('disbursement', record.state)) return lookInVain(a, reason, verdict);
  // No answer is no information: never a reason to submit, and never a result.
  const to = record.state === 'submitting' ? 'unknown' : record.state;
  const evidence = statusSaid(verdict.exchange);
  return a.stay({ to, dueInMs: waitAt(policy.pollMs, record.tries), reason, outcome: 'retries', evidence });
}

/** What an answer about the status leaves in the record. */
function statusSaid({ upstreamCode, code, httpStatus }: ExchangeSummary, detail?: string): EvidenceDraft {
  return { operation: 'status', code: upstreamCode ?? code, httpStatus, ...(detail === undefined ? {} : { detail }) };
}

/**
 * Somebody had a reason to look at what is over, and it is not heard before upstream has been asked. Where it refuses
 * in words that we know, that was the look: thousands that it has forgotten are not asked about again and again. What
 * was not understood, or never came, is no answer.
 */
function lookInVain(a: Attempt, reason: string, verdict: NotOk): Promise<AttemptResult> {
  if (verdict.is === 'refused' && !isUnrecognised(verdict)) return leaveOver(a, reason);
  const dueInMs = waitAt(a.policy.pollMs, Number.POSITIVE_INFINITY);
  return a.finish({ to: a.record.state, dueInMs, outcome: 'retries', reason });
}

type Answered = Extract<Verdict<DisbursementStatus>, { is: 'ok' }>;

async function settleLook(a: Attempt, judgement: Judgement, { value, exchange }: Answered): Promise<AttemptResult> {
  if (judgement.is === 'resubmit') return submit(a);
  if (judgement.is === 'over' && judgement.because === 'nothing_new') return leaveOver(a, judgement.because);
  const { record } = a;
  const { transactionId } = value;
  const told = transactionsIn(value);
  // Money comes back in a transaction of its own, which is not the one that it was paid in.
  const undone = judgement.is === 'final' && judgement.state === 'reversed';
  // What does not name the payment gives the record no name that it keeps.
  const keeps = isNamed(record, value) && !undone && judgement.is !== 'look again' && judgement.is !== 'over';
  const ending = endingOf(a, keeps ? { ...record, ...told } : record, judgement, a.policy);
  const another = transactionId !== record.transactionId ? transactionId : undefined;
  const evidence = [
    statusSaid(exchange, value.status),
    ...namedIn(record, value),
    ...(undone && another ? [named('transactionId', another)] : []),
  ];
  const set = { ...(keeps ? told : {}), ...ending.set };
  return finishClaiming(
    a,
    { ...ending, set, evidence, nudgeAfterMs: NUDGE_INTERVAL_MS },
    keeps ? another : undefined,
  );
}

/** The transactions that an answer names, as a record keeps them. */
function transactionsIn({ transactionId, disburseTxId }: DisbursementStatus): Record<string, string> {
  return { ...(transactionId ? { transactionId } : {}), ...(disburseTxId ? { disburseTxId } : {}) };
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
function leaveOver(a: Attempt, reason: string): Promise<AttemptResult> {
  const dueInMs = recheckIn(a, a.policy);
  const set = NOTHING_SEEN;
  return a.finish({ to: a.record.state, dueInMs, nudgeAfterMs: NUDGE_INTERVAL_MS, set, outcome: 'idle', reason });
}

/** A word that counts once it has been said for the second time. */
export function wasSaidOnce(record: DisbursementRecord): boolean {
  const { createdSeenAt, failedSeenAt, contrarySeenAt, agreedSeenAt } = record;
  return (createdSeenAt ?? failedSeenAt ?? contrarySeenAt ?? agreedSeenAt) !== undefined;
}

/** Upstream was not asked: a word that was said once is still to be said again. */
export function leaveAsItIs(a: Attempt): Promise<AttemptResult> {
  const { state: to } = a.record;
  const dueInMs = wasSaidOnce(a.record) ? 0 : recheckIn(a, a.policy);
  return a.finish({ to, dueInMs, nudgeAfterMs: NUDGE_INTERVAL_MS, outcome: 'idle', reason: to });
}

type Looked = Pick<Attempt, 'record' | 'at'>;

/**
 * When what was told is looked at again by itself, ms from now: a success in any case, and either end anew once
 * anything has spoken against it, since all that has agreed with it may have been old.
 */
function recheckIn({ record, at }: Looked, { recheckMs }: Policy): number | undefined {
  const { state, since, hintedAt } = record;
  const from = state === 'succeeded' ? Math.max(since, hintedAt ?? since) : hintedAt;
  const next = from === undefined ? undefined : recheckMs.find((ms) => from + ms > at);
  return from === undefined || next === undefined ? undefined : from + next - at;
}

type Ruled = Exclude<Judgement, { is: 'resubmit' }>;

/** Whatever was seen once counts no more. */
const NOTHING_SEEN: Readonly<Record<SeenBefore | 'unnamedLooks' | 'contraryLooks', ''>> = {
  createdSeenAt: '',
  failedSeenAt: '',
  unnamedSeenAt: '',
  unnamedLooks: '',
  contrarySeenAt: '',
  contraryLooks: '',
  agreedSeenAt: '',
};

/** What only says when and how to go on: a record that is over is kept for long. */
export const NO_LONGER_OF_USE = {
  ...NOTHING_SEEN,
  quietUntil: '',
  hintedAt: '',
  keys: '',
  mode: '',
  acceptedFor: '',
  toldPaid: '',
} as const;

/** Nobody will ask what was posted about money that has moved, if all that was posted is that it has. */
function agrees(state: StateOf<'disbursement'>, record: DisbursementRecord): boolean {
  const posted = readEvidence(record).lines.filter(({ operation }) => operation === 'callback');
  return state === 'succeeded' && posted.every((line) => claimsSuccess(line) && line.detail !== WRONG_HASH);
}

/** The record's next state, as the judgement has it. */
function endingOf(
  looked: Looked,
  record: DisbursementRecord,
  judgement: Ruled,
  policy: Policy,
): Ending<'disbursement'> {
  const over = isFinal('disbursement', record.state);
  // The waits of what is over do not grow.
  const tries = over ? '' : record.tries + 1;
  switch (judgement.is) {
    case 'final': {
      const { state, late } = judgement;
      return {
        to: state,
        dueInMs: state === 'succeeded' && record.token ? policy.recheckMs[0] : undefined,
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
      const set = { reason, ...(over ? NOTHING_SEEN : {}), ...(record.state === 'succeeded' ? { toldPaid: 1 } : {}) };
      return { to: 'needs_review', dueInMs: DAILY_MS, set, event, outcome: 'needs_review', reason: reason };
    }
    case 'over': {
      const { because: reason } = judgement;
      const dueInMs = recheckIn(looked, policy);
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
  { state, unnamedLooks, contraryLooks }: DisbursementRecord,
  { because, saw }: Extract<Judgement, { is: 'look again' }>,
): Readonly<Record<string, string | number>> {
  const stands = state === 'succeeded' ? because !== 'agreed_once' : ['failed_once', 'undone_once'].includes(because);
  const over = isFinal('disbursement', state);
  const isAgainst = over && ['contradicted_once', 'undone_once'].includes(because);
  const isContrary = over && !isAgainst && because !== 'agreed_once';
  return {
    ...(stands ? {} : { failedSeenAt: '' }),
    ...(because === 'agreed_once' ? {} : { agreedSeenAt: '' }),
    // It named the payment and said its last word: what says neither is counted from after that.
    ...(['undone_once', 'agreed_once'].includes(because) ? { contrarySeenAt: '', contraryLooks: '' } : {}),
    ...(isAgainst ? { '@hintedAt': 0 } : {}),
    ...(isContrary ? { contraryLooks: contraryLooks + 1 } : {}),
    ...(because === 'unnamed' ? { unnamedLooks: unnamedLooks + 1 } : { unnamedSeenAt: '', unnamedLooks: '' }),
    ...(saw ? { [`@${saw}`]: 0 } : {}),
  };
}

/**
 * Checks the status of a disbursement whose submit may have left. A status check changes nothing at the provider and
 * can be repeated at any time. judge.ts interprets the answer.
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
  // Without a token the provider cannot be asked. Only an operator can settle the payment, so nothing is due.
  if (token === undefined) return a.finish({ to: record.state, outcome: 'idle', reason: 'no_token' });
  const verdict = await a.ask('look', (account) => context.upstream.payments.disbursementStatus(account, { token }));
  if (verdict.is === 'ok') return settleLook(a, judge(record, verdict.value, a.at, policy), verdict);
  const reason = verdict.is === 'held' ? verdict.condition : verdict.code;
  if (isFinal('disbursement', record.state)) return lookInVain(a, reason, verdict);
  // A missing answer is no information: it never justifies a submit and is never a result.
  const to = record.state === 'submitting' ? 'unknown' : record.state;
  const evidence = statusSaid(verdict.exchange);
  return a.stay({ to, dueInMs: waitAt(policy.pollMs, record.tries), reason, outcome: 'retries', evidence });
}

/** Evidence of a status answer. */
function statusSaid({ upstreamCode, code, httpStatus }: ExchangeSummary, detail?: string): EvidenceDraft {
  return { operation: 'status', code: upstreamCode ?? code, httpStatus, ...(detail === undefined ? {} : { detail }) };
}

/**
 * A check of a finished payment was requested and got no usable answer. A known refusal counts as the answer, so that
 * thousands of forgotten payments are not checked repeatedly. A missing or unreadable answer does not count.
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
  // A return is a separate transaction with its own id.
  const undone = judgement.is === 'final' && judgement.state === 'reversed';
  // References are stored only if the answer names the payment.
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

/** The transactions that an answer names, in the form of the record. */
function transactionsIn({ transactionId, disburseTxId }: DisbursementStatus): Record<string, string> {
  return { ...(transactionId ? { transactionId } : {}), ...(disburseTxId ? { disburseTxId } : {}) };
}

/** References that differ from the request. A review that is open already has them. */
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

/** The check confirms the reported result. Only the time of the next check is written. */
function leaveOver(a: Attempt, reason: string): Promise<AttemptResult> {
  const dueInMs = recheckIn(a, a.policy);
  const set = NOTHING_SEEN;
  return a.finish({ to: a.record.state, dueInMs, nudgeAfterMs: NUDGE_INTERVAL_MS, set, outcome: 'idle', reason });
}

/** Whether this status has been seen twice. */
export function wasSaidOnce(record: DisbursementRecord): boolean {
  const { createdSeenAt, failedSeenAt, contrarySeenAt, agreedSeenAt } = record;
  return (createdSeenAt ?? failedSeenAt ?? contrarySeenAt ?? agreedSeenAt) !== undefined;
}

/** The provider was not asked: a status that was seen once is still unconfirmed. */
export function leaveAsItIs(a: Attempt): Promise<AttemptResult> {
  const { state: to } = a.record;
  const dueInMs = wasSaidOnce(a.record) ? 0 : recheckIn(a, a.policy);
  return a.finish({ to, dueInMs, nudgeAfterMs: NUDGE_INTERVAL_MS, outcome: 'idle', reason: to });
}

type Looked = Pick<Attempt, 'record' | 'at'>;

/**
 * When a reported result is checked again, ms from now. A success is always checked again. Either result is checked
 * again after a contradiction, because the confirming answers may have been outdated.
 */
function recheckIn({ record, at }: Looked, { recheckMs }: Policy): number | undefined {
  const { state, since, hintedAt } = record;
  const from = state === 'succeeded' ? Math.max(since, hintedAt ?? since) : hintedAt;
  const next = from === undefined ? undefined : recheckMs.find((ms) => from + ms > at);
  return from === undefined || next === undefined ? undefined : from + next - at;
}

type Ruled = Exclude<Judgement, { is: 'resubmit' }>;

/** Earlier observations no longer count. */
const NOTHING_SEEN: Readonly<Record<SeenBefore | 'unnamedLooks' | 'contraryLooks', ''>> = {
  createdSeenAt: '',
  failedSeenAt: '',
  unnamedSeenAt: '',
  unnamedLooks: '',
  contrarySeenAt: '',
  contraryLooks: '',
  agreedSeenAt: '',
};

/** Scheduling fields: finished records are stored for long, so these are cleared. */
export const NO_LONGER_OF_USE = {
  ...NOTHING_SEEN,
  quietUntil: '',
  hintedAt: '',
  keys: '',
  mode: '',
  acceptedFor: '',
  toldPaid: '',
} as const;

/** A callback about a paid payment needs no check if it only confirms the payment. */
function agrees(state: StateOf<'disbursement'>, record: DisbursementRecord): boolean {
  const posted = readEvidence(record).lines.filter(({ operation }) => operation === 'callback');
  return state === 'succeeded' && posted.every((line) => claimsSuccess(line) && line.detail !== WRONG_HASH);
}

/** The record's next state, by the judgement. */
function endingOf(
  looked: Looked,
  record: DisbursementRecord,
  judgement: Ruled,
  policy: Policy,
): Ending<'disbursement'> {
  const over = isFinal('disbursement', record.state);
  // The waits of a finished payment do not grow.
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
 * Which of the statuses that need confirmation was seen once. Any other status clears a `failed`. After a reported
 * success, only a success that names the payment clears it.
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
    // The answer named the payment and was final. Answers that are neither are counted from this moment.
    ...(['undone_once', 'agreed_once'].includes(because) ? { contrarySeenAt: '', contraryLooks: '' } : {}),
    ...(isAgainst ? { '@hintedAt': 0 } : {}),
    ...(isContrary ? { contraryLooks: contraryLooks + 1 } : {}),
    ...(because === 'unnamed' ? { unnamedLooks: unnamedLooks + 1 } : { unnamedSeenAt: '', unnamedLooks: '' }),
    ...(saw ? { [`@${saw}`]: 0 } : {}),
  };
}

/**
 * Processes a disbursement from acceptance to its submit.
 *
 *   may we? ──▶ get a token (harmless) ──▶ commit the token and the intent ──▶ submit ──▶ status checks decide the
 * result
 *
 * Creating a token moves no money, so everything before the submit can be repeated. The token is committed before it
 * is used: a submit with a lost token could never be checked. Token and intent are one write, since nothing happens
 * between them; if the submit has to wait, the state is `created`. Only the submit moves money. Its answer decides
 * nothing final: only a status check does.
 */
import { toMs } from '../../lib/clock.ts';
import { STOPPED } from '../../kinds/hold.ts';
import { type EvidenceDraft, linesOf, named, type Change, eventOf } from '../../operations/transition.ts';
import type { DisbursementRecord } from '../../operations/record.ts';
import { disbursement as declaration } from '../../queues/index.ts';
import { DISBURSE_TOKEN_AGE_MAX_MS } from '../../provider/lifetimes.ts';
import { isFinalStatus, isIdUsed, isUnrecognised } from '../../provider/meaning.ts';
import type { NotOk, Verdict } from '../../provider/verdict.ts';
import { type Attempt as AttemptOf, DAILY_MS, type Learnt, attempt } from '../attempt.ts';
import { type AttemptResult, type Policy, retryAt, waitAt } from '../context.ts';
import {
  NOT_UNDERSTOOD,
  type ProbePermit,
  conditionIn,
  gate,
  hold,
  isNotUnderstood,
  recordHealth,
  releaseHolds,
} from '../gate.ts';
import { CLAIMED, type Ending, TOKEN_COLLISION, TRANSACTION_COLLISION } from '../intent.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptOf<'disbursement'>;

export const payDisbursement = attempt('disbursement', 'disbursement', { queued: pay, held: pay, created: pay });

async function pay(a: Attempt): Promise<AttemptResult> {
  const { record, context } = a;
  await a.notBefore(record.notBefore);
  await a.notRecovering();
  if (record.sends === 0) {
    const from = Math.max(record.createdAt, record.notBefore ?? 0, record.approvedAt ?? 0);
    await a.withinLimit(a.policy.limitMs, { from, to: 'rejected', reason: 'not_submitted_in_time' });
  }
  const callbackUrl = context.callbackUrl(record.account, record.id);
  if (callbackUrl === undefined) return a.stay({ dueInMs: a.policy.holdRecheckMs, reason: 'no_callback_url' });
  const permit = await gate(a);
  if (record.state !== 'created') return createToken(a, callbackUrl, permit);
  // An unused token has no cost: a new one replaces it.
  if (a.at - (record.tokenAt ?? 0) > DISBURSE_TOKEN_AGE_MAX_MS) {
    const set = { token: '', tokenAt: '' };
    return a.finish({ to: 'queued', dueInMs: 0, set, outcome: 'advanced', reason: 'token_too_old' });
  }
  const submitted = await submit(a);
  // The token is older than the hold, so the submit proves that the condition has cleared.
  if (submitted.reason === 'submitted') await releaseHolds(record, permit.probing, context);
  return submitted;
}

async function createToken(a: Attempt, callbackUrl: string, permit: ProbePermit): Promise<AttemptResult> {
  const { context, record } = a;
  const { accountAlias, amount, withdrawMode, debitAccountNumber } = record;
  const asked = {
    accountAlias,
    amount,
    withdrawMode,
    callbackUrl,
    ...(debitAccountNumber ? { debitAccountNumber } : {}),
  };
  const verdict = await a.ask('act', (account, call) => {
    return context.upstream.payments.createDisbursement(account, asked, call);
  });
  await recordHealth(record.account, verdict, permit, context);
  if (verdict.is !== 'ok') return settleNoToken(a, verdict);
  const { token } = verdict.value;
  const evidence = { operation: 'create', code: verdict.exchange.code, httpStatus: verdict.exchange.httpStatus };
  return submit(a, {
    change: {
      to: 'created',
      set: { token, '@tokenAt': 0, reason: '', keys: a.keys, mode: a.account.mode },
      evidence,
      claims: `token=${token}`,
    },
    // A submit with this token would be the other operation's payment, or share its result.
    claimed: () => {
      const told = [evidence, named('token', token)];
      return a.announce('needs_review', { reason: TOKEN_COLLISION, evidence: told });
    },
    token,
  });
}

/** Handles an answer without a token. No money has been requested, whatever the answer. */
async function settleNoToken(a: Attempt, verdict: NotOk): Promise<AttemptResult> {
  const { code, httpStatus, upstreamCode: detail } = verdict.exchange;
  const evidence = { operation: 'create', code, httpStatus, detail };
  if (verdict.is === 'transient') return a.retryLater(verdict, { waitsMs: RETRY_MS, evidence });
  const stays = await staysOpen(a, verdict, evidence);
  if (stays) return stays;
  const reason = conditionIn(verdict);
  if (reason) return hold(a, { to: 'held', reason, evidence, event: eventOf(a.record, 'held', { reason }) });
  // The provider knows our disburse_id although this record never intended a submit. A paid submit may have been lost
  // with our data, so the payment needs review.
  const to = verdict.is === 'refused' ? 'rejected' : 'needs_review';
  return a.announce(to, { reason: verdict.code, evidence, hasEffect: true });
}

/**
 * After this many unreadable answers to one disbursement, while others are readable, the disbursement itself is at
 * fault.
 */
const STRANGE_ANSWERS = 3;

/** An unrecognised refusal ends nothing at once: it may not come from the provider. */
async function staysOpen(a: Attempt, verdict: NotOk, evidence: EvidenceDraft): Promise<AttemptResult | undefined> {
  if (!isUnrecognised(verdict)) return undefined;
  const { record } = a;
  const strangeAnswers = record.strangeAnswers + 1;
  const set = { strangeAnswers };
  if (await isNotUnderstood(record.account, strangeAnswers === 1, a.context)) {
    const event = eventOf(record, 'held', { reason: NOT_UNDERSTOOD });
    return hold(a, { to: 'held', reason: NOT_UNDERSTOOD, evidence, event, set });
  }
  if (strangeAnswers >= STRANGE_ANSWERS) return undefined;
  return a.retryLater(verdict, { waitsMs: RETRY_MS, evidence, set });
}

/** A token that is not in the record yet. It is written together with the intent, or alone as `created`. */
interface Fresh extends Learnt<'disbursement'> {
  readonly token: string;
}

/**
 * Submits with a fresh token, or repeats a submit with the stored token from `created`, `unknown` and `needs_review`.
 */
export async function submit(a: Attempt, fresh?: Fresh): Promise<AttemptResult> {
  const { context, record } = a;
  const { leaseMs, quietMs } = a.policy;
  const { disburseId, id } = record;
  const token = fresh?.token ?? record.token;
  if (token === undefined) throw new Error(`disbursement ${id} has no token to submit`);
  const sends = record.sends + 1;
  // The provider has answered with the token or with `created`, so earlier failures no longer count.
  const tries = fresh || record.sends > 0 ? 0 : record.tries;
  const written = { ...record, state: 'submitting', token, sends, tries } as const;
  const intent = {
    written,
    learnt: fresh,
    // If this process dies now, the settle delay starts at the latest moment at which this lease could still send.
    set: { sends, '@sentAt': 0, '@quietUntil': leaseMs + quietMs, createdSeenAt: '' },
    evidence: { operation: 'submit', code: '', detail: `send ${sends}`, send: sends },
    mine: { token },
    // An operator can stop payments until this write: a check before it could be outdated.
    unlessHeld: `payments.${STOPPED}`,
    unsent: (reason: string) => unsent(written, reason, a.policy),
  };
  const verdict = await a.send(intent, (account, call) => {
    return context.upstream.payments.submitDisbursement(account, { token, disburseId }, call);
  });
  return settleSubmit(a, verdict);
}

/** The request did not leave this process, so this submit does not count and can be repeated. */
function unsent({ sends, tries }: DisbursementRecord, because: string, policy: Policy): Change<'disbursement'> {
  const retry = retryAt(RETRY_MS, { tries, because }, policy);
  return {
    to: sends === 1 ? 'created' : 'unknown',
    dueInMs: retry.dueInMs,
    // Counted across the state change, so that the waits grow while the provider is away.
    set: { sends: sends - 1, tries: retry.tries },
  };
}

type SubmitVerdict = Verdict<{ status?: string; transactionId?: string; providerRef?: string }>;

function settleSubmit(a: Attempt, verdict: SubmitVerdict): Promise<AttemptResult> {
  const { exchange } = verdict;
  const { quietMs, pollMs } = a.policy;
  const evidence = {
    operation: 'submit',
    code: exchange.upstreamCode ?? exchange.code,
    httpStatus: exchange.httpStatus,
  };
  if (verdict.is === 'ok') {
    const { status, transactionId, providerRef } = verdict.value;
    const told = { ...(transactionId ? { transactionId } : {}), ...(providerRef ? { providerRef } : {}) };
    const ending: Ending<'disbursement'> = {
      to: 'pending',
      dueInMs: isFinalStatus(status) ? 0 : waitAt(pollMs, 0),
      set: { '@quietUntil': quietMs, ...told },
      evidence: { ...evidence, detail: status },
      outcome: 'advanced',
      reason: 'submitted',
    };
    return finishClaiming(a, ending, transactionId);
  }
  const reason = verdict.is === 'held' ? verdict.condition : verdict.code;
  if (exchange.sent === 'never') {
    return a.finish({ ...unsent(a.record, reason, a.policy), evidence, outcome: 'retries', reason });
  }
  return a.finish({
    to: 'unknown',
    dueInMs: waitAt(pollMs, 0),
    // After a data loss, a payment that this record does not know may use the id.
    set: { '@quietUntil': quietMs, ...(isIdUsed(exchange) ? { idUsed: 1 } : {}) },
    evidence,
    outcome: 'unknown',
    reason,
  });
}

/**
 * Ends an attempt whose answer named a transaction id. If another operation already has that id, the provider merged
 * or split two payments, and only a review can tell which one was paid.
 */
export async function finishClaiming(
  a: Attempt,
  ending: Ending<'disbursement'>,
  transactionId: string | undefined,
): Promise<AttemptResult> {
  if (transactionId === undefined) return a.finish(ending);
  const result = await a.finish({ ...ending, claims: `transactionId=${transactionId}` });
  if (result.reason !== CLAIMED) return result;
  const reason = TRANSACTION_COLLISION;
  const evidence = [...linesOf(ending.evidence), named('transactionId', transactionId)];
  if (a.record.state === 'needs_review') {
    return a.finish({ to: 'needs_review', dueInMs: DAILY_MS, evidence, outcome: 'waits', reason });
  }
  return a.announce('needs_review', { reason, dueInMs: DAILY_MS, evidence });
}

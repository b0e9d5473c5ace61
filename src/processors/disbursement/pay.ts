/**
 * Takes a disbursement from acceptance to its submit.
 *
 *   may we? ──▶ get a token (harmless) ──▶ write it down, and that it is used ──▶ submit ──▶ looks decide the rest
 *
 * Creating a token moves no money, so everything before the submit may be repeated. A token is committed before it is
 * used: one that is lost after a submit could never be asked about. Nothing happens between the token and the intent to
 * use it, so they are one write; where the submit has to wait, the token is left as `created`. The submit is the one
 * request that moves money; what comes back decides nothing final: only a look at the status does.
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
  // A token that was never used costs nothing: a new one replaces it.
  if (a.at - (record.tokenAt ?? 0) > DISBURSE_TOKEN_AGE_MAX_MS) {
    const set = { token: '', tokenAt: '' };
    return a.finish({ to: 'queued', dueInMs: 0, set, outcome: 'advanced', reason: 'token_too_old' });
  }
  const submitted = await submit(a);
  // The token was there before the hold began: then it is the submit that tells that the condition has cleared.
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
    // Sent with this token, it would be the other's payment, or end as it.
    claimed: () => {
      const told = [evidence, named('token', token)];
      return a.announce('needs_review', { reason: TOKEN_COLLISION, evidence: told });
    },
    token,
  });
}

/** What an answer that is not a token means. Nothing was sent to an operator, whatever it says. */
async function settleNoToken(a: Attempt, verdict: NotOk): Promise<AttemptResult> {
  const { code, httpStatus, upstreamCode: detail } = verdict.exchange;
  const evidence = { operation: 'create', code, httpStatus, detail };
  if (verdict.is === 'transient') return a.retryLater(verdict, { waitsMs: RETRY_MS, evidence });
  const stays = await staysOpen(a, verdict, evidence);
  if (stays) return stays;
  const reason = conditionIn(verdict);
  if (reason) return hold(a, { to: 'held', reason, evidence, event: eventOf(a.record, 'held', { reason }) });
  // Where upstream knows our disburse_id although no submit of this record was ever intended, a paid one may have been
  // lost with our data: a person looks before anything else happens.
  const to = verdict.is === 'refused' ? 'rejected' : 'needs_review';
  return a.announce(to, { reason: verdict.code, evidence, hasEffect: true });
}

/** With this many strange answers to one disbursement, while others are understood, it is the one that is wrong. */
const STRANGE_ANSWERS = 3;

/** A refusal that nobody understands ends nothing at once: it may not come from the service. */
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

/** A token that no record has yet: it is written down in the same step as the intent to use it, or left as `created`. */
interface Fresh extends Learnt<'disbursement'> {
  readonly token: string;
}

/** With a fresh token, or from `created`, `unknown` and `needs_review` where the same token may be sent again. */
export async function submit(a: Attempt, fresh?: Fresh): Promise<AttemptResult> {
  const { context, record } = a;
  const { leaseMs, quietMs } = a.policy;
  const { disburseId, id } = record;
  const token = fresh?.token ?? record.token;
  if (token === undefined) throw new Error(`disbursement ${id} has no token to submit`);
  const sends = record.sends + 1;
  // Upstream has answered, with the token or with `created`: what did not happen before it counts no more.
  const tries = fresh || record.sends > 0 ? 0 : record.tries;
  const written = { ...record, state: 'submitting', token, sends, tries } as const;
  const intent = {
    written,
    learnt: fresh,
    // If we die now, the quiet period counts from the latest moment at which this lease could still have sent.
    set: { sends, '@sentAt': 0, '@quietUntil': leaseMs + quietMs, createdSeenAt: '' },
    evidence: { operation: 'submit', code: '', detail: `send ${sends}`, send: sends },
    mine: { token },
    // A person's word counts until the very write: what is read before it may be said too late.
    unlessHeld: `payments.${STOPPED}`,
    unsent: (reason: string) => unsent(written, reason, a.policy),
  };
  const verdict = await a.send(intent, (account, call) => {
    return context.upstream.payments.submitDisbursement(account, { token, disburseId }, call);
  });
  return settleSubmit(a, verdict);
}

/** Nothing left this process, so this send does not count and may be made again. */
function unsent({ sends, tries }: DisbursementRecord, because: string, policy: Policy): Change<'disbursement'> {
  const retry = retryAt(RETRY_MS, { tries, because }, policy);
  return {
    to: sends === 1 ? 'created' : 'unknown',
    dueInMs: retry.dueInMs,
    // Counted on although the state changes, so that the waits grow while upstream stays away.
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
    // After a loss of data the id may be used by a payment that this record knows nothing of.
    set: { '@quietUntil': quietMs, ...(isIdUsed(exchange) ? { idUsed: 1 } : {}) },
    evidence,
    outcome: 'unknown',
    reason,
  });
}

/**
 * Ends an attempt that was told a transaction id. One that another operation was told too says that upstream took two
 * payments for one, or one for two, and which of them was paid nobody knows here.
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

/**
 * Takes a disbursement from acceptance to its submit.
 *
 *   may we? ──▶ get a token (harmless) ──▶ write it down ──▶ submit (guarded, submit.ts) ──▶ looks decide the rest
 *
 * Creating a token moves no money, so everything before the submit may be repeated. A token is durable before it is
 * used: one that is lost after a submit could never be asked about.
 */
import { toMs } from '../lib/durations.ts';
import { type EvidenceDraft, named } from '../operations/evidence.ts';
import type { NotOk, Verdict } from '../upstream/verdict.ts';
import {
  NOT_UNDERSTOOD,
  type ProbePermit,
  releaseHolds,
  recordHealth,
  hold,
  isNotUnderstood,
  isStrange,
  mustWait,
} from './account-holds.ts';
import { eventOf } from './announced.ts';
import {
  type AttemptAt,
  announceEnd,
  beginAt,
  finish,
  isApplied,
  keep,
  renewed,
  retryLater,
  stayAt,
  waitForRecovery,
} from './attempt.ts';
import { type ProcessorContext, type AttemptResult, isRecovering } from './context.ts';
import { disbursement as declaration } from '../queues/disbursement.ts';
import { sendBy } from './intent.ts';
import { submit } from './submit.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

type Attempt = AttemptAt<'disbursement'>;

/** A token that was never used and is older than this is not worth the doubt; another one costs nothing. */
const TOKEN_AGE_MAX_MS = 86_400_000;

export async function advanceDisbursement(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const begun = await beginAt('disbursement', id, 'disbursement', context);
  if ('outcome' in begun) return begun;
  const early = (begun.record.notBefore ?? 0) - begun.at;
  if (early > 0) return stayAt(begun, context, { dueInMs: early, because: 'not_before' });
  if (isRecovering(context)) return waitForRecovery(begun, context);
  const late = await pastItsLimit(begun, context);
  if (late) return late;
  if (context.callbackUrl(begun.record.account, begun.record.id) === undefined) {
    return stayAt(begun, context, { dueInMs: context.policy.holdRecheckMs, because: 'no_callback_url' });
  }
  const gate = await mustWait(begun, context);
  if ('outcome' in gate) return gate;
  if (begun.record.state !== 'created') return createToken(begun, gate, context);
  if (begun.at - (begun.record.tokenAt ?? 0) > TOKEN_AGE_MAX_MS) return forgetToken(begun, context);
  const submitted = await submit(begun, context);
  // The token was there before the hold began: then it is the submit that tells that the condition has cleared.
  if (submitted.reason === 'submitted') await releaseHolds(begun.record, gate.probing, context);
  return submitted;
}

async function pastItsLimit(attempt: Attempt, context: ProcessorContext): Promise<AttemptResult | undefined> {
  const { record, at } = attempt;
  const from = Math.max(record.createdAt, record.notBefore ?? 0, record.approvedAt ?? 0);
  if (record.sends > 0 || at - from < context.policy.limitMs) return undefined;
  return announceEnd(attempt, context, 'rejected', { reason: 'not_submitted_in_time', hasEffect: true });
}

async function createToken(
  attempt: Attempt,
  passage: ProbePermit,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = attempt;
  const admission = await context.upstream.admit(attempt.account, 'payments', 'act');
  if (!admission.admitted) return stayAt(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });
  const { accountAlias, amount, withdrawMode, debitAccountNumber } = record;
  const callbackUrl = context.callbackUrl(record.account, record.id) ?? '';
  const verdict = await context.upstream.payments.createDisbursement(
    attempt.account,
    { accountAlias, amount, withdrawMode, callbackUrl, ...(debitAccountNumber ? { debitAccountNumber } : {}) },
    { sendBy: sendBy(attempt, context) },
  );
  if (verdict.is !== 'ok') {
    await recordHealth(record.account, verdict, passage, context);
    return settleNoToken(attempt, verdict, context);
  }

  const leaseEndsMono = context.clock.monotonic() + context.policy.leaseMs;
  const created = { operation: 'create', code: verdict.exchange.code, httpStatus: verdict.exchange.httpStatus };
  const settled = await keep(attempt, context, {
    to: 'created',
    dueInMs: context.policy.leaseMs,
    keepMs: context.policy.leaseMs,
    set: { token: verdict.value.token, '@tokenAt': 0, reason: '', keys: attempt.keys, mode: attempt.account.mode },
    evidence: created,
    claims: `token=${verdict.value.token}`,
  });
  if (settled.is === 'claimed') {
    // Sent with this token, it would be the other's payment, or end as it.
    const evidence = [created, named('token', verdict.value.token)];
    return announceEnd(attempt, context, 'needs_review', { reason: 'token_collision', evidence });
  }
  if (!isApplied(settled)) return { outcome: 'lost', reason: settled.is };
  await recordHealth(record.account, verdict, passage, context);
  const { token } = verdict.value;
  const written = { ...record, state: 'created', token, tokenAt: settled.at, tries: 0 } as const;
  return submit(renewed(attempt, written, settled, leaseEndsMono), context);
}

/** What an answer that is not a token means. Nothing was sent to an operator, whatever it says. */
async function settleNoToken(
  attempt: Attempt,
  verdict: Exclude<Verdict<{ token: string }>, { is: 'ok' }>,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { exchange } = verdict;
  const evidence = {
    operation: 'create',
    code: exchange.code,
    httpStatus: exchange.httpStatus,
    detail: exchange.upstreamCode,
  };
  if (verdict.is === 'transient') return retryLater(attempt, verdict, { waitsMs: RETRY_MS, evidence }, context);
  const stays = await staysOpen(attempt, verdict, evidence, context);
  if (stays) return stays;
  const refusedFor =
    verdict.is === 'config' ? 'not_authorised' : verdict.is === 'held' ? verdict.condition : undefined;
  if (refusedFor) {
    const event = eventOf(attempt.record, 'held', { reason: refusedFor });
    return hold(attempt, context, { to: 'held', reason: refusedFor, evidence, event });
  }
  // Where upstream knows our disburse_id although no submit of this record was ever intended, a paid one may have been
  // lost with our data: a person looks before anything else happens.
  const to = verdict.is === 'refused' ? 'rejected' : 'needs_review';
  return announceEnd(attempt, context, to, { reason: verdict.code, evidence, hasEffect: true });
}

/** With this many strange answers to one disbursement, while others are understood, it is the one that is wrong. */
const STRANGE_ANSWERS = 3;

/** A refusal that nobody understands ends nothing at once: it may not come from the service. */
async function staysOpen(
  attempt: Attempt,
  verdict: NotOk,
  evidence: EvidenceDraft,
  context: ProcessorContext,
): Promise<AttemptResult | undefined> {
  if (!isStrange(verdict)) return undefined;
  const { record } = attempt;
  const strangeAnswers = Number(record.fields['strangeAnswers'] ?? 0) + 1;
  const set = { strangeAnswers };
  if (await isNotUnderstood(record.account, strangeAnswers === 1, context)) {
    const event = eventOf(record, 'held', { reason: NOT_UNDERSTOOD });
    return hold(attempt, context, { to: 'held', reason: NOT_UNDERSTOOD, evidence, event, set });
  }
  if (strangeAnswers >= STRANGE_ANSWERS) return undefined;
  return retryLater(attempt, verdict, { waitsMs: RETRY_MS, evidence, set }, context);
}

function forgetToken(attempt: Attempt, context: ProcessorContext): Promise<AttemptResult> {
  const set = { token: '', tokenAt: '' };
  return finish(attempt, context, { to: 'queued', dueInMs: 0, set, outcome: 'advanced', reason: 'token_too_old' });
}

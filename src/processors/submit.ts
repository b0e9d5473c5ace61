/**
 * The submit: the one request that moves money. intent.ts says what must happen before it leaves, and why. What comes
 * back decides nothing final: only a look at the status does.
 */
import { toMs } from '../lib/durations.ts';
import { STOPPED } from '../operations/accounts.ts';
import { linesOf, named } from '../operations/evidence.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import type { Change } from '../operations/transition.ts';
import { disbursement as declaration } from '../queues/disbursement.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { type AttemptAt, CLAIMED, DAILY_MS, type Ending, INTENDED, announceEnd, finish, stayAt } from './attempt.ts';
import { type ProcessorContext, type AttemptResult, closedFor, retryAt, waitAt } from './context.ts';
import { intend, sendBy } from './intent.ts';

const RETRY_MS = declaration.retryAfter.map(toMs);

/** Our code for an answer that says so in words; see the failures of the upstream client. */
const ID_USED = 'disburse_id_used';

type Attempt = AttemptAt<'disbursement'>;
type SubmitVerdict = Verdict<{ status?: string; transactionId?: string; providerRef?: string }>;

/** From `created`, or from `unknown` and `needs_review` where the same token may be sent again. */
export async function submit(attempt: Attempt, context: ProcessorContext): Promise<AttemptResult> {
  const { token, disburseId } = attempt.record;
  if (token === undefined) throw new Error(`disbursement ${attempt.record.id} has no token to submit`);
  const closed = closedFor(context);
  if (closed) return stayAt(attempt, context, { dueInMs: context.policy.holdRecheckMs, because: closed });
  // Asked before anything is written: between the re-read and the request nothing may wait.
  const admission = await context.upstream.admit(attempt.account, 'payments', 'act');
  if (!admission.admitted) return stayAt(attempt, context, { dueInMs: admission.retryAfterMs, because: 'rate' });

  const intended = await writeIntent(attempt, token, context);
  if ('outcome' in intended) return intended;
  const verdict = await context.upstream.payments.submitDisbursement(
    attempt.account,
    { token, disburseId },
    { sendBy: sendBy(intended, context) },
  );
  return settleSubmit(intended, verdict, context);
}

function writeIntent(attempt: Attempt, token: string, context: ProcessorContext): Promise<Attempt | AttemptResult> {
  const { leaseMs, quietMs } = context.policy;
  const sends = attempt.record.sends + 1;
  const written = { ...attempt.record, state: 'submitting', sends } as const;
  return intend(
    attempt,
    {
      written,
      // If we die now, the quiet period counts from the latest moment at which this lease could still have sent.
      set: { sends, '@sentAt': 0, '@quietUntil': leaseMs + quietMs, createdSeenAt: '' },
      evidence: { operation: 'submit', code: INTENDED, detail: `send ${sends}`, send: sends },
      mine: { token },
      // A person's word counts until the very write: what is read before it may be said too late.
      unlessHeld: `payments.${STOPPED}`,
      unsent: unsent(written, 'not_sent', context),
    },
    context,
  );
}

/** Nothing left this process, so this send does not count and may be made again. */
function unsent(
  { sends, tries }: DisbursementRecord,
  because: string,
  { policy }: ProcessorContext,
): Change<'disbursement'> {
  const retry = retryAt(RETRY_MS, { tries, because }, policy);
  return {
    to: sends === 1 ? 'created' : 'unknown',
    dueInMs: retry.dueInMs,
    // Counted on although the state changes, so that the waits grow while upstream stays away.
    set: { sends: sends - 1, tries: retry.tries },
  };
}

function settleSubmit(attempt: Attempt, verdict: SubmitVerdict, context: ProcessorContext): Promise<AttemptResult> {
  const { record } = attempt;
  const { exchange } = verdict;
  const { quietMs, pollMs } = context.policy;
  const evidence = {
    operation: 'submit',
    code: exchange.upstreamCode ?? exchange.code,
    httpStatus: exchange.httpStatus,
  };
  if (verdict.is === 'ok') {
    const { status, transactionId, providerRef } = verdict.value;
    // `00` means accepted. A final word in it is a reason to look at once, not a result.
    const final = status === 'success' || status === 'failed';
    const ending: Ending<'disbursement'> = {
      to: 'pending',
      dueInMs: final ? 0 : waitAt(pollMs, 0),
      set: {
        '@quietUntil': quietMs,
        ...(transactionId ? { transactionId } : {}),
        ...(providerRef ? { providerRef } : {}),
      },
      evidence: { ...evidence, detail: status },
      outcome: 'advanced',
      reason: 'submitted',
    };
    return finishClaiming(attempt, ending, transactionId, context);
  }
  const because = verdict.is === 'held' ? verdict.condition : verdict.code;
  if (exchange.sent === 'never') {
    return finish(attempt, context, {
      ...unsent(record, because, context),
      evidence,
      outcome: 'retries',
      reason: because,
    });
  }
  return finish(attempt, context, {
    to: 'unknown',
    dueInMs: waitAt(pollMs, 0),
    // After a loss of data the id may be used by a payment that this record knows nothing of.
    set: { '@quietUntil': quietMs, ...(exchange.code === ID_USED ? { idUsed: 1 } : {}) },
    evidence,
    outcome: 'unknown',
    reason: because,
  });
}

export const TRANSACTION_COLLISION = 'transaction_collision';

/**
 * Ends an attempt that was told a transaction id. One that another operation was told too says that upstream took two
 * payments for one, or one for two, and which of them was paid nobody knows here.
 */
export async function finishClaiming(
  attempt: Attempt,
  ending: Ending<'disbursement'>,
  transactionId: string | undefined,
  context: ProcessorContext,
): Promise<AttemptResult> {
  if (transactionId === undefined) return finish(attempt, context, ending);
  const result = await finish(attempt, context, { ...ending, claims: `transactionId=${transactionId}` });
  if (result.reason !== CLAIMED) return result;
  const because = TRANSACTION_COLLISION;
  const evidence = [...linesOf(ending.evidence), named('transactionId', transactionId)];
  if (attempt.record.state === 'needs_review') {
    return finish(attempt, context, {
      to: 'needs_review',
      dueInMs: DAILY_MS,
      evidence,
      outcome: 'waits',
      reason: because,
    });
  }
  return announceEnd(attempt, context, 'needs_review', { reason: because, dueInMs: DAILY_MS, evidence });
}

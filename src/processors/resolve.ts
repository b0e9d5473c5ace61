/**
 * A person's word about a disbursement that needs review. Upstream is asked first, and its word is stronger: whoever
 * says otherwise is told so, and nothing is changed.
 */
import { isFinal } from '../kinds/states.ts';
import { RESTORED } from '../operations/restored.ts';
import { eventOf } from './announced.ts';
import { type AttemptAt, DAILY_MS, RESOLVE, beginAt, finish, isApplied, keep } from './attempt.ts';
import type { ProcessorContext } from './context.ts';
import { mismatchOf } from './judge.ts';
import { NO_LONGER_OF_USE, leaveAsItIs } from './look.ts';
import { submit } from './submit.ts';

type Attempt = AttemptAt<'disbursement'>;

export const resolutions = ['succeeded', 'failed', 'cancelled', 'resubmit'] as const;
export type Resolution = (typeof resolutions)[number];

export interface Resolve {
  readonly outcome: Resolution;
  /** Why, in the person's own words; kept with the record. */
  readonly note: string;
  readonly by: string;
}

export type Resolved =
  | { readonly is: 'resolved' }
  /** Upstream says otherwise, or nothing that allows it. */
  | { readonly is: 'contradicted'; readonly upstream: string }
  /** Somebody else is at it, or it does not need review. */
  | { readonly is: 'not now'; readonly because: string }
  | { readonly is: 'no answer'; readonly because: string };

/** What upstream may say for each outcome. Who was paid is never reported as not paid, nor the reverse. */
const allowedAfter: Readonly<Record<Resolution, readonly string[]>> = {
  succeeded: ['success'],
  failed: ['failed', 'created'],
  cancelled: ['created', 'failed'],
  resubmit: ['created'],
};

export async function resolveDisbursement(
  id: string,
  request: Resolve,
  context: ProcessorContext,
): Promise<Resolved> {
  const attempt = await beginAt('disbursement', id, 'status-poll', context);
  if ('outcome' in attempt) return { is: 'not now', because: attempt.reason };
  const { record } = attempt;
  const { state } = record;
  if (isFinal('disbursement', state)) {
    const left = await leaveAsItIs(attempt, context);
    return left.outcome === 'lost' ? TAKEN : { is: 'not now', because: state };
  }
  if (state !== 'needs_review') return letGo(attempt, context, { is: 'not now', because: state }, 0);
  const word = record.token === undefined ? undefined : await ask(attempt, record.token, context);
  if (word !== undefined && 'is' in word) return word;
  return decide(attempt, word?.status, request, context);
}

async function ask(
  attempt: Attempt,
  token: string,
  context: ProcessorContext,
): Promise<{ status: string } | Resolved | undefined> {
  const verdict = await context.upstream.payments.disbursementStatus(attempt.account, { token });
  if (verdict.is === 'ok') {
    // A word about another payment is no word about this one.
    const { disburseId, token: named } = verdict.value;
    const other = mismatchOf(attempt.record, { status: '', token: named, disburseId }) !== undefined;
    return other ? undefined : { status: verdict.value.status };
  }
  const because = verdict.is === 'held' ? verdict.condition : verdict.code;
  return letGo(attempt, context, { is: 'no answer', because });
}

async function decide(
  attempt: Attempt,
  status: string | undefined,
  { outcome, note, by }: Resolve,
  context: ProcessorContext,
): Promise<Resolved> {
  const { record } = attempt;
  // Without a token there is nothing to ask about: the person has looked elsewhere, and says so in the note.
  // Nor does `created` say anything where the disburse_id belongs to a token that we have lost.
  const silent = status === undefined || (status === 'created' && record.idUsed);
  const letsGo = outcome === 'resubmit' && status === undefined && isUnsentCopy(record);
  const allowed = letsGo || (silent ? outcome !== 'resubmit' : allowedAfter[outcome].includes(status));
  if (!allowed) {
    // Its last word is taken by the look that follows at once, not by one that was due tomorrow.
    const upstream = status ?? 'nothing: no token was ever received';
    const dueInMs = status === 'success' || status === 'failed' ? 0 : DAILY_MS;
    return letGo(attempt, context, { is: 'contradicted', upstream }, dueInMs);
  }
  if (status === 'created' && attempt.at < (record.quietUntil ?? 0)) {
    const because = 'in the quiet period after the last send, when "created" proves nothing';
    return letGo(attempt, context, { is: 'not now', because });
  }
  const resolution = { note: note.slice(0, 500), resolvedBy: by };
  if (letsGo) return letGoOn(attempt, resolution, context);
  if (outcome === 'resubmit') {
    const kept = await keep(attempt, context, {
      to: 'needs_review',
      keepMs: context.policy.leaseMs,
      dueInMs: context.policy.leaseMs,
      set: resolution,
      evidence: { operation: RESOLVE, code: 'resubmit', detail: by },
    });
    if (!isApplied(kept)) return TAKEN;
    const sent = await submit(attempt, context);
    if (sent.outcome === 'lost' || sent.outcome === 'waits') return { is: 'not now', because: sent.reason };
    return { is: 'resolved' };
  }
  const finished = await finish(attempt, context, {
    to: outcome,
    dueInMs: outcome === 'succeeded' && record.token ? context.policy.recheckMs[0] : undefined,
    set: { ...NO_LONGER_OF_USE, ...resolution },
    evidence: { operation: RESOLVE, code: outcome, detail: by },
    event: eventOf(record, outcome, { resolvedBy: by }),
    outcome: 'ended',
    reason: outcome,
  });
  return finished.outcome === 'lost' ? TAKEN : { is: 'resolved' };
}

const TAKEN = { is: 'not now', because: 'somebody else changed it' } as const;

/** Nothing is changed, and that is told, unless somebody else has changed it meanwhile. */
async function letGo(
  attempt: Attempt,
  context: ProcessorContext,
  answer: Resolved,
  dueInMs = DAILY_MS,
): Promise<Resolved> {
  const finished = await finish(attempt, context, {
    to: attempt.record.state,
    dueInMs,
    outcome: 'waits',
    reason: answer.is,
  });
  return finished.outcome === 'lost' ? TAKEN : answer;
}

/** It stood in a copy of Redis as not yet sent, and no token of it is known: it begins anew, under its disburse_id. */
function isUnsentCopy({ reason, sends, token }: Attempt['record']): boolean {
  return reason === RESTORED && sends === 0 && token === undefined;
}

/** The person knows that it was never paid. That is the word of a second key, as an approval would be. */
async function letGoOn(
  attempt: Attempt,
  resolution: { readonly note: string; readonly resolvedBy: string },
  context: ProcessorContext,
): Promise<Resolved> {
  const { record, at } = attempt;
  const dueInMs = Math.max(0, (record.notBefore ?? 0) - at);
  const finished = await finish(attempt, context, {
    to: 'queued',
    dueInMs,
    // The time limit counts from the decision: it may have waited for days.
    set: { ...resolution, reason: '', '@approvedAt': 0 },
    evidence: { operation: RESOLVE, code: 'resubmit', detail: resolution.resolvedBy },
    outcome: 'advanced',
    reason: 'resubmit',
  });
  if (finished.outcome === 'lost') return TAKEN;
  if (dueInMs === 0) context.wake('disbursement', record.id, record.rev + 1);
  return { is: 'resolved' };
}

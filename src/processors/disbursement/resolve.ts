/**
 * A person's word about a disbursement that needs review. Upstream is asked first, and its word is stronger: where
 * it says otherwise the person is told so, and nothing is changed.
 */
import type { disbursement } from '../../kinds/disbursement.ts';
import { isFinal } from '../../kinds/index.ts';
import type { Act } from '../../ledger/acts.ts';
import { RESTORED } from '../../ledger/recovery-report.ts';
import { UNDONE, eventOf, named } from '../../operations/transition.ts';
import { type Attempt as AttemptOf, DAILY_MS, NUDGE_INTERVAL_MS, attemptAt } from '../attempt.ts';
import { type AttemptResult, type MoneyContext, waitAt } from '../context.ts';
import { CLAIMED, RESOLVE } from '../intent.ts';
import { mismatchOf } from './judge.ts';
import { NO_LONGER_OF_USE, leaveAsItIs, wasSaidOnce } from './look.ts';
import { submit } from './pay.ts';

type Attempt = AttemptOf<'disbursement'>;

type Resolution = (typeof disbursement.resolve)[number];

export interface Resolve {
  readonly outcome: Resolution;
  /** Why, in the person's own words; kept with the record. */
  readonly note: string;
  /** Of what succeeded: what the service calls it. */
  readonly transactionId?: string | undefined;
  readonly by: string;
  /** As it is told in the audit. */
  readonly act?: Act | undefined;
}

export type Resolved =
  | { readonly is: 'resolved' }
  /** Upstream says otherwise, or nothing that allows it. */
  | { readonly is: 'contradicted'; readonly upstream: string }
  /** What was told as paid ends so or comes back, and nothing else comes back. */
  | { readonly is: 'never'; readonly toldPaid: boolean }
  /** Somebody else is at it, or it does not need review. */
  | { readonly is: 'not now'; readonly because: string }
  /** What it was paid as is another operation's. */
  | { readonly is: 'claimed' }
  | { readonly is: 'no answer'; readonly because: string };

/** What upstream may say for each outcome: what was paid is never reported as not paid, nor the reverse. */
const allowedAfter: Readonly<Record<Resolution, readonly string[]>> = {
  succeeded: ['success'],
  failed: ['failed', 'created'],
  reversed: UNDONE,
  cancelled: ['created', 'failed'],
  resubmit: ['created'],
};

/** What was told as paid did not fail, and is never sent again; what never was cannot come back. */
const AFTER_TOLD_PAID: readonly Resolution[] = ['succeeded', 'reversed'];
const AFTER_NOT_TOLD_PAID: readonly Resolution[] = ['succeeded', 'failed', 'cancelled', 'resubmit'];

export async function resolveDisbursement(id: string, request: Resolve, context: MoneyContext): Promise<Resolved> {
  const about = { kind: 'disbursement', id, queue: 'status-poll' } as const;
  const done = await attemptAt(about, context, (a) => resolve(a, request));
  return 'is' in done ? done : stopped(done);
}

async function resolve(a: Attempt, request: Resolve): Promise<Resolved> {
  const { state, token } = a.record;
  if (isFinal('disbursement', state)) return told(await leaveAsItIs(a), { is: 'not now', because: state });
  if (state !== 'needs_review') return letGo(a, { is: 'not now', because: state }, 0);
  const word = token === undefined ? undefined : await ask(a, token);
  if (word !== undefined && 'is' in word) return word;
  // What the service calls it is stronger too.
  return decide(a, word?.status, { ...request, transactionId: word?.transactionId ?? request.transactionId });
}

interface Word {
  readonly status: string;
  readonly transactionId?: string | undefined;
}

async function ask(a: Attempt, token: string): Promise<Word | Resolved | undefined> {
  // Without a turn: a person waits for the answer.
  const verdict = await a.context.upstream.payments.disbursementStatus(a.account, { token });
  if (verdict.is === 'ok') {
    // A word about another payment is no word about this one.
    const { disburseId, token: tokenNamed, status, transactionId } = verdict.value;
    const other = mismatchOf(a.record, { status: '', token: tokenNamed, disburseId }) !== undefined;
    return other ? undefined : { status, transactionId };
  }
  const because = verdict.is === 'held' ? verdict.condition : verdict.code;
  return letGo(a, { is: 'no answer', because }, waitAt(a.policy.pollMs, a.record.tries));
}

async function decide(a: Attempt, status: string | undefined, word: Resolve): Promise<Resolved> {
  const { outcome, note, by, act, transactionId } = word;
  const { record } = a;
  const { toldPaid } = record;
  const endings = toldPaid ? AFTER_TOLD_PAID : AFTER_NOT_TOLD_PAID;
  if (!endings.includes(outcome)) {
    return letGo(a, { is: 'never', toldPaid });
  }
  // Without a token there is nothing to ask about: the person has looked elsewhere, and says so in the note.
  // Nor does `created`, or `failed`, say anything where the disburse_id belongs to a token that we have lost; where
  // callers were told that it was paid, it was named as paid by this one.
  const lost = !toldPaid && (status === 'created' || status === 'failed') && record.idUsed;
  const silent = status === undefined || lost;
  const letsGo = outcome === 'resubmit' && status === undefined && isUnsentCopy(record);
  // After data was lost it may have been paid with a token that nobody knows any more, and of ours upstream says
  // `created` for ever. A person that names the transaction has seen it.
  const elsewhere = outcome === 'succeeded' && !toldPaid && (lost || (status === 'created' && record.sends > 0));
  const seen = elsewhere && transactionId !== undefined;
  const allowed = letsGo || seen || (silent ? outcome !== 'resubmit' : allowedAfter[outcome].includes(status));
  if (!allowed) {
    // Its last word is taken by the look that follows at once, not by one that was due tomorrow.
    const upstream = status ?? 'nothing: no token was ever received';
    const dueInMs = status === 'success' || status === 'failed' ? 0 : lookIn(a);
    return letGo(a, { is: 'contradicted', upstream }, dueInMs);
  }
  if (status === 'created' && a.at < (record.quietUntil ?? 0)) {
    return letGo(a, {
      is: 'not now',
      because: 'in the quiet period after the last send, when "created" proves nothing',
    });
  }
  const resolution = { note: note.slice(0, 500), resolvedBy: by };
  if (letsGo) return letGoOn(a, resolution, act);
  if (outcome === 'resubmit') {
    const evidence = { operation: RESOLVE, code: 'resubmit', detail: by };
    const kept = await a.keep({ to: 'needs_review', set: resolution, evidence, act }, () => ({}));
    return kept === 'kept' ? stopped(await submit(a)) : TAKEN;
  }
  return endAs(a, { ...word, outcome }, { ...resolution, unpaid: elsewhere ? record.token : undefined });
}

/** `unpaid`: with this token nothing was paid, so nothing that is said of it later is said of the payment. */
async function endAs(
  a: Attempt,
  { outcome, by, act, transactionId }: Resolve & { readonly outcome: Exclude<Resolution, 'resubmit'> },
  {
    unpaid,
    ...resolution
  }: { readonly note: string; readonly resolvedBy: string; readonly unpaid?: string | undefined },
): Promise<Resolved> {
  const { record } = a;
  const comesBack = outcome === 'reversed' ? { late: true } : {};
  const { set, claims } = paidAs({ outcome, transactionId });
  const resolved = { operation: RESOLVE, code: outcome, detail: by };
  const ended = await a.finish({
    to: outcome,
    dueInMs: outcome === 'succeeded' && record.token && !unpaid ? a.policy.recheckMs[0] : undefined,
    // What was posted while upstream was asked is not what it has answered.
    nudgeAfterMs: NUDGE_INTERVAL_MS,
    set: {
      ...NO_LONGER_OF_USE,
      ...resolution,
      ...set,
      ...(comesBack.late ? { late: 1 } : {}),
      ...(unpaid ? { token: '' } : {}),
    },
    claims,
    evidence: unpaid ? [named('token', unpaid), resolved] : resolved,
    event: eventOf(record, outcome, { resolvedBy: by, ...set, ...comesBack }),
    act,
    outcome: 'ended',
    reason: outcome,
  });
  const isOfAnother = ended.reason === CLAIMED;
  if (isOfAnother) return letGo(a, { is: 'claimed' });
  return told(ended, { is: 'resolved' });
}

/**
 * The transaction that a person has read in the dashboard of the service. Without it nothing of a statement would fit
 * what was resolved; and one transaction is one payment.
 */
export function paidAs({ outcome, transactionId }: Pick<Resolve, 'transactionId'> & { readonly outcome: string }): {
  readonly set: Readonly<Record<string, string>>;
  readonly claims?: string;
} {
  if (outcome !== 'succeeded' || !transactionId) return { set: {} };
  return { set: { transactionId }, claims: `transactionId=${transactionId}` };
}

const TAKEN = { is: 'not now', because: 'somebody else changed it' } as const;

/** The answer to the person, unless the record was somebody else's by then. */
function told({ outcome }: AttemptResult, answer: Resolved): Resolved {
  return outcome === 'lost' ? TAKEN : answer;
}

/** What a step or a submit that ended the attempt means for the person: what waits has not been sent. */
function stopped(result: AttemptResult): Resolved {
  const { outcome, reason } = result;
  if (outcome === 'waits' || outcome === 'idle') return { is: 'not now', because: reason };
  return told(result, { is: 'resolved' });
}

/** Nobody has looked since something was posted. */
const isCalledFor = ({ hintedAt = 0, updatedAt }: Attempt['record']): boolean => hintedAt >= updatedAt;

/** A look that was called for, or that is to hear a word for the second time, is not put off: nothing was heard here. */
function lookIn({ record, policy }: Attempt): number {
  return wasSaidOnce(record) || isCalledFor(record) ? waitAt(policy.pollMs, record.tries) : DAILY_MS;
}

/** Nothing is changed, and that is told, unless somebody else has changed it meanwhile. What was posted stays unheard. */
async function letGo(a: Attempt, answer: Resolved, dueInMs = lookIn(a)): Promise<Resolved> {
  const { record } = a;
  const set = isCalledFor(record) ? { '@hintedAt': 0 } : {};
  return told(await a.finish({ to: record.state, dueInMs, set, outcome: 'waits', reason: answer.is }), answer);
}

/** The restored ledger has it as not yet sent, without a token: it starts again, under its disburse_id. */
function isUnsentCopy({ reason, sends, token }: Attempt['record']): boolean {
  return reason === RESTORED && sends === 0 && token === undefined;
}

/** The person knows that it was never paid. That is the word of a second key, as an approval would be. */
async function letGoOn(
  a: Attempt,
  resolution: { readonly note: string; readonly resolvedBy: string },
  act: Act | undefined,
): Promise<Resolved> {
  const { record, at, context } = a;
  const dueInMs = Math.max(0, (record.notBefore ?? 0) - at);
  const ended = await a.finish({
    to: 'queued',
    dueInMs,
    // The time limit counts from the decision: it may have waited for days.
    set: { ...resolution, reason: '', '@approvedAt': 0 },
    evidence: { operation: RESOLVE, code: 'resubmit', detail: resolution.resolvedBy },
    act,
    outcome: 'advanced',
    reason: 'resubmit',
  });
  if (ended.outcome !== 'lost' && dueInMs === 0) context.wake('disbursement');
  return told(ended, { is: 'resolved' });
}

/**
 * An operator's decision about a disbursement that needs review. The provider is asked first and takes precedence: if
 * its status contradicts the decision, the operator is informed and nothing changes.
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
  /** The operator's reason, stored with the record. */
  readonly note: string;
  /** For a success: the provider's transaction id. */
  readonly transactionId?: string | undefined;
  readonly by: string;
  /** The entry of the audit log. */
  readonly act?: Act | undefined;
}

export type Resolved =
  | { readonly is: 'resolved' }
  /** The provider's status contradicts or does not support the decision. */
  | { readonly is: 'contradicted'; readonly upstream: string }
  /** A payment that was reported as paid can only succeed or be returned; no other payment can be returned. */
  | { readonly is: 'never'; readonly toldPaid: boolean }
  /** Another attempt has the lease, or the payment does not need review. */
  | { readonly is: 'not now'; readonly because: string }
  /** The transaction id belongs to another operation. */
  | { readonly is: 'claimed' }
  | { readonly is: 'no answer'; readonly because: string };

/** Provider statuses that allow each outcome. A paid payment is never reported as unpaid, or the reverse. */
const allowedAfter: Readonly<Record<Resolution, readonly string[]>> = {
  succeeded: ['success'],
  failed: ['failed', 'created'],
  reversed: UNDONE,
  cancelled: ['created', 'failed'],
  resubmit: ['created'],
};

/**
 * A payment that was reported as paid cannot fail and is never sent again. A payment that was never reported as paid
 * cannot be returned.
 */
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
  // The provider's transaction id takes precedence too.
  return decide(a, word?.status, { ...request, transactionId: word?.transactionId ?? request.transactionId });
}

interface Word {
  readonly status: string;
  readonly transactionId?: string | undefined;
}

async function ask(a: Attempt, token: string): Promise<Word | Resolved | undefined> {
  // Without a permit of the rate limit: an operator waits for the answer.
  const verdict = await a.context.upstream.payments.disbursementStatus(a.account, { token });
  if (verdict.is === 'ok') {
    // An answer about another payment says nothing about this one.
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
  // Without a token the provider cannot be asked: the operator checked elsewhere and explains it in the note. Also,
  // `created` and `failed` prove nothing if the disburse_id belongs to a lost token. If the payment was reported as
  // paid, an answer named it with this token.
  const lost = !toldPaid && (status === 'created' || status === 'failed') && record.idUsed;
  const silent = status === undefined || lost;
  const letsGo = outcome === 'resubmit' && status === undefined && isUnsentCopy(record);
  // After a data loss the payment may have been made with a lost token, and the provider returns `created` for ours
  // for ever. An operator who names the transaction has seen it.
  const elsewhere = outcome === 'succeeded' && !toldPaid && (lost || (status === 'created' && record.sends > 0));
  const seen = elsewhere && transactionId !== undefined;
  const allowed = letsGo || seen || (silent ? outcome !== 'resubmit' : allowedAfter[outcome].includes(status));
  if (!allowed) {
    // The status check that follows at once records the provider's final status, not a check that is due tomorrow.
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

/** `unpaid`: nothing was paid with this token, so later answers about the token are not about this payment. */
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
    // The answer may predate a callback that arrived meanwhile.
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
 * The transaction id that an operator read in the provider's dashboard. Without it, reconciliation cannot match the
 * payment. One transaction belongs to one payment.
 */
export function paidAs({ outcome, transactionId }: Pick<Resolve, 'transactionId'> & { readonly outcome: string }): {
  readonly set: Readonly<Record<string, string>>;
  readonly claims?: string;
} {
  if (outcome !== 'succeeded' || !transactionId) return { set: {} };
  return { set: { transactionId }, claims: `transactionId=${transactionId}` };
}

const TAKEN = { is: 'not now', because: 'somebody else changed it' } as const;

/** The answer to the operator, unless another attempt has taken the record. */
function told({ outcome }: AttemptResult, answer: Resolved): Resolved {
  return outcome === 'lost' ? TAKEN : answer;
}

/** Translates a step or submit that ended the attempt: a payment that waits has not been sent. */
function stopped(result: AttemptResult): Resolved {
  const { outcome, reason } = result;
  if (outcome === 'waits' || outcome === 'idle') return { is: 'not now', because: reason };
  return told(result, { is: 'resolved' });
}

/** No status check since the last callback. */
const isCalledFor = ({ hintedAt = 0, updatedAt }: Attempt['record']): boolean => hintedAt >= updatedAt;

/** A requested check, or one that confirms a status, is not postponed: the provider gave no answer here. */
function lookIn({ record, policy }: Attempt): number {
  return wasSaidOnce(record) || isCalledFor(record) ? waitAt(policy.pollMs, record.tries) : DAILY_MS;
}

/** Reports that nothing was changed, unless another attempt has changed the record. Callbacks stay pending. */
async function letGo(a: Attempt, answer: Resolved, dueInMs = lookIn(a)): Promise<Resolved> {
  const { record } = a;
  const set = isCalledFor(record) ? { '@hintedAt': 0 } : {};
  return told(await a.finish({ to: record.state, dueInMs, set, outcome: 'waits', reason: answer.is }), answer);
}

/** The restored record was not submitted and has no token: it starts again, with the same disburse_id. */
function isUnsentCopy({ reason, sends, token }: Attempt['record']): boolean {
  return reason === RESTORED && sends === 0 && token === undefined;
}

/** An operator confirms that the payment was never made. The confirmation acts as the approval of a second person. */
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
    // The time limit starts at the decision, which may come days later.
    set: { ...resolution, reason: '', '@approvedAt': 0 },
    evidence: { operation: RESOLVE, code: 'resubmit', detail: resolution.resolvedBy },
    act,
    outcome: 'advanced',
    reason: 'resubmit',
  });
  if (ended.outcome !== 'lost' && dueInMs === 0) context.wake('disbursement');
  return told(ended, { is: 'resolved' });
}

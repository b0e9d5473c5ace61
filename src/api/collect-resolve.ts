/**
 * An operator's decision about an operation that needs review. If the provider can be asked, it is asked first and
 * takes precedence.
 */
import { z } from 'zod';
import { operations as declared, type StateOf, queueOf } from '../kinds/index.ts';
import type { Act } from '../ledger/acts.ts';
import type { RecordAt } from '../operations/record.ts';
import { type Announced, type CollectKind, eventOf } from '../operations/transition.ts';
import { DAILY_MS, NUDGE_INTERVAL_MS, type Tried } from '../processors/attempt.ts';
import type { MoneyContext } from '../processors/context.ts';
import { paidAs } from '../processors/disbursement/resolve.ts';
import { type ApiContext } from './context.ts';
import { requireAnother } from './gates.ts';
import { type ApiKey, personOf } from './keys.ts';
import { capitalised } from './openapi/answers-shared.ts';
import { identityText } from '../kinds/request-pieces.ts';
import { json, type AnyAsked } from './route.ts';
import { ApiProblem, invalid } from './problem.ts';
import { upstreamProblem } from './upstream-problem.ts';
import { message } from '../messages/message.ts';

type OutcomeOf<K extends CollectKind> = (typeof declared)[K]['resolve'][number] & StateOf<K> & Announced<K>;

/** Outgoing money is a line in the statement of the provider or a bank, where its transaction id identifies it. */
export const paidOut = {
  transactionId: identityText(128).optional().meta({
    description: 'With `succeeded`: the transaction id of the provider, used by `relais reconcile`.',
    example: 'TX-20261121-0042',
  }),
} as const;

/** An operator's decision about one operation, or many. */
export function wordAbout<const K extends CollectKind | 'disbursement'>(kind: K) {
  const outcomes: (typeof declared)[K]['resolve'] = declared[kind].resolve;
  return {
    outcome: z.enum(outcomes).meta({ description: 'The final state, or the next action.' }),
    note: z.string().trim().min(3).max(500).meta({
      description: 'The evidence for the outcome; stored with the record.',
      example: 'Seen in the dashboard',
    }),
  };
}

/** The declaration for every kind, with its own outcomes; `more` applies to one kind. */
export function resolutionOf<const K extends CollectKind | 'disbursement', const More extends z.ZodRawShape>(
  kind: K,
  more: More,
) {
  const body = z.strictObject({ ...wordAbout(kind), ...more });
  return {
    method: 'post',
    summary: `Resolve ${kind === 'invoice' ? 'an' : 'a'} ${kind.replace('_', ' ')} that needs review`,
    role: 'approve',
    scope: 'record',
    body: json(body.meta({ id: `${capitalised(kind)}Resolution` })),
  } as const;
}

interface AskedToResolve<K extends CollectKind> extends Pick<AnyAsked, 'act'> {
  readonly context: ApiContext;
  readonly key: ApiKey;
  readonly record: RecordAt<K>;
  readonly again: () => Promise<RecordAt<K>>;
  readonly body: {
    readonly outcome: OutcomeOf<K>;
    readonly note: string;
    readonly transactionId?: string | undefined;
  };
}

export function requirePaid({
  outcome,
  transactionId,
}: {
  outcome: string;
  transactionId?: string | undefined;
}): void {
  if (transactionId === undefined || outcome === 'succeeded') return;
  throw invalid([{ pointer: '/transactionId', message: message('only_with_succeeded', { outcome }) }]);
}

/** One transaction is one payment: another operation's transaction proves nothing about this one. */
export function refusedClaim(by?: string): ApiProblem {
  const detail = message('transaction_taken', { by: by ?? 'another operation' });
  return new ApiProblem('wrong-state', detail, { rule: 'identity', ...(by ? { existingId: by } : {}) });
}

/** Asks the provider; absent if no status check is possible. */
type Advance = (id: string, processing: MoneyContext) => Promise<Tried>;

/** The record at the decision. */
export async function resolve<K extends CollectKind>(
  { context, key, record, again, body, act }: AskedToResolve<K>,
  advance?: Advance,
): Promise<RecordAt<K>> {
  await requireAnother(context, key, record.by, 'another_person_asked');
  requireReview(record.state);
  requirePaid(body);
  const tried = await advance?.(record.id, context.processing);
  const looked = await again();
  refuseWhatUpstreamSays(looked, tried);
  await takeWord(context, looked, { ...body, by: personOf(key), act: act(record.id) });
  return again();
}

/** The provider's status is unknown, so no decision is accepted: a payment may be in progress. */
function notNow(state: string, because: string): ApiProblem {
  const detail = message('provider_not_asked_later', { why: because });
  return new ApiProblem('wrong-state', detail, { state, retryable: true });
}

/** An old answer must not look current. */
export function requireAsked(state: string, tried: Tried): void {
  if (!tried.asked || tried.outcome === 'lost') throw notNow(state, tried.reason);
}

/** No status check runs while a decision is written. Absent if the kind has no status check. */
async function leaseOf(
  { operations, processing }: ApiContext,
  { kind, id, state }: { readonly kind: CollectKind; readonly id: string; readonly state: string },
): Promise<string | undefined> {
  const queue = queueOf(kind, 'needs_review');
  if (queue === undefined) return undefined;
  const acquired = await operations.acquire(kind, id, queue, processing.policy.leaseMs);
  if (acquired.is === 'acquired') return acquired.lease;
  throw notNow(state, acquired.is);
}

function requireReview(state: string): void {
  if (state === 'needs_review') return;
  throw new ApiProblem('wrong-state', message('no_review_of', { state }), { state });
}

function refuseWhatUpstreamSays({ id, state }: { readonly id: string; readonly state: string }, tried?: Tried): void {
  if (tried?.failure) throw upstreamProblem(tried.failure, { id, state: 'needs_review', retryable: true });
  if (tried) requireAsked(state, tried);
  if (state === 'needs_review') return;
  const detail = message('provider_reports_only', { state });
  throw new ApiProblem('wrong-state', detail, { rule: 'upstream', state });
}

interface Word<K extends CollectKind> {
  readonly outcome: OutcomeOf<K>;
  readonly note: string;
  readonly transactionId?: string | undefined;
  /** The person who decided. */
  readonly by: string;
  readonly act: Act;
}

/** An invoice continues by itself; other kinds with a status check get one more. */
function lookedAtIn(kind: CollectKind, outcome: string): number | undefined {
  if (queueOf(kind, outcome) === undefined) return undefined;
  return kind === 'invoice' ? NUDGE_INTERVAL_MS : DAILY_MS;
}

/** An invoice is accepted as paid by the amount in the provider's latest answer. */
function lessPaid({ amountNamed }: { readonly id: string; readonly amountNamed?: number }): {
  readonly amountPaid?: number;
} {
  return amountNamed === undefined ? {} : { amountPaid: amountNamed };
}

async function takeWord<K extends CollectKind>(
  context: ApiContext,
  record: RecordAt<K>,
  { outcome, note, transactionId, by, act }: Word<K>,
): Promise<void> {
  requireReview(record.state);
  const lease = await leaseOf(context, record);
  const { set, claims } = paidAs({ outcome, transactionId });
  const paid = outcome === 'completed' ? lessPaid(record) : {};
  const settled = await context.operations.transition<K>(record, lease, {
    to: outcome,
    // This lease made no check, and a payer can return until the end of the lifetime: a cancelled invoice is checked.
    dueInMs: lookedAtIn(record.kind, outcome),
    set: { note, resolvedBy: by, ...set, ...paid },
    claims,
    evidence: { operation: 'resolve', code: outcome, detail: by },
    event: eventOf<K>(record, outcome, { resolvedBy: by, ...set, ...paid }),
    act,
  });
  if (settled.is === 'claimed') throw refusedClaim(settled.by);
  if (settled.is !== 'not yours') return;
  requireReview(settled.state);
  throw notNow(settled.state, settled.is);
}

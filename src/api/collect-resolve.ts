/** A person's word about what needs review. Where upstream can be asked it is asked first, and its word is stronger. */
import type { Router } from 'express';
import { z } from 'zod';
import { queueOf } from '../operations/lifecycle.ts';
import type { RecordBase, RecordOf } from '../operations/record.ts';
import type { Change } from '../operations/settle.ts';
import type { CollectKind, Tried } from '../processors/attempt.ts';
import type { Bench } from '../processors/bench.ts';
import { directCreditEvent } from '../processors/direct-credit-event.ts';
import { invoiceEvent } from '../processors/invoice-event.ts';
import { paymentRequestEvent } from '../processors/payment-request-event.ts';
import { problemsOf } from '../producer/problems.ts';
import { type ApiContext, findRecord, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { upstreamProblem } from './upstream-problem.ts';

type Outcome = 'completed' | 'succeeded' | 'cancelled' | 'failed';

interface Resolvable<K extends CollectKind> {
  readonly kind: K;
  readonly outcomes: readonly [Outcome, ...Outcome[]];
  /** Asks upstream; absent where there is nothing to ask. */
  readonly advance?: (id: string, bench: Bench) => Promise<Tried>;
  readonly view: (record: RecordOf[K]) => object;
}

/** The same for every kind, but for the outcomes that it has. */
export function resolveBodyOf<const O extends readonly [Outcome, ...Outcome[]]>(outcomes: O) {
  return z.strictObject({
    outcome: z.enum(outcomes),
    note: z.string().trim().min(3).max(500).meta({ example: 'Seen in the dashboard' }),
  });
}

export function addResolve<K extends CollectKind>(router: Router, context: ApiContext, how: Resolvable<K>): void {
  const body = resolveBodyOf(how.outcomes);

  router.post('/:id/resolve', async (request, response) => {
    const key = requireRole(response, 'approve');
    const record = await findRecord(context, key, how.kind, request.params.id);
    const parsed = body.safeParse(request.body ?? {});
    if (!parsed.success) throw invalid(problemsOf(parsed.error));
    if (record.fields['by'] === key.name) {
      throw new ApiProblem('forbidden', `The key "${key.name}" asked for it; another key must decide.`);
    }
    requireReview(record.state);
    await askFirst(context, key, record.id, how);
    await settle(context, key, await findRecord(context, key, how.kind, record.id), parsed.data);
    response.json(how.view(await findRecord(context, key, how.kind, record.id)));
  });
}

/** What upstream would say is not known, so nobody's word is taken: it may be paid at this moment. */
function notNow(state: string, because: string): ApiProblem {
  const detail = `Not now: upstream could not be asked about it (${because}). Nothing was changed; try again.`;
  return new ApiProblem('wrong-state', detail, { state, retryable: true });
}

/** Nobody looks while a person's word is written down. Absent where there is nothing to look at. */
async function leaseOf(
  { operations, bench }: ApiContext,
  record: RecordOf[CollectKind],
): Promise<string | undefined> {
  const queue = queueOf(record.kind, 'needs_review');
  if (queue === undefined) return undefined;
  const acquired = await operations.acquire(record.kind, record.id, queue, bench.policy.leaseMs);
  if (acquired.is === 'acquired') return acquired.lease;
  throw notNow(record.state, acquired.is);
}

function requireReview(state: string): void {
  if (state === 'needs_review') return;
  throw new ApiProblem('wrong-state', `It is ${state}: it does not wait for a person.`, { state });
}

async function askFirst<K extends CollectKind>(
  context: ApiContext,
  key: ApiKey,
  id: string,
  { kind, advance }: Resolvable<K>,
): Promise<void> {
  const tried = await advance?.(id, context.bench);
  if (tried?.failure) throw upstreamProblem(tried.failure, { id, state: 'needs_review', retryable: true });
  const { state } = await findRecord(context, key, kind, id);
  if (tried && (!tried.asked || tried.did === 'lost')) throw notNow(state, tried.because);
  if (state === 'needs_review') return;
  throw new ApiProblem('wrong-state', `Upstream says: ${state}. Its word is stronger; nothing else was changed.`, {
    state,
  });
}

async function settle(
  context: ApiContext,
  key: ApiKey,
  record: RecordOf[CollectKind],
  { outcome, note }: { outcome: Outcome; note: string },
): Promise<void> {
  const change = {
    to: outcome,
    set: { note, resolvedBy: key.name },
    evidence: { operation: 'resolve', code: outcome, detail: key.name },
    event: eventOf(record, outcome, { resolvedBy: key.name }),
  } as unknown as Change<CollectKind>;
  requireReview(record.state);
  const lease = await leaseOf(context, record);
  const settled = await context.operations.settle(record as RecordBase<CollectKind>, lease, change);
  if (settled.is !== 'not yours') return;
  requireReview(settled.state);
  throw notNow(settled.state, settled.is);
}

/** The routes allow only outcomes that the kind has. */
function eventOf(record: RecordOf[CollectKind], outcome: Outcome, more: { resolvedBy: string }) {
  if (record.kind === 'invoice') return invoiceEvent(record, outcome as 'completed', more);
  if (record.kind === 'payment_request') return paymentRequestEvent(record, outcome as 'completed', more);
  return directCreditEvent(record, outcome as 'succeeded', more);
}

/** A person's word about what needs review. Where upstream can be asked it is asked first, and its word is stronger. */
import type { Router } from 'express';
import { z } from 'zod';
import { queueOf } from '../kinds/states.ts';
import type { StateOf } from '../kinds/index.ts';
import type { RecordAt, RecordOf } from '../operations/record.ts';
import { type Announced, type CollectKind, eventOf } from '../processors/announced.ts';
import type { Tried } from '../processors/attempt.ts';
import type { ProcessorContext } from '../processors/context.ts';
import { problemsOf } from '../producer/problems.ts';
import { type ApiContext, findRecord, requireKept, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { upstreamProblem } from './upstream-problem.ts';

export type Outcome = 'completed' | 'succeeded' | 'cancelled' | 'failed';

/** Those that a kind has. */
type OutcomeOf<K extends CollectKind> = Outcome & StateOf<K> & Announced<K>;

export interface Resolvable<K extends CollectKind> {
  readonly kind: K;
  readonly outcomes: readonly [OutcomeOf<K>, ...OutcomeOf<K>[]];
  /** Asks upstream; absent where there is nothing to ask. */
  readonly advance?: (id: string, processing: ProcessorContext) => Promise<Tried>;
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
    await takeWord(context, await findRecord(context, key, how.kind, record.id), { ...parsed.data, by: key.name });
    await requireKept(context);
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
  throw new ApiProblem('wrong-state', `It is ${state}: it does not wait for a person.`, { state });
}

async function askFirst<K extends CollectKind>(
  context: ApiContext,
  key: ApiKey,
  id: string,
  { kind, advance }: Resolvable<K>,
): Promise<void> {
  const tried = await advance?.(id, context.processing);
  if (tried?.failure) throw upstreamProblem(tried.failure, { id, state: 'needs_review', retryable: true });
  const { state } = await findRecord(context, key, kind, id);
  if (tried && (!tried.asked || tried.outcome === 'lost')) throw notNow(state, tried.reason);
  if (state === 'needs_review') return;
  throw new ApiProblem('wrong-state', `Upstream says: ${state}. Its word is stronger; nothing else was changed.`, {
    state,
  });
}

interface Word<K extends CollectKind> {
  readonly outcome: OutcomeOf<K>;
  readonly note: string;
  /** The key of whoever says so. */
  readonly by: string;
}

async function takeWord<K extends CollectKind>(
  context: ApiContext,
  record: RecordAt<K>,
  { outcome, note, by }: Word<K>,
): Promise<void> {
  requireReview(record.state);
  const lease = await leaseOf(context, record);
  const settled = await context.operations.transition<K>(record, lease, {
    to: outcome,
    set: { note, resolvedBy: by },
    evidence: { operation: 'resolve', code: outcome, detail: by },
    event: eventOf<K>(record, outcome, { resolvedBy: by }),
  });
  if (settled.is !== 'not yours') return;
  requireReview(settled.state);
  throw notNow(settled.state, settled.is);
}

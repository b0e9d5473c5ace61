/** Creating while the caller waits: record first, then upstream, then the answer. A repeated request goes on. */
import type { Request, Response } from 'express';
import type { RecordOf } from '../operations/record.ts';
import type { Tried } from '../processors/attempt.ts';
import type { ProcessorContext } from '../processors/context.ts';
import type { Answer } from '../producer/acceptance.ts';
import {
  type ApiContext,
  findRecord,
  idempotencyKey,
  requireAccount,
  requireOpen,
  requireRole,
  takeAnswer,
} from './context.ts';
import { ApiProblem } from './problem.ts';
import { problemOfCode, upstreamProblem } from './upstream-problem.ts';

type Created = 'invoice' | 'payment_request';

export interface Creation<K extends Created> {
  readonly kind: K;
  readonly accept: (body: unknown, idempotencyKey: string | undefined) => Promise<Answer>;
  readonly advance: (id: string, processing: ProcessorContext) => Promise<Tried>;
  readonly view: (record: RecordOf[K]) => object;
}

export async function createWhileWaiting<K extends Created>(
  context: ApiContext,
  request: Request,
  response: Response,
  { kind, accept, advance, view }: Creation<K>,
): Promise<void> {
  const key = requireRole(response, 'enqueue');
  requireAccount(key, request.body);
  requireOpen(context, response);
  const answer = takeAnswer(await accept(request.body, idempotencyKey(request)));
  if (answer.outcome === 'duplicate') response.set('Idempotency-Replayed', 'true');
  const tried = answer.state === 'creating' ? await advance(answer.id, context.processing) : undefined;
  const record = await findRecord(context, key, kind, answer.id);
  const unmade = unmadeOf(record, tried);
  if (unmade) throw unmade;
  response.status(record.state === 'creating' ? 202 : 201).json(view(record));
}

/** Why there is nothing to hand out; undefined where there is, or where somebody is still at it. */
function unmadeOf(record: RecordOf[Created], tried: Tried | undefined): ApiProblem | undefined {
  if (record.publishedAt !== undefined) return undefined;
  const { id, state } = record;
  const creating = state === 'creating';
  if (tried?.failure) return upstreamProblem(tried.failure, { id, state, retryable: creating });
  if (creating) return undefined;
  const message = record.failure;
  return problemOfCode(record.reason ?? '', { id, state, retryable: false, ...(message ? { message } : {}) });
}

/** Looks now, for a caller who would rather not wait for the next look. */
export async function lookWhileWaiting<K extends Created>(
  context: ApiContext,
  request: Request,
  response: Response,
  { kind, advance, view }: Omit<Creation<K>, 'accept'>,
): Promise<void> {
  const key = requireRole(response, 'enqueue');
  const { id: asked } = request.params;
  const { id, publishedAt, state } = await findRecord(
    context,
    key,
    kind,
    typeof asked === 'string' ? asked : undefined,
  );
  if (publishedAt === undefined) {
    throw new ApiProblem('wrong-state', `It is ${state}: there is nothing to ask about.`, { state });
  }
  const { failure } = await advance(id, context.processing);
  const record = await findRecord(context, key, kind, id);
  if (failure) throw upstreamProblem(failure, { id, state: record.state, retryable: true });
  response.json(view(record));
}

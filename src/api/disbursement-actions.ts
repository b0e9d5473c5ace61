/** What people do to a disbursement: approve, cancel, resolve. Each leaves its author in the record. */
import { type Router } from 'express';
import { z } from 'zod';
import type { StateOf } from '../kinds/index.ts';
import { describeLimit } from '../operations/limits.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import { eventOf } from '../processors/announced.ts';
import { type Resolved, resolutions } from '../processors/resolve.ts';
import { problemsOf } from '../producer/problems.ts';
import { type ApiContext, findRecord, requireKept, requireNoRecovery, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { disbursementView } from './views.ts';

/** Upstream offers no cancellation: what may have been submitted cannot be called back. */
const CANCELLABLE: readonly StateOf<'disbursement'>[] = ['awaiting_approval', 'queued', 'held', 'created'];

export const resolveBody = z
  .strictObject({
    outcome: z.enum(resolutions),
    note: z.string().trim().min(3).max(500).meta({ example: 'Seen in the dashboard' }),
  })
  .meta({ id: 'DisbursementResolution' });

export function addDisbursementActions(router: Router, context: ApiContext): void {
  router.post('/:id/cancel', async (request, response) => {
    const key = requireRole(response, 'enqueue');
    const record = await findRecord(context, key, 'disbursement', request.params.id);
    if (record.state !== 'cancelled') await cancel(context, key, record);
    // Asked again after an answer that was not kept, it is as asked already, and may still not be kept.
    await context.operations.awaitReplicated(record.id, { state: 'cancelled' });
    response.json(disbursementView(await findRecord(context, key, 'disbursement', record.id)));
  });

  router.post('/:id/approve', async (request, response) => {
    const key = requireRole(response, 'approve');
    await requireNoRecovery(context, response);
    const record = await findRecord(context, key, 'disbursement', request.params.id);
    if (record.state === 'awaiting_approval') await approve(context, key, record);
    else if (record.fields['approvedBy'] !== key.name) throw notPossible(record.state, 'there is nothing to approve');
    await context.operations.awaitReplicated(record.id, { approvedBy: key.name });
    response.json(disbursementView(await findRecord(context, key, 'disbursement', record.id)));
  });

  router.post('/:id/resolve', async (request, response) => {
    const key = requireRole(response, 'approve');
    const record = await findRecord(context, key, 'disbursement', request.params.id);
    const body = resolveBody.safeParse(request.body ?? {});
    if (!body.success) throw invalid(problemsOf(body.error));
    refuseOwn(key, record);
    if (body.data.outcome === 'resubmit') await requireNoRecovery(context, response);
    takeResolved(await context.resolve(record.id, { ...body.data, by: key.name }));
    await requireKept(context);
    response.json(disbursementView(await findRecord(context, key, 'disbursement', record.id)));
  });
}

async function cancel(context: ApiContext, key: ApiKey, record: DisbursementRecord): Promise<void> {
  if (!CANCELLABLE.includes(record.state)) throw tooLate(record.state);
  const settled = await context.operations.transition(record, undefined, {
    to: 'cancelled',
    set: { reason: 'cancelled_by_caller' },
    evidence: { operation: 'cancel', code: 'by', detail: key.name },
    event: eventOf(record, 'cancelled'),
  });
  if (settled.is === 'not yours') throw tooLate(settled.state);
}

async function approve(context: ApiContext, key: ApiKey, record: DisbursementRecord): Promise<void> {
  refuseOwn(key, record);
  // It was accepted under the limit of its day, and leaves under that of today.
  const { MAX_DISBURSEMENT: most } = await context.limits.inForce();
  if (most !== undefined && record.amount > most) {
    throw new ApiProblem('wrong-state', `Its amount ${describeLimit('MAX_DISBURSEMENT', String(most))}.`);
  }
  const waitMs = Math.max(0, (record.notBefore ?? 0) - context.clock.now());
  const settled = await context.operations.transition(record, undefined, {
    to: 'queued',
    // What may not be sent yet waits in the due index until it may.
    dueInMs: waitMs,
    set: { approvedBy: key.name, '@approvedAt': 0 },
    evidence: { operation: 'approve', code: 'by', detail: key.name },
  });
  if (settled.is === 'not yours') throw notPossible(settled.state, 'there is nothing to approve');
  if ('rev' in settled && waitMs === 0) context.wake('disbursement', record.id, settled.rev);
}

/** Four eyes: nobody approves or resolves what they asked for themselves. */
function refuseOwn(key: ApiKey, record: DisbursementRecord): void {
  if (record.fields['by'] !== key.name) return;
  throw new ApiProblem('forbidden', `The key "${key.name}" asked for it; another key must decide.`);
}

function takeResolved(resolved: Resolved): void {
  if (resolved.is === 'resolved') return;
  if (resolved.is === 'contradicted') {
    throw new ApiProblem(
      'wrong-state',
      `Upstream says: ${resolved.upstream}. Its word is stronger; nothing was changed.`,
      {
        upstream: resolved.upstream,
      },
    );
  }
  if (resolved.is === 'no answer') {
    throw new ApiProblem(
      'no-answer',
      `Upstream could not be asked (${resolved.because}); nothing was changed. Try again.`,
    );
  }
  throw notPossible(resolved.because, 'it does not wait for a person, or somebody is at it');
}

function tooLate(state: string): ApiProblem {
  return notPossible(state, 'only what was never submitted can be cancelled');
}

function notPossible(state: string, why: string): ApiProblem {
  return new ApiProblem('wrong-state', `It is ${state}: ${why}.`, { state });
}

/** Files of disbursements over HTTP: uploaded by one key, approved by another, reported row by row. */
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Finding, Findings } from '../kinds/batch.ts';
import type { BatchRecord } from '../operations/record.ts';
import type { StateOf } from '../kinds/index.ts';
import { APPROVE_WITHIN_MS } from '../operations/batch-record.ts';
import { accountOf, BatchDoor } from '../producer/batch/door.ts';
import { readBatchFile } from '../producer/batch/read-file.ts';
import { progressOf } from '../producer/batch/report.ts';
import { problemsOf } from '../producer/problems.ts';
import { BatchAdvisor } from './batch-advice.ts';
import { bytesOf, readingOf } from './batch-body.ts';
import { sendReport } from './batch-report.ts';
import {
  type ApiContext,
  findRecord,
  idempotencyKey,
  queryText,
  requireAccount,
  requireNoRecovery,
  requireOpen,
  requireRole,
} from './context.ts';
import { jsonBodies } from './json-body.ts';
import type { ApiKey } from './keys.ts';
import { APPROVAL_MAX } from './openapi/pieces.ts';
import { ApiProblem, invalid } from './problem.ts';

export const approval = z
  .strictObject({
    contentHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 in hex')
      .meta({ example: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c' }),
  })
  .meta({ id: 'BatchApproval' });

export function batchRoutes(context: ApiContext): Router {
  const router = Router();
  const door = new BatchDoor({
    batches: context.batches,
    limits: context.limits,
    environment: context.environment,
    accounts: new Set(context.accountNames),
    extraWithdrawModes: context.extraWithdrawModes,
    now: () => context.clock.now(),
  });
  const advisor = new BatchAdvisor(context);

  router.post('/', (request, response) => upload(context, { door, advisor }, { request, response }));

  router.get('/:id', async (request, response) => {
    const key = requireRole(response, 'read');
    await answer(context, key, { id: request.params.id, response, advisor });
  });

  router.get('/:id/report', async (request, response) => {
    const key = requireRole(response, 'read');
    const record = await findRecord(context, key, 'batch', request.params.id);
    await sendReport(record, context.batches, { request, response });
  });

  router.post('/:id/approve', jsonBodies(APPROVAL_MAX), async (request, response) => {
    const key = requireRole(response, 'approve');
    const record = await findRecord(context, key, 'batch', String(request.params['id']));
    const body = approval.safeParse(request.body ?? {});
    if (!body.success) throw invalid(problemsOf(body.error));
    requireOpen(context, response);
    await requireNoRecovery(context, response);
    await approve(context, door, { record, key, contentHash: body.data.contentHash });
    await context.operations.awaitReplicated(record.id, { approvedBy: key.name });
    await answer(context, key, { id: record.id, response, advisor });
  });

  router.post('/:id/cancel', async (request, response) => {
    const key = requireRole(response, 'enqueue');
    const record = await findRecord(context, key, 'batch', request.params.id);
    await cancel(context, key, record);
    await context.operations.awaitReplicated(record.id, { state: 'cancelled' });
    await answer(context, key, { id: record.id, response, advisor });
  });

  return router;
}

async function answer(
  context: ApiContext,
  key: ApiKey,
  { id, response, advisor, status = 200 }: { id: string; response: Response; advisor: BatchAdvisor; status?: number },
): Promise<void> {
  const record = await findRecord(context, key, 'batch', id);
  const [advice, states] = await Promise.all([advisor.adviceOn(record), progressOf(record, context.batches)]);
  response.status(status).json({ ...batchView(record, advice), states });
}

async function upload(
  context: ApiContext,
  { door, advisor }: { readonly door: BatchDoor; readonly advisor: BatchAdvisor },
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const key = requireRole(response, 'enqueue');
  requireOpen(context, response);
  const asked = queryText(request, 'account', /^[a-z][a-z0-9_-]{0,31}$/);
  const reading = readingOf(request);
  const given = idempotencyKey(request);
  const file = await readBatchFile(await bytesOf(request, response), reading);
  const account = accountOf(file, asked);
  requireAccount(key, { account });
  if (!context.accountNames.includes(account)) {
    const message = `is not one of the accounts here: ${context.accountNames.join(', ')}`;
    throw invalid([{ pointer: '/account', message }]);
  }
  const accepted = await door.accept(file, { account, by: key.name, idempotencyKey: given });
  if (accepted.outcome === 'open') {
    const detail = `The same bytes are ${accepted.id}, which is still open: approve or cancel that one.`;
    throw new ApiProblem('conflict', detail, { existingId: accepted.id });
  }
  if (accepted.outcome === 'conflict') {
    const detail = `It stands for ${accepted.id}, whose bytes were others; send another Idempotency-Key.`;
    throw new ApiProblem('conflict', detail, { existingId: accepted.id });
  }
  if (accepted.outcome === 'duplicate') response.set('Idempotency-Replayed', 'true');
  await answer(context, key, { id: accepted.id, response, advisor, status: 201 });
}

interface Approval {
  readonly record: BatchRecord;
  readonly key: ApiKey;
  readonly contentHash: string;
}

/** Exactly these bytes, by somebody else, in time, and still in order. */
async function approve(context: ApiContext, door: BatchDoor, { record, key, contentHash }: Approval): Promise<void> {
  if (record.by === key.name) {
    throw new ApiProblem('forbidden', `The key "${key.name}" uploaded it; another key must approve it.`);
  }
  if (contentHash !== record.contentHash) {
    const detail = 'These are not the bytes that were uploaded: look at the batch again before you approve it.';
    throw new ApiProblem('wrong-state', detail, { contentHash: record.contentHash });
  }
  const again = record.approvedBy === key.name && (record.state === 'running' || record.state === 'finished');
  if (again) return;
  if (record.state !== 'awaiting_approval' && record.state !== 'needs_review') {
    throw notPossible(record.state, 'there is nothing to approve');
  }
  const expires = record.state === 'awaiting_approval';
  if (expires && context.clock.now() - record.since > APPROVE_WITHIN_MS)
    throw notPossible('expired', 'upload it again');
  refuseOutdated(await door.recheck(record));
  const settled = await context.operations.transition(record, undefined, {
    to: 'running',
    dueInMs: 0,
    set: { approvedBy: key.name, '@approvedAt': 0, reason: '' },
    evidence: { operation: 'approve', code: 'by', detail: key.name },
  });
  if (settled.is === 'not yours') throw notPossible(settled.state, 'there is nothing to approve');
  if ('rev' in settled) context.wake('batch', record.id, settled.rev);
}

function refuseOutdated({ count, list }: Findings): void {
  if (count === 0) return;
  const problems = list.map(({ row, column, reason }) => ({
    pointer: `/${[row, column].filter((part) => part !== null).join('/')}`,
    message: reason,
  }));
  const detail = `Something came between since the upload: ${count} problem(s). Nothing was approved.`;
  throw new ApiProblem('wrong-state', detail, { problems });
}

/** Of one that needs review, the rows that were not accepted yet are never paid; the others go on as they are. */
const CANCELLABLE: readonly StateOf<'batch'>[] = ['awaiting_approval', 'invalid', 'needs_review'];

async function cancel(context: ApiContext, key: ApiKey, record: BatchRecord): Promise<void> {
  if (record.state === 'cancelled') return;
  if (!CANCELLABLE.includes(record.state)) throw tooLate(record.state);
  const settled = await context.operations.transition(record, undefined, {
    to: 'cancelled',
    evidence: { operation: 'cancel', code: 'by', detail: key.name },
  });
  if (settled.is === 'not yours') throw tooLate(settled.state);
}

function tooLate(state: string): ApiProblem {
  return notPossible(state, 'a batch is cancelled before it is approved; its rows can be cancelled one by one');
}

function notPossible(state: string, why: string): ApiProblem {
  return new ApiProblem('wrong-state', `It is ${state}: ${why}.`, { state });
}

const STATES_THAT_EXPIRE: readonly StateOf<'batch'>[] = ['awaiting_approval', 'expired'];

function batchView(record: BatchRecord, advice: readonly Finding[]) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  const { problems, warnings, approvedAt } = record;
  return {
    id: record.id,
    state: record.state,
    account: record.account,
    reason: record.reason ?? null,
    contentHash: record.contentHash,
    totals: record.totals,
    problems: problems.list,
    problemCount: problems.count,
    warnings: [...advice, ...warnings.list],
    warningCount: warnings.count + advice.length,
    uploadedBy: record.by,
    approvedBy: record.approvedBy ?? null,
    approvedAt: approvedAt === undefined ? null : iso(approvedAt),
    expiresAt: STATES_THAT_EXPIRE.includes(record.state) ? expiryOf(record) : null,
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
  };
}

function expiryOf({ state, since }: BatchRecord): string {
  return new Date(state === 'expired' ? since : since + APPROVE_WITHIN_MS).toISOString();
}

/** Files of disbursements over HTTP: uploaded by one key, approved by another, reported row by row. */
import type { Request, Response } from 'express';
import type { Findings } from '../kinds/batch.ts';
import { APPROVE_WITHIN_MS } from '../kinds/batch-rows.ts';
import type { Holding } from '../lib/held-bytes.ts';
import type { BatchRecord } from '../operations/record.ts';
import { reportColumns } from '../kinds/disbursement-fields.ts';
import type { StateOf } from '../kinds/index.ts';
import { accountOf } from '../producer/batch/door.ts';
import { type BatchReading, BYTES_MAX, readBatchFile } from '../producer/batch/read-file.ts';
import { accountName, askedTime } from '../kinds/request-pieces.ts';
import { judged } from './batch-judging.ts';
import { officeReading, readingQuery } from './batch-reading.ts';
import { sendReport } from './batch-report.ts';
import { named } from './campaign-upload.ts';
import { type ApiContext, findRecord } from './context.ts';
import { listRoute } from './lists.ts';
import {
  dryRunQuery,
  answer,
  APPROVAL_MAX,
  approvalOf,
  listFiles,
  type AnyAsked,
  Reply,
  replayed,
  route,
} from './route.ts';
import { requireAnother, requireNamedAccounts, requireStill } from './gates.ts';
import { personOf } from './keys.ts';
import { batch, batchReport, judgedBatch } from './openapi/answers-money.ts';
import { requireFileBody } from './file-body.ts';
import { codingOf, requireUtf8 } from './media.ts';
import { ApiProblem } from './problem.ts';
import { notifyIn, notifyQuery } from './batch-notify.ts';
import { batchAnswer, batchRow } from './batch-view.ts';
import { rejecting } from './rejecting.ts';
import { type Message, message } from '../messages/message.ts';

const ROWS_CSV = 'reference;accountAlias;amount;withdrawMode\nsalary-2026-11-awa;771234567;25000;wallet-a-senegal\n';
const ROWS_NDJSON =
  '{"reference":"salary-2026-11-awa","accountAlias":"771234567","amount":25000,"withdrawMode":"wallet-a-senegal"}\n';
const PROBLEMS_CSV =
  'reference;accountAlias;amount;withdrawMode;row;problem\r\na;771234567;25 000;wallet-a-senegal;2;amount must be whole francs\r\n';
const REPORT_CSV = `${reportColumns.join(';')}\r\n`;

const createBatch = route(
  {
    method: 'post',
    path: '/v1/disbursement-batches',
    id: 'createBatch',
    tag: 'Batches',
    summary: 'Upload a payment batch',
    description:
      'relais checks every row before it pays any: one invalid row makes the batch `invalid`. Columns are the ' +
      'fields of a disbursement with `metadata.KEY` for an entry of `metadata`, and each row needs a `reference`; other ' +
      'columns are returned in the report. A table with its own headings is read by what they usually mean, or by the ' +
      'query. A different person approves exactly these bytes and options. A text that is not Unicode needs its `charset`.',
    role: 'enqueue-payments',
    scope: 'none',
    identity: 'optional',
    durable: true,
    query: {
      account: accountName.optional().meta({ description: 'Where no row names one: `main`.' }),
      notBefore: askedTime.optional().meta({ description: 'Earliest time of every payment of the batch.' }),
      ...notifyQuery,
      name: named.optional().meta({ description: 'The name of the file, which the approver sees.' }),
      ...readingQuery,
      ...dryRunQuery,
    },
    body: {
      limit: `${BYTES_MAX / 1e6} MB`,
      files: {
        ...listFiles(ROWS_CSV, ROWS_NDJSON),
        'application/json': { says: 'An array of disbursements.', example: `[${ROWS_NDJSON.trim()}]` },
      },
    },
    answers: {
      200: {
        says: 'With `dryRun`: what would be found in it; with `Accept: text/csv` every row with something wrong.',
        schema: judgedBatch,
        files: { 'text/csv': { says: 'The columns of the file, and what is wrong.', example: PROBLEMS_CSV } },
      },
      201: answer('What was found in it.', batch),
    },
    problems: ['conflict'],
  },
  async (asked) => {
    const { context, key, query, idempotencyKey, request, response, act, hold } = asked;
    const held = hold();
    const file = await readBatchFile(await bytesOf(request, response, held), {
      ...readingOf(request),
      sheet: query.sheet,
      office: officeReading(query),
      held,
    });
    await requireStill(context, key);
    const account = accountOf(file, query.account);
    requireNamedAccounts(context, key, { query: { account }, body: undefined, mustExist: true });
    const options = { notBefore: query.notBefore, notify: notifyIn(query) };
    if (query.dryRun) return judged(context, { file, account, options }, { request, response });
    const given = await context.batchDoor.accept(file, {
      account,
      by: personOf(key),
      act: act(),
      idempotencyKey,
      fileName: query.name,
      ...options,
    });
    if (given.outcome === 'open') {
      const detail = message('file_is_batch', { id: given.id });
      throw new ApiProblem('conflict', detail, { existingId: given.id, differs: given.differs });
    }
    if (given.outcome === 'conflict') {
      const detail = message('idempotency_key_used', { id: given.id });
      throw new ApiProblem('conflict', detail, { existingId: given.id, differs: given.differs });
    }
    replayed(response, given.outcome === 'duplicate');
    return new Reply(201, await batchAnswer(asked, await findRecord(context, key, 'batch', given.id)));
  },
);

const about = {
  tag: 'Batches',
  scope: 'record',
  record: 'batch',
  answers: { 200: answer('As it is now.', batch) },
} as const;

const getBatch = route(
  {
    ...about,
    method: 'get',
    path: '/v1/disbursement-batches/{id}',
    id: 'getBatch',
    cli: 'disburse batch-show',
    summary: 'Get a payment batch',
    description: 'With the counts of its rows by state.',
    role: 'read',
  },
  (asked) => batchAnswer(asked, asked.record),
);

const getBatchReport = route(
  {
    ...about,
    method: 'get',
    path: '/v1/disbursement-batches/{id}/report',
    id: 'getBatchReport',
    summary: 'Get a payment batch report',
    description: 'One entry for each row, with the ids of both sides; as CSV with `Accept: text/csv`.',
    role: 'read',
    answers: {
      200: {
        says: 'Row by row, streamed.',
        schema: batchReport,
        files: { 'text/csv': { says: 'One line per row.', example: REPORT_CSV } },
      },
    },
  },
  async ({ context, record, request, response }) => {
    await sendReport(record, context.batches, { request, response });
    return undefined;
  },
);

const approveBatch = route(
  {
    ...about,
    method: 'post',
    path: '/v1/disbursement-batches/{id}/approve',
    id: 'approveBatch',
    fresh: true,
    summary: 'Approve a payment batch',
    description:
      'Approves exactly the uploaded bytes, named by the hash of the upload. The key that uploaded them cannot ' +
      'approve them (403). A batch waits one day for its approval.',
    role: 'approve',
    durable: true,
    releases: true,
    body: { schema: approvalOf('BatchApproval'), limit: APPROVAL_MAX },
    answers: { 200: answer('Its rows are being paid.', batch) },
    problems: ['wrong-state'],
  },
  async (asked) => {
    const { context, key, record, again, act } = asked;
    const { contentHash } = asked.body;
    await approve(context, { record, key, contentHash, act });
    return batchAnswer(asked, await again());
  },
);

const rejectBatch = route(
  {
    ...about,
    ...rejecting,
    path: '/v1/disbursement-batches/{id}/reject',
    id: 'rejectBatch',
    cli: { name: 'disburse batch-reject', asks: 'Reject the payment batch {id}?' },
    summary: 'Reject a payment batch',
    description:
      'For a payment batch that waits for approval. It becomes `cancelled` with the reason `not_approved`. The person ' +
      'who uploaded it cannot reject it (403), and cancels it instead.',
    answers: { 200: answer('It is cancelled.', batch) },
  },
  async (asked) => {
    const { context, key, record, again, act } = asked;
    await reject(context, { record, key, act, note: asked.body.reason });
    return batchAnswer(asked, await again());
  },
);

const cancelBatch = route(
  {
    ...about,
    method: 'post',
    path: '/v1/disbursement-batches/{id}/cancel',
    id: 'cancelBatch',
    cli: 'disburse batch-cancel',
    summary: 'Cancel a payment batch',
    description: 'Only before its approval.',
    role: 'enqueue-payments',
    answers: { 200: answer('It is cancelled.', batch) },
    problems: ['wrong-state'],
  },
  async (asked) => {
    const { context, key, record, again, act } = asked;
    await cancel(context, { key, record, act });
    return batchAnswer(asked, await again());
  },
);

interface Deciding extends Pick<AnyAsked, 'key' | 'act'> {
  readonly record: BatchRecord;
}

interface Approval extends Deciding {
  readonly contentHash: string;
}

/** Exactly these bytes, by a different person, in time, and still valid. */
async function approve(context: ApiContext, { record, key, contentHash, act }: Approval): Promise<void> {
  await requireAnother(context, key, record.by, 'another_person_uploaded');
  if (contentHash !== record.contentHash) {
    const detail = message('batch_hash_differs');
    throw new ApiProblem('wrong-state', detail, { rule: 'content-changed', contentHash: record.contentHash });
  }
  const again = record.approvedBy === personOf(key) && (record.state === 'running' || record.state === 'finished');
  if (again) return;
  const isLate = record.state === 'awaiting_approval' && context.clock.now() - record.since > APPROVE_WITHIN_MS;
  if (isLate || record.state === 'expired') {
    // Without another name the same bytes are this batch.
    throw notPossible('expired', message('upload_again'));
  }
  if (record.state !== 'awaiting_approval' && record.state !== 'needs_review') {
    throw notPossible(record.state, message('no_approval_needed'));
  }
  refuseOutdated(await context.batchDoor.recheck(record));
  const decided = await context.batches.approve(record.id, {
    by: personOf(key),
    contentHash,
    act: act(record.id, { contentHash }),
  });
  if (decided.is === 'not yours') throw notPossible(decided.state, message('no_approval_needed'));
  if (decided.is === 'applied') context.wake('batch');
}

function refuseOutdated({ count, list }: Findings): void {
  if (count === 0) return;
  const problems = list.map(({ row, column, reason }) => ({
    pointer: `/${[row, column].filter((part) => part !== null).join('/')}`,
    message: reason,
  }));
  const detail = message('batch_new_problems', { count });
  throw new ApiProblem('wrong-state', detail, { problems });
}

async function reject(
  context: ApiContext,
  { record, key, act, note }: Deciding & { readonly note: string },
): Promise<void> {
  const by = personOf(key);
  await requireAnother(context, key, record.by, 'another_person_uploaded');
  if (record.state === 'cancelled' && record.rejectedBy === by) return;
  const decided = await context.batches.reject(record.id, { by, note, act: act(record.id) });
  if (decided.is === 'not yours') throw notPossible(decided.state, message('no_approval_waits'));
}

/** Under review, rows that were not accepted are never paid; the others continue. */
const CANCELLABLE: readonly StateOf<'batch'>[] = ['awaiting_approval', 'invalid', 'needs_review'];

async function cancel(context: ApiContext, { record, act }: Deciding): Promise<void> {
  if (record.state === 'cancelled') return;
  if (!CANCELLABLE.includes(record.state)) throw tooLate(record.state);
  if (await context.recoveryDesk.mayHaveLeft(record)) {
    const detail = message('batch_in_recovery');
    throw new ApiProblem('wrong-state', detail, { state: record.state });
  }
  const decided = await context.batches.cancel(record.id, { act: act(record.id) });
  if (decided.is === 'not yours') throw tooLate(decided.state);
}

function tooLate(state: string): ApiProblem {
  return notPossible(state, message('batch_cancelled_too_late'));
}

function notPossible(state: string, why: Message): ApiProblem {
  return new ApiProblem('wrong-state', message('state_forbids', { state, why }), { state });
}

function readingOf(request: Request): BatchReading {
  const type = (request.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || codingOf(request.headers) !== undefined)
    return requireFileBody(request, ['application/json']);
  requireUtf8(request.headers);
  return { format: 'json' };
}

/** The bytes as received: their hash is what is approved. At most the limit is held in memory. */
async function bytesOf(request: Request, response: Response, held: Holding): Promise<Buffer> {
  const said = Number(request.get('content-length') ?? BYTES_MAX);
  if (said > BYTES_MAX) throw tooLarge(request, response);
  held.take(said);
  const parts: Uint8Array[] = [];
  let length = 0;
  // Not destroyed after a refusal: the sender must be able to read it.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    length += part.byteLength;
    if (length > BYTES_MAX) throw tooLarge(request, response);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function tooLarge(request: Request, response: Response): ApiProblem {
  response.set('Connection', 'close');
  request.resume();
  return new ApiProblem('too-large', message('batch_too_large', { bytes: BYTES_MAX }));
}

const listBatches = listRoute({
  kind: 'batch',
  path: '/v1/disbursement-batches',
  id: 'listBatches',
  tag: 'Batches',
  summary: 'List payment batches',
  cli: 'disburse batch-list',
  columns: ['id', 'state', 'account', 'totals', 'uploadedBy', 'approvedBy', 'createdAt'],
  row: batchRow,
});

export const batchRoutes = [
  listBatches,
  createBatch,
  getBatch,
  getBatchReport,
  approveBatch,
  rejectBatch,
  cancelBatch,
];

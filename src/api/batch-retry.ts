/** Retry of a batch's unpaid rows: a new batch with new references and its own approval. */
import { outcomeOf } from '../kinds/batch-outcome.ts';
import { isFinal } from '../kinds/index.ts';
import { type BatchRow, askedWith } from '../kinds/batch-rows.ts';
import type { BatchRecord } from '../operations/record.ts';
import { referenceAgain } from '../producer/batch/again.ts';
import { type BatchFile, hashOf, type RawRow } from '../producer/batch/rows.ts';
import { batchAnswer } from './batch-view.ts';
import { type ApiContext, findRecord } from './context.ts';
import { personOf } from './keys.ts';
import { batch } from './openapi/answers-money.ts';
import { ApiProblem } from './problem.ts';
import { type AnyAsked, answer, Reply, replayed, route } from './route.ts';
import { type Message, message } from '../messages/message.ts';

const retryBatch = route(
  {
    method: 'post',
    path: '/v1/disbursement-batches/{id}/retry',
    id: 'retryBatch',
    tag: 'Batches',
    scope: 'record',
    record: 'batch',
    cli: {
      name: 'disburse batch-retry',
      asks: 'Make a new batch of the unpaid rows of {id}?',
      next: 'A different person approves it: relais disburse approve ID --hash HASH',
    },
    summary: 'Retry the unpaid rows of a batch',
    description:
      'Rows whose payment is `failed`, `rejected`, `cancelled` or `reversed` become a new batch. Each gets a new reference ' +
      '(`NAME~2`) and `allowDuplicate`. A different person approves the new batch. Rows that were asked for again before are ' +
      'left out. The same request returns the same batch while that batch is open.',
    role: 'enqueue-payments',
    durable: true,
    answers: { 201: answer('The new batch. Nothing of it is paid before its approval.', batch) },
    problems: ['wrong-state'],
  },
  async (asked) => {
    const { context, key, record, response, act } = asked;
    const { id, before } = await askAgain(context, { record, key, act });
    replayed(response, before);
    return new Reply(201, await batchAnswer(asked, await findRecord(context, key, 'batch', id)));
  },
);

interface Retrying extends Pick<AnyAsked, 'key' | 'act'> {
  readonly record: BatchRecord;
}

/** A batch of these rows that was cancelled or not approved in time does not block another under a new name. */
const NAMES_MOST = 100;

async function askAgain({ batches, batchDoor }: ApiContext, { record, key, act }: Retrying) {
  const { id: retryOf, account, state, columns, fileName, options } = record;
  if (state !== 'finished') throw notPossible(state, message('batch_not_finished', { state }));
  const unpaid: BatchRow[] = [];
  for await (const page of batches.rowsNow(record, { from: 0, to: record.totals.count })) {
    unpaid.push(...page.flatMap(({ row, state: now }) => (outcomeOf(now) === 'notPaid' ? [row] : [])));
  }
  if (unpaid.length === 0) throw notPossible(state, message('nothing_to_retry'));
  const rows = await batchDoor.notYetAccepted({ rows: unpaid.map(askedAgain), problems: [] }, account);
  if (rows.length === 0) throw notPossible(state, message('all_retried_already'));
  const contentHash = hashOf(JSON.stringify(rows));
  const file: BatchFile = { contentHash, rows, problems: [], own: columns };
  for (let nth = 1; nth <= NAMES_MOST; nth += 1) {
    const named = nth === 1 ? {} : { idempotencyKey: `${contentHash}.${nth}` };
    const given = await batchDoor.accept(file, {
      account,
      by: personOf(key),
      act: act(),
      fileName,
      retryOf,
      notify: options.notify,
      ...named,
    });
    if (given.outcome === 'open') return { id: given.id, before: true };
    if (given.outcome === 'accepted' || (given.outcome === 'duplicate' && !isFinal('batch', given.state)))
      return { id: given.id, before: given.outcome === 'duplicate' };
  }
  throw notPossible(state, message('retried_too_often'));
}

function askedAgain(row: BatchRow): RawRow {
  const { reference, ...asked } = askedWith(row);
  const request = { ...asked, reference: referenceAgain(reference), allowDuplicate: true };
  return { row: row.row, request, problems: [], ...(row.own && { own: row.own }) };
}

function notPossible(state: string, detail: Message): ApiProblem {
  return new ApiProblem('wrong-state', detail, { state });
}

export const batchRetryRoutes = [retryBatch];

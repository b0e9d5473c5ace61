import { type RequestHandler, Router } from 'express';
import { statesOf } from '../kinds/states.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import { UnreadableRecord } from '../operations/unreadable.ts';
import { idOfReference } from '../producer/acceptance.ts';
import { NDJSON, answerInBulk } from './bulk.ts';
import {
  type ApiContext,
  findRecord,
  maySee,
  idempotencyKey,
  queryNumber,
  queryText,
  requireAccount,
  requireOpen,
  requireRole,
  takeAnswer,
} from './context.ts';
import { type ApiKey, mayUseAccount } from './keys.ts';
import { addDisbursementActions } from './disbursement-actions.ts';
import { invalid } from './problem.ts';
import { sendJson } from './send.ts';
import { disbursementView, unreadableView } from './views.ts';

/** `POST /v1/disbursements`: one as JSON, or one a line. */
export function acceptDisbursement(context: ApiContext): RequestHandler {
  return async (request, response) => {
    // What was read as JSON is none.
    if (request.body === undefined && request.is(NDJSON)) {
      await answerInBulk(context, { request, response }, (acceptance, line) =>
        acceptance.disbursement(line.request, line.identity, line.by),
      );
      return;
    }
    const key = requireRole(response, 'enqueue');
    requireAccount(key, request.body);
    requireOpen(context, response);
    const given = idempotencyKey(request);
    const { answer, written } = await context.acceptance.disbursementInFull(request.body, given, key.name);
    const { id, outcome } = takeAnswer(answer);
    if (outcome === 'duplicate') response.set('Idempotency-Replayed', 'true');
    const record = written?.() ?? (await findRecord(context, key, 'disbursement', id));
    sendJson(response, 202, disbursementView(record));
  };
}

export function disbursementRoutes(context: ApiContext): Router {
  const router = Router();

  router.post('/', acceptDisbursement(context));

  router.get('/', async (request, response) => {
    const key = requireRole(response, 'read');
    response.json(await listDisbursements(context, key, request));
  });

  router.get('/:id', async (request, response) => {
    const key = requireRole(response, 'read');
    response.json(disbursementView(await findRecord(context, key, 'disbursement', request.params.id)));
  });

  addDisbursementActions(router, context);
  return router;
}

function rowOf(item: DisbursementRecord | UnreadableRecord): object {
  return item instanceof UnreadableRecord ? unreadableView(item) : disbursementView(item);
}

async function listDisbursements(context: ApiContext, key: ApiKey, request: Parameters<typeof queryText>[0]) {
  const limit = queryNumber(request, 'limit', 50, 500);
  const state = queryText(request, 'state');
  const after = queryText(request, 'after');
  const reference = queryText(request, 'reference', /^[^\p{C}]{1,128}$/u)?.normalize('NFC');
  const states: readonly string[] = statesOf('disbursement');
  if (state !== undefined && !states.includes(state)) {
    throw invalid([{ pointer: '/state', message: `must be one of ${states.join(', ')}` }]);
  }
  if (reference !== undefined) {
    const found = await byReference(context, key, reference);
    return { items: found.map(disbursementView), next: null };
  }
  const page = await context.queries.page('disbursement', {
    limit,
    ...(after ? { after } : {}),
    ...(state ? { state } : {}),
  });
  const items = page.items.filter((item) => maySee(key, item));
  return { items: items.map(rowOf), next: page.next ?? null };
}

/** A reference is unique per account, so there is at most one in each that the key may see. */
async function byReference({ queries, environment, accountNames }: ApiContext, key: ApiKey, reference: string) {
  const found = await Promise.all(
    accountNames
      .filter((account) => mayUseAccount(key, account))
      .map(async (account) => {
        const id =
          (await queries.idOfReference('disbursement', account, reference)) ??
          idOfReference(environment, 'disbursement', account, reference);
        return queries.read('disbursement', id);
      }),
  );
  return found.filter((record) => record !== undefined);
}

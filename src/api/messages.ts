import { type RequestHandler, Router } from 'express';
import { NDJSON, answerInBulk, verdictOf } from './bulk.ts';
import {
  type ApiContext,
  findRecord,
  idempotencyKey,
  requireAccount,
  requireOpen,
  requireRole,
  takeAnswer,
} from './context.ts';
import { invalid } from './problem.ts';
import { sendJson } from './send.ts';
import { messageView } from './views.ts';

const MESSAGES_MAX = 1_000;

/** `POST /v1/messages`: one or many as JSON, or one a line. */
export function acceptMessages(context: ApiContext): RequestHandler {
  return async (request, response) => {
    // What was read as JSON is none.
    if (request.body === undefined && request.is(NDJSON)) {
      await answerInBulk(context, { request, response }, (acceptance, line) =>
        acceptance.message(line.request, line.identity),
      );
      return;
    }
    const key = requireRole(response, 'enqueue');
    const body: unknown = request.body;
    const many = Array.isArray(body);
    const requests: readonly unknown[] = many ? body : [body];
    if (requests.length === 0 || requests.length > MESSAGES_MAX) {
      throw invalid([{ pointer: '', message: `must be one message, or an array of 1 to ${MESSAGES_MAX}` }]);
    }
    for (const one of requests) requireAccount(key, one);
    requireOpen(context, response);
    const given = idempotencyKey(request);
    // One header for several messages names each by its place.
    const keyOf = (index: number): string | undefined => (given && many ? `${given}#${index}` : given);
    const answers = await Promise.all(requests.map((one, index) => context.acceptance.message(one, keyOf(index))));
    const [only] = answers;
    if (!many && only) takeAnswer(only);
    if (answers.every(({ outcome }) => outcome === 'duplicate')) response.set('Idempotency-Replayed', 'true');
    sendJson(response, 202, { items: answers.map(verdictOf) });
  };
}

export function messageRoutes(context: ApiContext): Router {
  const router = Router();

  router.post('/', acceptMessages(context));

  router.get('/:id', async (request, response) => {
    const key = requireRole(response, 'read');
    response.json(messageView(await findRecord(context, key, 'message', request.params.id)));
  });

  return router;
}

import { Router } from 'express';
import { addResolve } from './collect-resolve.ts';
import { addShow } from './collect-routes.ts';
import { directCreditView } from './collect-views.ts';
import {
  type ApiContext,
  findRecord,
  idempotencyKey,
  requireAccount,
  requireOpen,
  requireRole,
  takeAnswer,
} from './context.ts';

export function directCreditRoutes(context: ApiContext): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    const key = requireRole(response, 'enqueue');
    requireAccount(key, request.body);
    requireOpen(context, response);
    const accepted = await context.collect.directCredit(request.body, idempotencyKey(request), key.name);
    const answer = takeAnswer(accepted);
    if (answer.outcome === 'duplicate') response.set('Idempotency-Replayed', 'true');
    response.status(202).json(directCreditView(await findRecord(context, key, 'direct_credit', answer.id)));
  });

  const credit = {
    kind: 'direct_credit',
    outcomes: ['succeeded', 'failed'],
    view: directCreditView,
  } as const;
  addShow(router, context, credit);
  addResolve(router, context, credit);
  return router;
}

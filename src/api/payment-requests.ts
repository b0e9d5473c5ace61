import { Router } from 'express';
import { advancePaymentRequest } from '../processors/collect/payment-request.ts';
import { failures } from '../upstream/failures.ts';
import { createWhileWaiting } from './collect-create.ts';
import { addAskable } from './collect-routes.ts';
import { paymentRequestView } from './collect-views.ts';
import { type ApiContext, isRecord, requireRole } from './context.ts';
import { ApiProblem } from './problem.ts';

export function paymentRequestRoutes(context: ApiContext): Router {
  const router = Router();
  const creation = {
    kind: 'payment_request',
    accept: (body: unknown, key: string | undefined) => context.collect.paymentRequest(body, key),
    advance: advancePaymentRequest,
    view: paymentRequestView,
    outcomes: ['completed', 'failed'],
  } as const;

  router.post('/', (request, response) => {
    requireRole(response, 'enqueue');
    requireLive(context, request.body);
    return createWhileWaiting(context, request, response, creation);
  });

  addAskable(router, context, creation);
  return router;
}

/** interface: Authentication. Upstream refuses a test application with 4001, so nothing is recorded for one. */
function requireLive({ processing }: ApiContext, body: unknown): void {
  const name = isRecord(body) && typeof body['account'] === 'string' ? body['account'] : 'main';
  if (processing.account(name)?.upstream.mode !== 'test') return;
  const { sentence } = failures.live_only;
  const problems = [{ pointer: '/account', message: sentence }];
  throw new ApiProblem('invalid', sentence, { code: 'live_only', problems });
}

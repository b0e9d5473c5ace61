/** Routes of the contract that are not real yet: they say so, and name what works instead. */
import { Router } from 'express';
import { ApiProblem } from './problem.ts';

const notYet: readonly (readonly [path: string, instead: string])[] = [
  ['/v1/disbursement-batches', 'Send each row to POST /v1/disbursements, or `relais disburse create`.'],
  [
    '/v1/campaigns/:id/retry',
    'GET /v1/campaigns/{id}/recipients?state=failed lists whom to put into a new campaign.',
  ],
  ['/v1/opt-outs', 'Leave the numbers out of the upload.'],
  ['/v1/invoices', 'Disbursements, campaigns and messages work.'],
  ['/v1/payment-requests', 'Disbursements, campaigns and messages work.'],
  ['/v1/direct-credits', 'A disbursement with the withdraw mode `service` does the same, and can be asked about.'],
  ['/v1/balances', 'See the dashboard of the service.'],
  ['/v1/event-endpoints', 'GET /v1/events with a cursor, or the Redis stream.'],
  ['/docs', 'The README and docs/ of the project.'],
  ['/openapi.json', 'The README and docs/ of the project.'],
];

export function notYetRoutes(): Router {
  const router = Router();
  for (const [path, instead] of notYet) {
    router.all([path, `${path}/*rest`], () => {
      throw new ApiProblem('not-yet', instead);
    });
  }
  return router;
}

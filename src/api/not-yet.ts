/** Routes of the contract that are not real yet: they say so, and name what works instead. */
import { Router } from 'express';
import { ApiProblem } from './problem.ts';

const notYet: readonly (readonly [path: string, instead: string])[] = [
  [
    '/v1/campaigns/:id/retry',
    'GET /v1/campaigns/{id}/recipients?state=failed lists whom to put into a new campaign.',
  ],
  ['/v1/opt-outs', 'Leave the numbers out of the upload.'],
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

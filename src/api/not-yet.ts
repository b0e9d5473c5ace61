/** Routes of the contract that are not real yet: they say so, and name what works instead. */
import { Router } from 'express';
import { ApiProblem } from './problem.ts';

const notYet: readonly (readonly [path: string, instead: string])[] = [];

export function notYetRoutes(): Router {
  const router = Router();
  for (const [path, instead] of notYet) {
    router.all([path, `${path}/*rest`], () => {
      throw new ApiProblem('not-yet', instead);
    });
  }
  return router;
}

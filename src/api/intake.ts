/** Refused requests of the queue `intake`. */
import { mayUseAccount } from './keys.ts';
import { intakeList } from './openapi/answers-intake.ts';
import { after, answer, limit, route } from './route.ts';
import { z } from 'zod';

const listIntake = route(
  {
    method: 'get',
    path: '/v1/intake',
    id: 'listIntake',
    cli: { name: 'intake list', none: 'No job was refused in the last 30 days.' },
    tag: 'Operating',
    summary: 'List refused intake jobs',
    description:
      'The newest first. The newest 10,000 of the last 30 days are stored. Values of the request are never stored: ' +
      'correct the request and add the job again. Each one was also the event `intake.rejected`.',
    role: 'read',
    scope: 'list',
    query: {
      state: z
        .enum(['rejected'])
        .default('rejected')
        .meta({ description: 'The state of the jobs. Only refused jobs are listed.' }),
      after: after(/^\d{1,15}-\d{1,10}$/),
      limit: limit(100, 1_000),
    },
    answers: { 200: answer('A page of them.', intakeList) },
  },
  async ({ context: { rejections }, key, query: { after: before, limit: most } }) => {
    const { items, next } = await rejections.page({
      before,
      limit: most,
      isMeant: (account) => mayUseAccount(key, account),
    });
    return {
      items: items.map(({ place: _place, at, problems, ...about }) => ({
        ...about,
        state: 'rejected' as const,
        at: new Date(at).toISOString(),
        reference: about.reference ?? null,
        existingId: about.existingId ?? null,
        problems: [...problems],
      })),
      next,
    };
  },
);

export const intakeRoutes = [listIntake];

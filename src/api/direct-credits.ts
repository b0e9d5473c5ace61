/** Crediting an account of the service in one step. */
import { directCreditRequest } from '../kinds/direct-credit.ts';
import { resolutionOf, resolve } from './collect-resolve.ts';
import { view } from './views.ts';
import { findRecord, takeAnswer } from './context.ts';
import { directCredit } from './openapi/answers-money.ts';
import { accepted, answer } from './openapi/pieces.ts';
import { replayed, route } from './route.ts';

const createDirectCredit = route(
  {
    method: 'post',
    path: '/v1/direct-credits',
    id: 'createDirectCredit',
    tag: 'Direct credits',
    summary: 'Credit an account of the service.',
    description: 'The service cannot be asked about one afterwards: an unclear answer needs review.',
    role: 'enqueue',
    scope: 'named',
    identity: 'required',
    durable: true,
    body: accepted(directCreditRequest),
    answers: { 202: answer('Accepted, or accepted before.', directCredit) },
  },
  async ({ context, key, body, idempotencyKey, response }) => {
    const { id, outcome } = takeAnswer(await context.collect.directCredit(body, idempotencyKey, key.name));
    replayed(response, outcome === 'duplicate');
    return view(await findRecord(context, key, 'direct_credit', id));
  },
);

const about = {
  tag: 'Direct credits',
  record: 'direct_credit',
  answers: { 200: answer('As it is now.', directCredit) },
} as const;

const getDirectCredit = route(
  {
    ...about,
    method: 'get',
    path: '/v1/direct-credits/{id}',
    id: 'getDirectCredit',
    summary: 'Where one stands.',
    role: 'read',
    scope: 'record',
  },
  ({ record }) => view(record),
);

const resolveDirectCredit = route(
  {
    ...about,
    ...resolutionOf('DirectCreditResolution', ['succeeded', 'failed']),
    path: '/v1/direct-credits/{id}/resolve',
    id: 'resolveDirectCredit',
    problems: ['wrong-state'],
  },
  async (asked) => view(await resolve<'direct_credit'>(asked)),
);

export const directCreditRoutes = [createDirectCredit, getDirectCredit, resolveDirectCredit];

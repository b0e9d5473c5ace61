/** Direct credits to an account of the provider, in one step. */
import { directCreditRequest } from '../kinds/direct-credit.ts';
import { paidOut, resolutionOf, resolve } from './collect-resolve.ts';
import { personOf } from './keys.ts';
import { view } from './views.ts';
import { findRecord, takeAnswer } from './context.ts';
import { listRoute } from './lists.ts';
import { collectFor, dryRunQuery, JUDGED, judgedAs, accepted, answer, Reply, replayed, route } from './route.ts';
import { answerOf } from './openapi/answers-shared.ts';

const directCredit = answerOf('direct_credit');

const createDirectCredit = route(
  {
    method: 'post',
    path: '/v1/direct-credits',
    id: 'createDirectCredit',
    cli: { name: 'direct-credit create', asks: 'Pay {amount} to {accountAlias}?' },
    tag: 'Direct credits',
    summary: 'Create a direct credit',
    description: 'The provider has no status check for direct credits: an unclear answer needs review.',
    role: 'enqueue-payments',
    scope: 'named',
    identity: 'required',
    durable: true,
    query: dryRunQuery,
    body: accepted(directCreditRequest),
    answers: { 200: JUDGED, 202: answer('Accepted, or accepted before.', directCredit) },
  },
  async (asked) => {
    const { context, key, query, body, idempotencyKey, response } = asked;
    const given = await collectFor(asked).directCredit(body, idempotencyKey, personOf(key));
    if (query.dryRun) return judgedAs(given);
    const { id, outcome } = takeAnswer(given);
    replayed(response, outcome === 'duplicate');
    return new Reply(202, view(await findRecord(context, key, 'direct_credit', id)));
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
    cli: 'direct-credit show',
    summary: 'Get a direct credit',
    role: 'read',
    scope: 'record',
  },
  ({ record }) => view(record),
);

const resolveDirectCredit = route(
  {
    ...about,
    ...resolutionOf('direct_credit', paidOut),
    path: '/v1/direct-credits/{id}/resolve',
    id: 'resolveDirectCredit',
    fresh: true,
    cli: { name: 'direct-credit resolve', asks: 'Resolve {id}?' },
    problems: ['wrong-state'],
  },
  async (asked) => view(await resolve<'direct_credit'>(asked)),
);

const listDirectCredits = listRoute({
  kind: 'direct_credit',
  path: '/v1/direct-credits',
  id: 'listDirectCredits',
  tag: 'Direct credits',
  summary: 'List direct credits',
  cli: 'direct-credit list',
  columns: ['id', 'state', 'amount', 'accountAlias', 'transactionId', 'reference', 'createdAt'],
  row: (record) => view(record),
});

export const directCreditRoutes = [listDirectCredits, createDirectCredit, getDirectCredit, resolveDirectCredit];

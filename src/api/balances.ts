/** Approximate balances: the provider calls its figures an approximation, so no decision uses them. */
import type { UpstreamAccount } from '../provider/client.ts';
import type { Verdict } from '../provider/verdict.ts';
import { adviseOn } from './balance-advice.ts';
import { mayUseAccount } from './keys.ts';
import { balances } from './openapi/answers-money.ts';
import { accountQuery, answer, type AnyAsked, route } from './route.ts';
import { ApiProblem, invalid } from './problem.ts';
import { upstreamProblem } from './upstream-problem.ts';
import { message } from '../messages/message.ts';

const about = {
  method: 'get',
  tag: 'Operating',
  role: 'read',
  scope: 'none',
  query: { account: accountQuery },
  answers: { 200: answer('An approximation.', balances) },
} as const;

const getBalances = route(
  {
    ...about,
    path: '/v1/balances',
    id: 'getBalances',
    cli: { name: 'balances', example: '--account main' },
    summary: 'List provider balances by country',
    description: 'Approximate, and read from the provider now. relais bases no decision on it.',
    problems: ['not-found', 'upstream-refused', 'upstream-silent'],
  },
  async (asked) => {
    const { context, query } = asked;
    const { payments } = context.processing.upstream;
    const told = await ask(asked, query.account, (account) => payments.balances(account));
    const advice = adviseOn(told.balances, await context.queries.inFlight(query.account));
    return { account: query.account, ...told, ...advice };
  },
);

const getBalance = route(
  {
    ...about,
    path: '/v1/balances/{accountNumber}',
    id: 'getBalance',
    cli: 'balances',
    summary: 'Get a provider account balance',
    description: 'Approximate, and read from the provider now.',
    problems: ['upstream-refused', 'upstream-silent'],
  },
  async (asked) => {
    const {
      context,
      query,
      params: { accountNumber },
    } = asked;
    if (!/^[A-Za-z0-9]{1,40}$/.test(accountNumber)) {
      throw invalid([{ pointer: '/accountNumber', message: message('account_number') }]);
    }
    const { payments } = context.processing.upstream;
    const told = await ask(asked, query.account, (account) => payments.balance(account, { accountNumber }));
    return { account: query.account, ...told };
  },
);

async function ask<T>(
  { context, key, response }: Pick<AnyAsked, 'context' | 'key' | 'response'>,
  name: string,
  question: (account: UpstreamAccount) => Promise<Verdict<T>>,
): Promise<T> {
  const account = mayUseAccount(key, name) ? context.processing.account(name)?.upstream : undefined;
  if (!account) throw new ApiProblem('not-found', message('account_not_found', { name: name.slice(0, 40) }));
  const admission = await context.processing.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) {
    response.set('Retry-After', String(Math.ceil(admission.retryAfterMs / 1_000)));
    throw new ApiProblem('too-many-requests', message('provider_rate_used'));
  }
  const verdict = await question(account);
  if (verdict.is === 'ok') return verdict.value;
  throw upstreamProblem(verdict, { retryable: verdict.is === 'transient' });
}

export const balanceRoutes = [getBalances, getBalance];

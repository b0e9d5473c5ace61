/** Approximate balances: the provider calls its figures an approximation, so no decision uses them. */
import { adviseOn } from './balance-advice.ts';
import { balances } from './openapi/answers-money.ts';
import { askProvider } from './provider-question.ts';
import { accountQuery, answer, route } from './route.ts';
import { invalid } from './problem.ts';
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
    const told = await askProvider(asked, {
      account: query.account,
      area: 'payments',
      ask: (account) => payments.balances(account),
    });
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
    const told = await askProvider(asked, {
      account: query.account,
      area: 'payments',
      ask: (account) => payments.balance(account, { accountNumber }),
    });
    return { account: query.account, ...told };
  },
);

export const balanceRoutes = [getBalances, getBalance];

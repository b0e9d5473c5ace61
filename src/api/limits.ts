/** Money limits: values in force, the key that set each, and values that wait for a different person. */
import { z } from 'zod';
import { type MoneyLimit, isMoneyLimit, moneyLimits, type LimitStanding } from '../kinds/limits.ts';
import { personOf } from './keys.ts';
import { accountName } from '../kinds/request-pieces.ts';
import { budgetList, limitList, limitStanding } from './openapi/answers-operating.ts';
import { answer, json, Reply, route } from './route.ts';
import { ApiProblem } from './problem.ts';
import { message } from '../messages/message.ts';

const limitWish = z
  .strictObject({
    value: z
      .int()
      .min(1)
      .max(999_999_999_999_999)
      .nullable()
      .meta({ description: 'XOF; ms for DUPLICATE_WINDOW. null: no limit.', example: 5_000_000 }),
  })
  .meta({ id: 'LimitWish' });

const listLimits = route(
  {
    method: 'get',
    path: '/v1/limits',
    id: 'listLimits',
    tag: 'Operating',
    summary: 'List payment limits',
    description: 'With who set each limit, since when, and the changes that wait for approval.',
    role: 'read',
    scope: 'none',
    answers: { 200: answer('All of them.', limitList) },
  },
  async ({ context: { limits, clock } }) => ({ items: (await limits.list(clock.now())).map(limitView) }),
);

const setLimit = route(
  {
    method: 'post',
    path: '/v1/limits/{name}',
    id: 'setLimit',
    fresh: true,
    tag: 'Operating',
    summary: 'Set a payment limit',
    description:
      'A stricter value applies at once, for every process. A looser value waits (202) until a different person asks for ' +
      'it within a day. Sending the current value withdraws a waiting change. A process with stricter settings of ' +
      'its own applies those.',
    role: 'approve',
    scope: 'all',
    body: json(limitWish),
    answers: {
      200: answer('The limit applies now.', limitStanding),
      202: answer('It waits for a different person.', limitStanding),
    },
  },
  async ({ context, key, params, body: { value }, act }) => {
    const { limits, clock } = context;
    const name = knownLimit(params.name);
    const ones = await context.keyRing.onesWith(key);
    const done = await limits.set(name, value, personOf(key), { act: act(name), ones });
    const standing = (await limits.list(clock.now())).find((one) => one.name === name);
    if (!standing) throw noSuchLimit(name);
    return new Reply(done.is === 'waits' ? 202 : 200, limitView(standing));
  },
);

const listBudgets = route(
  {
    method: 'get',
    path: '/v1/budgets',
    id: 'listBudgets',
    tag: 'Operating',
    summary: 'List SMS budgets and their use',
    description: 'What the SMS of an account cost this day and month.',
    role: 'read',
    scope: 'named',
    query: { account: accountName.default('main') },
    answers: { 200: answer('Those that there are.', budgetList) },
  },
  async ({ context: { budgets, clock }, query: { account } }) => ({
    items: await budgets.standing(account, clock.now()),
  }),
);

function limitView({ name, value, since, by, asked }: LimitStanding) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    name,
    value,
    since: since === undefined ? null : iso(since),
    by: by ?? null,
    ...(asked ? { asked: { ...asked, at: iso(asked.at) } } : {}),
  };
}

function knownLimit(name: string): MoneyLimit {
  if (isMoneyLimit(name)) return name;
  throw noSuchLimit(name);
}

function noSuchLimit(name: string): ApiProblem {
  return new ApiProblem(
    'not-found',
    message('limit_not_found', { name: name.slice(0, 40), limits: moneyLimits.join(', ') }),
  );
}

export const limitRoutes = [listLimits, listBudgets, setLimit];

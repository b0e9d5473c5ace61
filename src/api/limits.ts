/** The limits of money: what holds, by whom, and what waits for another key. */
import type { Router } from 'express';
import { z } from 'zod';
import { type MoneyLimit, isMoneyLimit, moneyLimits } from '../operations/limits.ts';
import type { LimitStanding } from '../operations/shared-limits.ts';
import { problemsOf } from '../producer/problems.ts';
import { type ApiContext, requireKept, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

export const limitWish = z
  .strictObject({
    value: z
      .int()
      .min(1)
      .max(999_999_999_999_999)
      .nullable()
      .meta({ description: 'XOF; ms for DUPLICATE_WINDOW. null: no limit.', example: 5_000_000 }),
  })
  .meta({ id: 'LimitWish' });

export function addLimits(router: Router, context: ApiContext): void {
  const { limits, clock } = context;

  router.get('/limits', async (_request, response) => {
    requireRole(response, 'read');
    response.json({ items: (await limits.list(clock.now())).map(limitView) });
  });

  router.post('/limits/:name', async (request, response) => {
    const key = requireAllAccounts(requireRole(response, 'approve'));
    const name = knownLimit(request.params.name);
    const body = limitWish.safeParse(request.body ?? {});
    if (!body.success) throw invalid(problemsOf(body.error));
    const { value } = body.data;
    const { from, ...done } = await limits.set(name, value, key.name);
    context.audit({ by: key.name, did: 'limit', name, from, to: value, ...done });
    await requireKept(context);
    const standing = (await limits.list(clock.now())).find((one) => one.name === name);
    response.status(done.is === 'waits' ? 202 : 200).json(standing && limitView(standing));
  });
}

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
  throw new ApiProblem('not-found', `There is no limit ${name.slice(0, 40)}; there are ${moneyLimits.join(', ')}.`);
}

/** A limit holds for every account, so it is not for a key that is bound to some. */
function requireAllAccounts(key: ApiKey): ApiKey {
  if (key.accounts === undefined) return key;
  throw new ApiProblem('forbidden', `The key "${key.name}" is for some accounts, and a limit holds for all.`);
}

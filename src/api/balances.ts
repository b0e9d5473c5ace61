/** What is left, roughly: upstream calls its own figures an approximation, so nothing is ever decided by them. */
import { type Request, type Response, Router } from 'express';
import type { UpstreamAccount } from '../upstream/client.ts';
import type { Balances } from '../upstream/payments/types.ts';
import type { Verdict } from '../upstream/verdict.ts';
import { adviseOn } from './balance-advice.ts';
import { type ApiContext, queryText, requireRole } from './context.ts';
import { mayUseAccount } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { upstreamProblem } from './upstream-problem.ts';

type Ask = (account: UpstreamAccount) => Promise<Verdict<Balances>>;

/** What else is said beside the balances. */
type Advise = (account: string, balances: Balances) => Promise<object>;

export function balanceRoutes(context: ApiContext): Router {
  const router = Router();
  const { payments } = context.processing.upstream;
  const advise: Advise = async (account, { balances }) => adviseOn(balances, await context.queries.inFlight(account));

  router.get('/', (request, response) =>
    answer(context, { request, response }, (account) => payments.balances(account), advise),
  );

  router.get('/:accountNumber', (request, response) => {
    const { accountNumber } = request.params;
    if (!/^[A-Za-z0-9]{1,40}$/.test(accountNumber)) {
      throw invalid([{ pointer: '/accountNumber', message: 'must be letters and digits, such as BBJ0123456789' }]);
    }
    return answer(context, { request, response }, (account) => payments.balance(account, { accountNumber }));
  });

  return router;
}

async function answer(
  context: ApiContext,
  { request, response }: { readonly request: Request; readonly response: Response },
  ask: Ask,
  advise?: Advise,
): Promise<void> {
  const key = requireRole(response, 'read');
  const name = queryText(request, 'account') ?? 'main';
  const account = mayUseAccount(key, name) ? context.processing.account(name)?.upstream : undefined;
  if (!account) throw new ApiProblem('not-found', `There is no account ${name.slice(0, 40)}.`);
  const admission = await context.processing.upstream.admit(account, 'payments', 'look');
  if (!admission.admitted) {
    response.set('Retry-After', String(Math.ceil(admission.retryAfterMs / 1_000)));
    throw new ApiProblem('too-many-requests', 'The service is asked as often as UPSTREAM_RATE allows; try again.');
  }
  const verdict = await ask(account);
  if (verdict.is !== 'ok') throw upstreamProblem(verdict, { retryable: verdict.is === 'transient' });
  response.json({ account: name, ...verdict.value, ...(await advise?.(name, verdict.value)) });
}

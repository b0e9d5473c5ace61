/** For operators: what stands where, what is held and why, and the switches. */
import { Router } from 'express';
import { STOPPED } from '../operations/accounts.ts';
import { addExplain } from './explain.ts';
import { type ApiContext, findRecord, requireKept, requireNoRecovery, requireRole } from './context.ts';
import { type ApiKey, mayUseAccount } from './keys.ts';
import { addLimits } from './limits.ts';
import { ApiProblem } from './problem.ts';
import { addReview } from './review.ts';

const FOR_ALL = 'a queue is for all accounts: POST /v1/accounts/{name}/stop stops one account';

export function operatingRoutes(context: ApiContext): Router {
  const router = Router();
  const { queues } = context;

  router.get('/queues', async (_request, response) => {
    requireRole(response, 'read');
    response.json({ items: await queues.list() });
  });

  for (const action of ['pause', 'resume'] as const) {
    router.post(`/queues/:name/${action}`, async (request, response) => {
      requireAllAccounts(requireRole(response, 'operate'), FOR_ALL);
      if (!(await queues[action](request.params.name))) {
        throw new ApiProblem('not-found', `There is no queue ${request.params.name.slice(0, 40)}.`);
      }
      response.json({ items: await queues.list() });
    });
  }

  router.post('/secrets/rotate', async (_request, response) => {
    const key = requireRole(response, 'operate');
    requireAllAccounts(key, 'every endpoint is sealed with the same secret');
    const done = await context.endpointService.reseal();
    if ('problem' in done) throw new ApiProblem('wrong-state', done.problem);
    context.audit({ by: key.name, did: 'rotate secrets', ...done });
    response.json(done);
  });

  addExplain(router, context);
  router.get('/callbacks/:id', async (request, response) => {
    const key = requireRole(response, 'operate');
    const { id } = request.params;
    const kind = await context.queries.kindOf(id);
    if (kind) await findRecord(context, key, kind, id);
    const body = kind || !key.accounts ? await context.queries.lastCallback(id) : undefined;
    if (body === undefined) throw nothingKept(id);
    response.json({ id, known: kind !== undefined, body });
  });

  addAccountRoutes(router, context);
  addLimits(router, context);

  addReview(router, context);
  return router;
}

/** Most answer so: what a service posts mostly says what the record says, and then it is forgotten. */
function nothingKept(id: string): ApiProblem {
  const name = id.slice(0, 40);
  return new ApiProblem(
    'not-found',
    `Nothing that was posted to us about ${name} is kept. A body is kept for 30 days, and only where it does not agree ` +
      `with a success; whether we were called back is in its story: GET /v1/explain/${name}.`,
  );
}

/** What concerns every account is not for a key that is bound to some. */
function requireAllAccounts({ name, accounts }: ApiKey, why: string): void {
  if (accounts === undefined) return;
  throw new ApiProblem('forbidden', `The key "${name}" is for ${[...accounts].join(', ')}, and ${why}.`);
}

function addAccountRoutes(router: Router, context: ApiContext): void {
  const { accounts, accountNames } = context;

  router.get('/accounts', async (_request, response) => {
    const key = requireRole(response, 'read');
    const names = accountNames.filter((name) => mayUseAccount(key, name));
    response.json({ items: await Promise.all(names.map((name) => accountView(context, name))) });
  });

  router.post('/accounts/:name/stop', async (request, response) => {
    const key = requireRole(response, 'operate');
    const name = knownAccount(request.params.name, key, accountNames);
    await accounts.hold(name, 'payments', STOPPED);
    await requireKept(context);
    response.json(await accountView(context, name));
  });

  router.post('/accounts/:name/release', async (request, response) => {
    const key = requireRole(response, 'operate');
    const name = knownAccount(request.params.name, key, accountNames);
    await requireNoRecovery(context, response);
    for (const { area, reason } of await accounts.holdsOf(name)) await accounts.release(name, area, reason);
    response.json(await accountView(context, name));
  });
}

async function accountView({ accounts }: ApiContext, name: string) {
  const held = (await accounts.holdsOf(name)).map(({ area, reason, since }) => ({
    area,
    reason,
    since: new Date(since).toISOString(),
  }));
  return { name, held };
}

function knownAccount(name: string, key: ApiKey, accountNames: readonly string[]): string {
  if (accountNames.includes(name) && mayUseAccount(key, name)) return name;
  throw new ApiProblem('not-found', `There is no account ${name.slice(0, 40)}.`);
}

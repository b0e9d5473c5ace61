/** For operators: what stands where, what holds an account, and the switches. */
import { STOPPED } from '../operations/accounts.ts';
import { type ApiContext, findRecord, requireKept } from './context.ts';
import { type ApiKey, mayUseAccount } from './keys.ts';
import { account, accounts, callback, queueList, resealed } from './openapi/answers-operating.ts';
import { answer, route } from './route.ts';
import { ApiProblem } from './problem.ts';

const listQueues = route(
  {
    method: 'get',
    path: '/v1/queues',
    id: 'listQueues',
    cli: 'queues list',
    tag: 'Operating',
    summary: 'What stands where.',
    role: 'read',
    scope: 'none',
    answers: { 200: answer('All queues.', queueList) },
  },
  async ({ context: { queues } }) => ({ items: await queues.list() }),
);

const QUEUE_SWITCHES = {
  pause: {
    summary: 'Let no worker take from a queue; what is at work goes on.',
    cli: {
      asks: 'Pause the queue {name}, for all accounts?',
      next: 'To let it go on: relais queues resume {name}',
    },
  },
  resume: { summary: 'Let workers take from it again.', cli: {} },
} as const;

const queueSwitches = (['pause', 'resume'] as const).map((name) =>
  route(
    {
      method: 'post',
      path: `/v1/queues/{name}/${name}` as const,
      id: `${name}Queue`,
      ...(name === 'resume' && { fresh: true as const }),
      cli: { name: `queues ${name}`, example: 'disbursement', ...QUEUE_SWITCHES[name].cli },
      tag: 'Operating',
      summary: QUEUE_SWITCHES[name].summary,
      role: 'operate',
      scope: { all: 'a queue is for all accounts: POST /v1/accounts/{name}/stop stops one account' },
      answers: { 200: answer('All queues.', queueList) },
    },
    async ({ context, params, act }) => {
      const { queues } = context;
      if (await queues[name](params.name, act(params.name))) {
        await requireKept(context);
        return { items: await queues.list() };
      }
      const known = (await queues.list()).map((queue) => queue.name).join(', ');
      throw new ApiProblem('not-found', `There is no queue ${params.name.slice(0, 40)}; there are ${known}.`);
    },
  ),
);

const rotateSecrets = route(
  {
    method: 'post',
    path: '/v1/secrets/rotate',
    id: 'rotateSecrets',
    fresh: true,
    cli: {
      name: 'secrets rotate',
      next: 'Where nothing is unreadable, the older ones can be taken out of SEALING_SECRET now; an endpoint that is needs another: relais endpoints rotate-secret.',
    },
    tag: 'Operating',
    summary: 'Seal what is kept sealed with the newest secret.',
    description: 'Once it has said so, the older secrets can be taken out of SEALING_SECRET.',
    role: 'operate',
    scope: { all: 'every endpoint is sealed with the same secret' },
    answers: { 200: answer('What was sealed anew.', resealed) },
    problems: ['wrong-state'],
  },
  async ({ context, act }) => {
    const { auditSeals, clock, endpointService } = context;
    // What is marked with an older secret is sealed while that can still be told.
    await auditSeals.seal(clock.now());
    const done = await endpointService.reseal(act);
    if ('problem' in done) throw new ApiProblem('wrong-state', done.problem, { rule: done.rule });
    await auditSeals.reseal(act('', { ...done }));
    await requireKept(context);
    return done;
  },
);

const getCallback = route(
  {
    method: 'get',
    path: '/v1/callbacks/{id}',
    id: 'getCallback',
    cli: 'callback',
    tag: 'Operating',
    summary: 'What the service posted to us about an operation, last.',
    description:
      'A body is kept for 30 days, and only where it says something else than the operation: one that agrees with a ' +
      'success is forgotten when that is known, so 404 is what most answer. That they were called back is in the ' +
      'story (`/v1/explain/{id}`).',
    role: 'operate',
    scope: 'record',
    answers: { 200: answer('The body, with secrets out.', callback) },
  },
  async ({ context, key, params: { id } }) => {
    const kind = await context.queries.kindOf(id);
    if (kind) await findRecord(context, key, kind, id);
    const body = kind || !key.accounts ? await context.queries.lastCallback(id) : undefined;
    if (body === undefined) throw nothingKept(id);
    return { id, known: kind !== undefined, body };
  },
);

/** Most answer so: what a service posts mostly says what the record says, and then it is forgotten. */
function nothingKept(id: string): ApiProblem {
  const name = id.slice(0, 40);
  return new ApiProblem(
    'not-found',
    `Nothing that was posted to us about ${name} is kept. A body is kept for 30 days, and only where it does not agree ` +
      `with a success; whether we were called back is in its story: GET /v1/explain/${name}.`,
  );
}

const listAccounts = route(
  {
    method: 'get',
    path: '/v1/accounts',
    id: 'listAccounts',
    cli: 'account list',
    tag: 'Operating',
    summary: 'Which accounts there are, and what holds them.',
    role: 'read',
    scope: 'list',
    answers: { 200: answer('Those that the key may use.', accounts) },
  },
  async ({ context, key }) => {
    const names = context.accountNames.filter((name) => mayUseAccount(key, name));
    return { items: await Promise.all(names.map((name) => accountView(context, name))) };
  },
);

const ofAccount = {
  method: 'post',
  tag: 'Operating',
  role: 'operate',
  scope: 'record',
  answers: { 200: answer('What holds it now.', account) },
} as const;

const stopAccount = route(
  {
    ...ofAccount,
    path: '/v1/accounts/{name}/stop',
    id: 'stopAccount',
    cli: {
      name: 'account stop',
      says: 'Send no more money of this account until it is released; what was submitted is still looked at',
      example: 'main',
      asks: 'Stop all disbursements of the account {name}?',
      next: 'To let it go on: relais account release {name}',
    },
    summary: 'Hold all disbursements of an account.',
  },
  async ({ context, key, params, act }) => {
    const name = knownAccount(params.name, key, context);
    await context.accounts.hold(name, 'payments', STOPPED, act(name));
    await requireKept(context);
    return accountView(context, name);
  },
);

const releaseAccount = route(
  {
    ...ofAccount,
    path: '/v1/accounts/{name}/release',
    id: 'releaseAccount',
    fresh: true,
    cli: {
      name: 'account release',
      says: 'Let an account go on, whatever it was held for; it is held again if the cause has not cleared',
      example: 'main',
    },
    summary: 'Take back every hold of an account.',
    releases: true,
  },
  async ({ context, key, params, act }) => {
    const name = knownAccount(params.name, key, context);
    const { accounts: holds } = context;
    for (const { area, reason } of await holds.holdsOf(name)) await holds.release(name, area, reason, act(name));
    await requireKept(context);
    return accountView(context, name);
  },
);

async function accountView({ accounts: holds }: ApiContext, name: string) {
  const held = (await holds.holdsOf(name)).map(({ area, reason, since }) => ({
    area,
    reason,
    since: new Date(since).toISOString(),
  }));
  return { name, held };
}

function knownAccount(name: string, key: ApiKey, { accountNames }: ApiContext): string {
  if (accountNames.includes(name) && mayUseAccount(key, name)) return name;
  throw new ApiProblem('not-found', `There is no account ${name.slice(0, 40)}.`);
}

export const queueRoutes = [listQueues, ...queueSwitches];
export const accountRoutes = [listAccounts, stopAccount, releaseAccount];
export const secretRoutes = [rotateSecrets];
export const callbackRoutes = [getCallback];

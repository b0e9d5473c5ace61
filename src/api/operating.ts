/** For operators: the system status, holds of accounts, and switches. */
import { STOPPED } from '../kinds/hold.ts';
import { type ApiContext, findRecord } from './context.ts';
import { type ApiKey, mayUseAccount } from './keys.ts';
import { account, accounts, callback, queueList, resealed } from './openapi/answers-operating.ts';
import { answer, route } from './route.ts';
import { ApiProblem } from './problem.ts';
import { message } from '../messages/message.ts';

const listQueues = route(
  {
    method: 'get',
    path: '/v1/queues',
    id: 'listQueues',
    cli: 'queues list',
    tag: 'Operating',
    summary: 'List queues',
    role: 'read',
    scope: 'none',
    answers: { 200: answer('All queues.', queueList) },
  },
  async ({ context: { queues } }) => ({ items: await queues.list() }),
);

const QUEUE_SWITCHES = {
  pause: {
    summary: 'Pause a queue',
    description: 'Workers take no more jobs from the queue; attempts in progress continue.',
    cli: {
      asks: 'Pause the queue {name}, for all accounts?',
      next: 'Resume it with: relais queues resume {name}',
    },
  },
  resume: { summary: 'Resume a queue', description: 'Workers take jobs from the queue again.', cli: {} },
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
      description: QUEUE_SWITCHES[name].description,
      role: 'operate',
      scope: 'all',
      answers: { 200: answer('All queues.', queueList) },
    },
    async ({ context, params, act }) => {
      const { queues } = context;
      if (await queues[name](params.name, act(params.name))) {
        return { items: await queues.list() };
      }
      const known = (await queues.list()).map((queue) => queue.name).join(', ');
      throw new ApiProblem(
        'not-found',
        message('queue_not_found', { name: params.name.slice(0, 40), queues: known }),
      );
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
      next:
        'If no secret is unreadable, remove the older keys from SEALING_SECRET. For an endpoint with an ' +
        'unreadable secret, run relais endpoints rotate-secret.',
    },
    tag: 'Operating',
    summary: 'Re-encrypt stored secrets with the newest key',
    description: 'After a successful answer, remove the older secrets from SEALING_SECRET.',
    role: 'operate',
    scope: 'all',
    answers: { 200: answer('What was sealed anew.', resealed) },
    problems: ['wrong-state'],
  },
  async ({ context, act }) => {
    const { auditSeals, endpointService } = context;
    const done = await endpointService.reseal(act);
    if ('problem' in done) throw new ApiProblem('wrong-state', done.problem, { rule: done.rule });
    await auditSeals.reseal(act('', { ...done }));
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
    summary: 'Get the last callback for an operation',
    description:
      'A body is stored for 30 days, and only if it contradicts the operation. A callback that agrees with a ' +
      'success is deleted once the success is known, so most operations answer 404. The timeline says whether a ' +
      'callback was received (`/v1/explain/{id}`).',
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

/** The usual case: a callback mostly confirms the record and is then removed. */
function nothingKept(id: string): ApiProblem {
  const name = id.slice(0, 40);
  return new ApiProblem('not-found', message('no_callback_body', { id: name }));
}

const listAccounts = route(
  {
    method: 'get',
    path: '/v1/accounts',
    id: 'listAccounts',
    cli: 'account list',
    tag: 'Operating',
    summary: 'List accounts and their holds',
    description: 'Only the accounts that the key may use.',
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
      says: 'Stop all disbursements of an account. Submitted disbursements are still checked',
      example: 'main',
      asks: 'Stop all disbursements of the account {name}?',
      next: 'Release it with: relais account release {name}',
    },
    summary: 'Stop the disbursements of an account',
    description:
      'No new disbursement of the account is sent until it is released. Submitted disbursements are still checked.',
  },
  async ({ context, key, params, act }) => {
    const name = knownAccount(params.name, key, context);
    await context.accounts.hold(name, 'payments', STOPPED, act(name));
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
      says: 'Release all holds of an account. It is held again if the cause persists',
      example: 'main',
    },
    summary: 'Release all holds of an account',
    description: 'The account is held again if the cause persists.',
    releases: true,
  },
  async ({ context, key, params, act }) => {
    const name = knownAccount(params.name, key, context);
    const { accounts: holds } = context;
    for (const { area, reason } of await holds.holdsOf(name)) await holds.release(name, area, reason, act(name));
    return accountView(context, name);
  },
);

async function accountView({ accounts: holds }: ApiContext, name: string) {
  const held = (await holds.holdsOf(name)).map(({ area, reason, since, unreadable }) => ({
    area,
    reason,
    since: new Date(since).toISOString(),
    ...(unreadable ? { came: unreadable.came } : {}),
  }));
  return { name, held };
}

function knownAccount(name: string, key: ApiKey, { accountNames }: ApiContext): string {
  if (accountNames.includes(name) && mayUseAccount(key, name)) return name;
  throw new ApiProblem('not-found', message('account_not_found', { name: name.slice(0, 40) }));
}

export const queueRoutes = [listQueues, ...queueSwitches];
export const accountRoutes = [listAccounts, stopAccount, releaseAccount];
export const secretRoutes = [rotateSecrets];
export const callbackRoutes = [getCallback];

/** Rights: every route with each role alone, and with a key of another account. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Role, roles as ROLES, rolesWith } from '../../../src/api/keys.ts';
import { pathParameters, type RouteDeclaration } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import { type Answer, type Service, startService } from '../../support/service.ts';
import { exampleCall, pathTo } from './example-call.ts';

const KEYS = [
  'owner:enqueue+read+approve+operate+admin:owner-secret',
  'stranger:enqueue+read+approve+operate+admin@other:stranger-secret',
  ...ROLES.map((role) => `only-${role}:${role}:only-${role}`),
].join(',');

const keyed = routes.filter(({ role }) => role !== undefined);

let service: Service;
/** An item of each kind, of the account `main`; by the beginning of its path. */
const ids = new Map<string, string>();

beforeAll(async () => {
  service = await startService({ API_KEYS: KEYS, DIRECT_CREDIT: 'on' });
  const csv = 'reference;accountAlias;amount;withdrawMode\nrow-1;771234567;1000;wallet-a-senegal\n';
  for (const route of keyed.filter(({ method, path }) => method === 'post' && !path.includes('{'))) {
    const call =
      route.id === 'createBatch' ? { body: csv, headers: { 'content-type': 'text/csv' } } : exampleCall(route);
    const { body, status } = await service.call('POST', route.path, { ...call, key: 'owner-secret' });
    expect(status, `${route.id} ${JSON.stringify(body)}`).toBeLessThan(300);
    ids.set(route.path, body.id ?? body.items?.[0]?.id);
  }
  const paid = ids.get('/v1/disbursements') ?? '';
  await service.ledger.query(`insert into relais.callback (id, body) values ('${paid}', '{}')`);
  for (const path of ['/v1/explain', '/v1/callbacks']) ids.set(path, paid);
  ids
    .set('/v1/queues', 'campaign')
    .set('/v1/accounts', 'main')
    .set('/v1/balances', 'BBJ0123456789')
    .set('/v1/limits', 'MAX_PER_DAY');
});
afterAll(() => service.stop());

function ask(route: RouteDeclaration, key: string | null, from = '127.0.0.1'): Promise<Answer> {
  const [, place = ''] = /^(\/v1\/[\w-]+)/.exec(route.path) ?? [];
  return service.call(route.method.toUpperCase(), pathTo(route, ids.get(place) ?? ''), {
    ...exampleCall(route),
    key,
    from,
  });
}

test('an item of every kind exists that others must not see', () => {
  const places = keyed
    .filter((route) => pathParameters(route).length > 0)
    .map(({ path }) => path.split('/{')[0] ?? '');
  expect([...new Set(places)].filter((place) => !ids.get(place))).toEqual([]);
});

describe.for(keyed)('$method $path', (route) => {
  test('without a key, or with an unknown one: 401', async () => {
    // Many wrong keys from one address would be rate-limited.
    const stranger = `127.0.1.${keyed.indexOf(route)}`;
    expect((await ask(route, null, stranger)).status).toBe(401);
    expect((await ask(route, 'nobody-knows-me', stranger)).status).toBe(401);
  });

  test('with any other role alone: 403', async () => {
    const enough: readonly (Role | undefined)[] = [...(route.role ? rolesWith(route.role) : []), route.orRole];
    const others = ROLES.filter((role) => !enough.includes(role) || route.alsoRole !== undefined);
    const statuses = others.map(async (role) => [role, (await ask(route, `only-${role}`)).status]);
    expect(await Promise.all(statuses)).toEqual(others.map((role) => [role, 403]));
  });

  test('with a key of another account', async () => {
    const { status, body } = await ask(route, 'stranger-secret');
    if (route.scope === 'record') expect(status).toBe(404);
    if (route.scope === 'named') expect(status).toBe(403);
    if (route.scope !== 'list') return;
    expect(status).toBe(200);
    // A stream begins with no events of other accounts; its own test covers the rest.
    const shown: { id?: string; account?: string; name?: string }[] = body.items ?? body.events ?? body.rows ?? [];
    const others = [...ids.values()];
    expect(shown.filter(({ id, account, name }) => others.includes(id ?? name ?? '') || account === 'main')).toEqual(
      [],
    );
  });
});

// Last, since it changes existing data.
test.for(keyed.filter(({ alsoRole }) => alsoRole === undefined))(
  '$method $path with one role that is enough is not refused',
  async (route) => {
    for (const role of route.role ? rolesWith(route.role) : [])
      expect([401, 403], role).not.toContain((await ask(route, `only-${role}`)).status);
  },
);

test('enqueue-sms sends no money, enqueue-payments sends no SMS, and enqueue means both', () => {
  const routesWith = (role: Role) => keyed.filter((route) => route.role === role).map(({ id }): string => id);
  const [sms, payments] = [routesWith('enqueue-sms'), routesWith('enqueue-payments')];
  expect(sms).toEqual(expect.arrayContaining(['sendMessages', 'createCampaign', 'startCampaign', 'addOptOuts']));
  expect(payments).toEqual(
    expect.arrayContaining(['createDisbursement', 'createBatch', 'createDirectCredit', 'createInvoice']),
  );
  expect(sms.filter((id) => payments.includes(id))).toEqual([]);
  expect(routesWith('enqueue')).toEqual([]);
});

/** A redirect target has no content of its own. */
const isOpen = ({ role, session, method, answers }: RouteDeclaration) =>
  role === undefined && !session && method === 'get' && answers[200] !== undefined;

test.for(routes.filter(isOpen))('$path needs no key', async ({ path }) => {
  const open = path.replace('{kind}', 'invalid');
  expect((await service.call('GET', open, { key: null })).status).toBe(200);
});

/** Every answer that is documented is given once, and every answer that is given is documented. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { type ProblemKind } from '../../../src/api/problem.ts';
import { type RouteDeclaration, pathParameters, problemsOfRoute } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import { actNames } from '../../../src/kinds/acts.ts';
import type { Queries } from '../../../src/ledger/queries.ts';
import { startRoles } from '../../../src/app/run.ts';
import { HeldBytes } from '../../../src/lib/held-bytes.ts';
import { onlyOf } from '../../support/only.ts';
import { removed } from '../../support/stored.ts';
import { ask, type Call, KEYS, type Service, startService } from '../../support/service.ts';
import { type IdentityProviderHere, startIdentityProvider } from '../../support/identity-provider.ts';
import { startBroken } from './broken-service.ts';
import { type Ask, Contract } from './contract.ts';
import { exampleCall, pageCall, pathTo } from './example-call.ts';
import { busySessionScenes, providerScenes, sessionScenes } from './scenes-console.ts';
import { invoiceScenes, paymentRequestScenes } from './scenes-collect.ts';
import { balanceScenes, batchScenes, directCreditScenes, disbursementScenes } from './scenes-money.ts';
import { campaignScenes, eventScenes, messageScenes, operatingScenes } from './scenes-rest.ts';
import { type Stage, stageOf } from './stage.ts';

const contract = new Contract();
const ROW = '[{"reference":"a","accountAlias":"771234567","amount":1000,"withdrawMode":"wallet-a-senegal"}]';
const keyed = routes.filter(({ role }) => role !== undefined);
const BY_PROVIDER: readonly string[] = ['beginSignIn', 'finishSignIn'];
const ofSession = routes.filter(({ session, id }) => session || id === 'createSession' || BY_PROVIDER.includes(id));
const withBody = routes.filter(({ body, session }) => body !== undefined && !session);

const ENV = {
  API_KEYS: `${KEYS},switcher:operate:switcher-secret`,
  UPSTREAM_TIMEOUT: '400ms',
  DIRECT_CREDIT: 'on',
  APPROVAL_ABOVE: '40000',
  // A submit that was lost before its work ends with a person.
  DISBURSEMENT_RESUBMIT: 'strict',
  DISBURSEMENT_QUIET_PERIOD: '200ms',
};

let service: Service;
let provider: IdentityProviderHere;
let stage: Stage;
/** Nobody looks by himself, so that a fault strikes the request that it was ordered for. */
let quiet: Stage;
const toStop: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider({});
  toStop.push(() => provider.close());
  service = await startService({ ...ENV, ...provider.settings, OIDC_GROUPS: 'staff:read' });
  provider.open(service.api);
  const sealed = await startRoles(
    loadConfig({
      REDIS_URL: service.redisUrl,
      DATABASE_URL: service.databaseUrl,
      API_KEYS: 'maker:read+operate:maker-secret',
      API_PORT: '0',
      LOG_LEVEL: 'silent',
    }),
    ['api'],
  );
  toStop.push(() => sealed.stop());
  const watch = (door: Ask): Ask => contract.watch(door);
  const door: Ask = (method, path, how = {}) => ask(`${sealed.urls.api}${path}`, method, how);
  stage = stageOf(service, watch, door);
  const unswept = await startService({ ...ENV, SWEEP_INTERVAL: '10m' });
  toStop.push(() => unswept.stop());
  quiet = stageOf(unswept, watch, door);
});
afterAll(async () => {
  for (const stop of toStop) await stop();
  await service.stop();
});

describe('what can go wrong with any route', () => {
  test.for(keyed)('$method $path without a key', async (route) => {
    const { status } = await stage.ask(route.method.toUpperCase(), pathTo(route, 'main'), {
      key: null,
      from: `127.0.1.${keyed.indexOf(route)}`,
    });
    expect(status).toBe(401);
  });

  test.for(keyed)('$method $path with a key that may do something else', async (route) => {
    const call = { ...exampleCall(route), key: route.role === 'read' ? 'switcher-secret' : 'reader-secret' };
    expect((await stage.ask(route.method.toUpperCase(), pathTo(route, 'main'), call)).status).toBe(403);
  });

  test.for(withBody)('$method $path with a body that is of no use', async (route) => {
    const method = route.method.toUpperCase();
    const path = pathTo(route, 'nothing');
    const send = (body: string, type: string) => stage.ask(method, path, { body, headers: { 'content-type': type } });
    const kinds = problemsOfRoute(route);
    expect((await send('<a/>', 'application/xml')).status).toBe(415);
    if (kinds.includes('malformed')) {
      const odd = {
        'content-type': 'application/json',
        ...(route.identity ? { 'idempotency-key': 'x'.repeat(300) } : {}),
      };
      expect((await stage.ask(method, path, { body: route.body?.schema ? '{' : ROW, headers: odd })).status).toBe(
        400,
      );
    }
    if (kinds.includes('too-large')) {
      expect((await send(`"${'x'.repeat(5_100_000)}"`, 'application/json')).status).toBe(413);
    }
  });
});

/** With a record of any kind that would be taken on, if anything were. */
function closedBy(kind: 'recovering'): object {
  const refusal = () => ({ kind, detail: 'for the test' });
  const record = { account: 'main', state: 'draft', chunks: 1, fields: {} };
  return { refusal, queries: { read: async () => record } };
}

/** Of what a person may decide, only this lets something leave. */
function callOf(route: RouteDeclaration, kind: ProblemKind | undefined): Call {
  const word = { outcome: 'resubmit', note: 'for the test' };
  if (kind !== 'recovering') return exampleCall(route);
  if (route.id === 'resolveDisbursement') return { body: word };
  const confirm = { count: 1, selection: '5f70bf18a0860070' };
  return route.id === 'resolveSelection'
    ? { body: { ...word, where: { reason: 'restored' }, confirm } }
    : exampleCall(route);
}

describe('what is behind the door', () => {
  test.for([
    ['fails', 500, new Error('boom'), undefined],
    ['is away', 503, new Error('Connection is closed.'), undefined],
    ['may have lost something', 503, new Error('boom'), 'recovering'],
  ] as const)('%s, and every route says so', async ([_what, expected, failure, kind]) => {
    const broken = await startBroken(failure, kind && closedBy(kind));
    const door = contract.watch((method, path, how = {}) => ask(`${broken.url}${path}`, method, how));
    const careless = [];
    for (const route of [...keyed, ...ofSession].filter(
      (one) => kind === undefined || problemsOfRoute(one).includes(kind),
    )) {
      const { status } = await door(route.method.toUpperCase(), pathTo(route, 'main'), callOf(route, kind));
      if (status !== expected) careless.push(`${route.id} ${status}`);
    }
    await broken.close();
    expect(careless).toEqual([]);
  });
});

/** More than what is too short to be counted. */
function largeCallOf(route: RouteDeclaration): Call {
  const { body, headers, ...how } = exampleCall(route);
  const type = route.body?.schema ? { 'content-type': 'application/json' } : {};
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return body === undefined ? how : { ...how, body: text + ' '.repeat(8_000), headers: { ...type, ...headers } };
}

test('every route that holds a body refuses one where there is no room for it', async () => {
  const open = { state: 'draft', account: 'main' };
  const heldBytes = new HeldBytes({ ofCaller: 8_000, ofProcess: 8_000 });
  const full = await startBroken(new Error('boom'), {
    heldBytes,
    queries: onlyOf<Queries>({ read: async () => open as never }),
  });
  const door = contract.watch((method, path, how = {}) => ask(`${full.url}${path}`, method, how));
  const careless = [];
  const holding = routes.filter((route) => problemsOfRoute(route).includes('busy'));
  expect(withBody.filter(({ role }) => role !== undefined).filter((route) => !holding.includes(route))).toEqual([]);
  for (const route of holding) {
    const { status, headers } = await door(route.method.toUpperCase(), pathTo(route, 'main'), largeCallOf(route));
    if (status !== 503 || headers['retry-after'] !== '5') careless.push(`${route.id} ${status}`);
  }
  await full.close();
  expect(careless).toEqual([]);
});

test('who asks too often is told on every route', async () => {
  const busy = await startService({ API_RATE: '1' });
  toStop.push(() => busy.stop());
  const door = contract.watch((method, path, call) => busy.call(method, path, call));
  for (const route of keyed) {
    const tries = Array.from({ length: 3 }, () =>
      door(route.method.toUpperCase(), pathTo(route, 'main'), exampleCall(route)),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses, route.id).toContain(429);
  }
  await vi.waitFor(async () => {
    const answer = await door('POST', '/v1/session', pageCall('', { body: { key: 'maker-secret' } }));
    expect(answer.status).toBe(200);
    await busySessionScenes(door, String(answer.headers['set-cookie']).split(';')[0] ?? '');
  }, 10_000);
});

describe('what happens to', () => {
  test('disbursements', () => disbursementScenes(stage));
  test('batches', () => batchScenes(stage));
  test('direct credits', () => directCreditScenes(stage));
  test('balances', () => balanceScenes(quiet));
  test('invoices', () => invoiceScenes(quiet));
  test('payment requests', () => paymentRequestScenes(quiet));
  test('messages', () => messageScenes(stage));
  test('campaigns', () => campaignScenes(stage));
  test('queues, accounts and explanations', () => operatingScenes(stage));
  test('events and endpoints', () => eventScenes(stage));
  test('sessions of the console', () => sessionScenes(stage));
  test('who signs in by a provider of identities', () => providerScenes(stage, provider));
});

test('what is not there, and what is not valid, is told on every route', async () => {
  for (const route of routes) {
    const kinds = problemsOfRoute(route);
    const method = route.method.toUpperCase();
    const call = exampleCall(route);
    if (pathParameters(route).length > 0 && route.tag !== 'Operating') {
      expect((await stage.ask(method, pathTo(route, 'nothing'), call)).status, route.id).toBe(404);
    }
    if (!kinds.includes('invalid')) continue;
    if (route.role) await stage.ask(method, `${pathTo(route, 'main')}?nonsense=1`, call);
    const wrong = route.query?.['limit'] ? '?limit=0' : route.query ? '?account=%21' : '';
    const body = wrong === '' && route.body?.schema ? { body: { nonsense: true } } : call;
    await stage.ask(method, `${pathTo(route, 'main')}${wrong}`, body);
  }
});

test('every route tells what is known of an operation that retention removed', async () => {
  for (const route of routes) {
    if (route.record === undefined) continue;
    const path = pathTo(route, await removed(service, route.record));
    const { status, body } = await stage.ask(route.method.toUpperCase(), path, exampleCall(route));
    expect([route.id, status, body.state]).toEqual([route.id, 410, 'succeeded']);
  }
});

test('every act that there is has left its line, and no other', async () => {
  const acts = [stage, quiet].map((at) =>
    at.service.ledger.query<{ act: string }>('select distinct act from relais.audit_line'),
  );
  const told = new Set((await Promise.all(acts)).flat().map(({ act }) => act));
  expect(told).toEqual(new Set(actNames.filter((act) => act !== 'audit.forget')));
});

test('nothing is documented that was never answered', () => {
  expect(contract.missing()).toEqual([]);
});

/** Properties of every route: each is called, so that none is forgotten. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ProblemKind } from '../../../src/api/problem.ts';
import { type RouteDeclaration, pathParameters, problemsOfRoute } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import type { Queries } from '../../../src/ledger/queries.ts';
import { HeldBytes } from '../../../src/lib/held-bytes.ts';
import { assertDeclared } from '../../support/contract.ts';
import { onlyOf } from '../../support/only.ts';
import { type Answer, ask, type Call, type Service, startService } from '../../support/service.ts';
import { removed } from '../../support/stored.ts';
import { type BrokenService, startBroken } from './broken-service.ts';
import { exampleCall, pageCall, pathTo } from './example-call.ts';
import { message } from '../../../src/messages/message.ts';

const ROW = '[{"reference":"a","accountAlias":"771234567","amount":1000,"withdrawMode":"wallet-a-senegal"}]';
const MAKER = { body: { key: 'maker-secret' } };
const keyed = routes.filter(({ role }) => role !== undefined);
const BY_PROVIDER: readonly string[] = ['beginSignIn', 'finishSignIn'];
const ofSession = routes.filter(({ session, id }) => session || id === 'createSession' || BY_PROVIDER.includes(id));
const withBody = routes.filter(({ body, session }) => body !== undefined && !session);
const methodOf = ({ method }: RouteDeclaration): string => method.toUpperCase();

let service: Service;
beforeAll(async () => {
  service = await startService({ DIRECT_CREDIT: 'on' });
});
afterAll(() => service?.stop());

async function askBroken(broken: BrokenService, route: RouteDeclaration, call: Call): Promise<Answer> {
  const path = pathTo(route, 'main');
  const answer = await ask(`${broken.url}${path}`, methodOf(route), call);
  assertDeclared(methodOf(route), path, answer);
  return answer;
}

test.for(withBody)('$method $path refuses a body that it cannot read', async (route) => {
  const path = pathTo(route, 'nothing');
  const send = (body: string, type: string) =>
    service.call(methodOf(route), path, { body, headers: { 'content-type': type } });
  const kinds = problemsOfRoute(route);
  expect((await send('<a/>', 'application/xml')).status).toBe(415);
  if (kinds.includes('malformed')) {
    const headers = {
      'content-type': 'application/json',
      ...(route.identity ? { 'idempotency-key': 'x'.repeat(300) } : {}),
    };
    const body = route.body?.schema ? '{' : ROW;
    expect((await service.call(methodOf(route), path, { body, headers })).status).toBe(400);
  }
  if (kinds.includes('too-large')) {
    expect((await send(`"${'x'.repeat(5_100_000)}"`, 'application/json')).status).toBe(413);
  }
});

/** With a record of any kind, so that only the recovery refuses the request. */
function closedBy(kind: 'recovering'): object {
  const refusal = () => ({ kind, detail: message('in_recovery') });
  const record = { account: 'main', state: 'draft', chunks: 1, fields: {} };
  return { refusal, queries: { read: async () => record } };
}

/** Of an operator's decisions, only `resubmit` lets a request leave. */
function callOf(route: RouteDeclaration, kind: ProblemKind | undefined): Call {
  const resubmit = { outcome: 'resubmit', note: 'for the test' };
  if (kind !== 'recovering') return exampleCall(route);
  if (route.id === 'resolveDisbursement') return { body: resubmit };
  const confirm = { count: 1, selection: '5f70bf18a0860070' };
  return route.id === 'resolveSelection'
    ? { body: { ...resubmit, where: { reason: 'restored' }, confirm } }
    : exampleCall(route);
}

describe('every route answers when the ledger', () => {
  test.for([
    ['fails', 500, new Error('boom'), undefined],
    ['is away', 503, new Error('Connection is closed.'), undefined],
    ['is recovering', 503, new Error('boom'), 'recovering'],
  ] as const)('%s: %i', async ([_what, expected, failure, kind]) => {
    const broken = await startBroken(failure, kind && closedBy(kind));
    const others: string[] = [];
    for (const route of [...keyed, ...ofSession]) {
      if (kind !== undefined && !problemsOfRoute(route).includes(kind)) continue;
      const { status } = await askBroken(broken, route, callOf(route, kind));
      if (status !== expected) others.push(`${route.id} ${status}`);
    }
    await broken.close();
    expect(others).toEqual([]);
  });
});

/** Larger than the short bodies, whose memory is not counted. */
function largeCallOf(route: RouteDeclaration): Call {
  const { body, headers, ...how } = exampleCall(route);
  const type = route.body?.schema ? { 'content-type': 'application/json' } : {};
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return body === undefined ? how : { ...how, body: text + ' '.repeat(8_000), headers: { ...type, ...headers } };
}

test('every route with a body refuses one for which it has no memory', async () => {
  const open = { state: 'draft', account: 'main' };
  const full = await startBroken(new Error('boom'), {
    heldBytes: new HeldBytes({ ofCaller: 8_000, ofProcess: 8_000 }),
    queries: onlyOf<Queries>({ read: async () => open as never }),
  });
  const others: string[] = [];
  const holding = routes.filter((route) => problemsOfRoute(route).includes('busy'));
  expect(withBody.filter(({ role }) => role !== undefined).filter((route) => !holding.includes(route))).toEqual([]);
  for (const route of holding) {
    const { status, headers } = await askBroken(full, route, largeCallOf(route));
    if (status !== 503 || headers['retry-after'] !== '5') others.push(`${route.id} ${status}`);
  }
  await full.close();
  expect(others).toEqual([]);
});

async function signIn(at: Service): Promise<string> {
  const { status, headers } = await at.call('POST', '/v1/session', pageCall('', MAKER));
  expect(status).toBe(200);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** Three concurrent requests exceed the limit of a key. */
async function askTooOften(at: Service, route: RouteDeclaration, call: Call): Promise<void> {
  const tries = Array.from({ length: 3 }, () => at.call(methodOf(route), pathTo(route, 'main'), call));
  expect(
    (await Promise.all(tries)).map(({ status }) => status),
    route.id,
  ).toContain(429);
}

test('every route limits the requests of a key, with a session as without', async () => {
  const busy = await startService({ API_RATE: '1' });
  try {
    for (const route of keyed) await askTooOften(busy, route, exampleCall(route));
    const cookie = await vi.waitFor(() => signIn(busy));
    const sessions = routes.filter(({ session }) => session);
    // A sign-in ends the session of the cookie, so it comes last.
    for (const route of [...sessions, ...routes.filter(({ id }) => id === 'createSession')])
      await askTooOften(busy, route, pageCall(cookie, route.body ? MAKER : {}));
  } finally {
    await busy.stop();
  }
});

test('every route that asks for a fresh sign-in refuses an old session', async () => {
  const cookie = await signIn(service);
  await service.ledger.query('update relais.session set confirmed_at = to_timestamp(0)');
  for (const route of routes.filter(({ fresh }) => fresh)) {
    const call = pageCall(cookie, exampleCall(route));
    const { status, body } = await service.call(methodOf(route), pathTo(route, 'main'), call);
    expect([route.id, status, body.rule]).toEqual([route.id, 403, 'sign-in-again']);
  }
});

test('every route names an id that does not exist, and a parameter that it does not have', async () => {
  for (const route of routes) {
    const call = exampleCall(route);
    if (pathParameters(route).length > 0 && route.tag !== 'Operating') {
      expect((await service.call(methodOf(route), pathTo(route, 'nothing'), call)).status, route.id).toBe(404);
    }
    if (!route.role || !problemsOfRoute(route).includes('invalid')) continue;
    const path = pathTo(route, 'main');
    const { status } = await service.call(
      methodOf(route),
      `${path}${path.includes('?') ? '&' : '?'}nonsense=1`,
      call,
    );
    expect([404, 422], route.id).toContain(status);
  }
});

test('every route returns the tombstone of an operation that retention removed', async () => {
  for (const route of routes) {
    if (route.record === undefined) continue;
    const path = pathTo(route, await removed(service, route.record));
    const { status, body } = await service.call(methodOf(route), path, exampleCall(route));
    expect([route.id, status, body.state]).toEqual([route.id, 410, 'succeeded']);
  }
});

/** What happens to sessions of the console, until every answer was given once. */
import { expect, vi } from 'vitest';
import type { RouteDeclaration } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import type { IdentityProviderHere } from '../../support/identity-provider.ts';
import { exampleCall, pageCall, pathTo } from './example-call.ts';
import type { Stage } from './stage.ts';

const MAKER = { body: { key: 'maker-secret' } };

async function signIn({ ask }: Pick<Stage, 'ask'>): Promise<string> {
  const { status, headers } = await ask('POST', '/v1/session', pageCall('', MAKER));
  expect(status).toBe(200);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

export async function sessionScenes(stage: Stage): Promise<void> {
  const { ask } = stage;
  const cookie = await signIn(stage);
  const of = (method: string, path: string, call = {}) => ask(method, path, pageCall(cookie, call));
  expect((await ask('POST', '/v1/session', MAKER)).body.rule).toBe('origin');
  expect((await ask('POST', '/v1/session', pageCall('', { body: { key: 'nobody' } }))).status).toBe(401);
  for (const route of routes.filter(({ session }) => session)) {
    const [method, path] = [route.method.toUpperCase(), route.path];
    expect((await ask(method, path)).status).toBe(401);
    expect((await of(method, `${path}?nonsense=1`)).status).toBe(422);
  }
  const confirm = '/v1/session/confirm';
  const send = (body: string, type: string) => of('POST', confirm, { body, headers: { 'content-type': type } });
  expect((await send('<a/>', 'application/xml')).status).toBe(415);
  expect((await send('{', 'application/json')).status).toBe(400);
  expect((await send(`"${'x'.repeat(20_000)}"`, 'application/json')).status).toBe(413);
  expect((await of('GET', '/v1/session')).status).toBe(200);
  expect((await of('POST', confirm, MAKER)).status).toBe(200);
  await staleScenes(stage, cookie);
  expect((await of('DELETE', '/v1/session')).status).toBe(204);
  await reportScenes(stage);
}

/** One who is sent to the provider of identities, and comes back with nothing; with a real one, that goes away. */
export async function providerScenes({ ask, sealed }: Stage, provider: IdentityProviderHere): Promise<void> {
  const place = '/v1/session/provider';
  const begin = pageCall('', { body: { at: '/approvals' } });
  expect((await ask('GET', place, { key: null })).body).toEqual({ host: new URL(provider.issuer).host });
  expect((await ask('GET', `${place}?nonsense=1`, { key: null })).status).toBe(422);
  expect((await ask('POST', place, { key: null, body: {} })).body.rule).toBe('origin');
  expect((await ask('POST', place, pageCall('', { body: { at: 'https://evil.example' } }))).status).toBe(422);
  const sent = await ask('POST', place, begin);
  expect(sent.body.url).toMatch(/code_challenge_method=S256/);
  expect(sent.headers['set-cookie']).toMatch(/^relais-sign-in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  await provider.setAway(true);
  // It was asked a moment ago, and nothing waits for a clock: the person who was sent comes back to nobody.
  const [, state = ''] = /[?&]state=([^&]*)/.exec(sent.body.url) ?? [];
  const cookie = String(sent.headers['set-cookie']).split(';')[0] ?? '';
  const callback = `/v1/session/callback?state=${state}&code=made-up&iss=${encodeURIComponent(provider.issuer)}&hd=x`;
  const came = await ask('GET', callback, { key: null, headers: { cookie } });
  expect([came.status, came.headers['location']]).toEqual([303, '/console/?not-signed-in=away']);
  await vi.waitFor(async () => expect((await ask('POST', place, begin)).status).toBe(503), 20_000);
  await provider.setAway(false);
  expect((await ask('GET', '/v1/session/callback?code=a&code=b', { key: null })).status).toBe(422);
  expect((await sealed('POST', place, begin)).status).toBe(404);
  expect((await sealed('GET', '/v1/session/callback', { key: null })).status).toBe(404);
}

/** What asks for a fresh sign-in, a while after it. */
async function staleScenes({ ask, service: { ledger } }: Stage, cookie: string): Promise<void> {
  await ledger.query(`update relais.session set confirmed_at = to_timestamp(0)`);
  const fresh = routes.filter((route: RouteDeclaration) => route.fresh);
  for (const route of fresh) {
    const refused = await ask(
      route.method.toUpperCase(),
      pathTo(route, 'main'),
      pageCall(cookie, exampleCall(route)),
    );
    expect([route.id, refused.status, refused.body.rule]).toEqual([route.id, 403, 'sign-in-again']);
  }
}

async function reportScenes({ ask }: Stage): Promise<void> {
  const report = { 'csp-report': { 'effective-directive': 'img-src', 'blocked-uri': 'https://elsewhere.example/a' } };
  expect((await ask('POST', '/v1/console-reports', { key: null, body: report })).status).toBe(204);
  expect((await ask('POST', '/v1/console-reports?nonsense=1', { key: null, body: report })).status).toBe(422);
}

/** One key asks too often: with a session as without. Signing in ends the session that was there, so it is the last. */
export async function busySessionScenes(ask: Stage['ask'], cookie: string): Promise<void> {
  const ofSession = routes.filter(({ session }) => session);
  for (const route of [...ofSession, ...routes.filter(({ id }) => id === 'createSession')]) {
    const call = pageCall(cookie, route.body ? MAKER : {});
    const tries = Array.from({ length: 3 }, () => ask(route.method.toUpperCase(), route.path, call));
    expect(
      (await Promise.all(tries)).map(({ status }) => status),
      route.id,
    ).toContain(429);
  }
}

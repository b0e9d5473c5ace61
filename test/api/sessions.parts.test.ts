/** Sign-in from a browser: start, rights and end of a session. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiOn, type Running } from '../support/api-process.ts';
import { type Browser, browserAt } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const API_KEYS = [
  'root:admin:root-secret',
  'awa:read+approve+operate:awa-secret',
  'shop:enqueue+read:shop-secret',
  'other:read@other:other-secret',
].join(',');

let service: Service;
let second: Running;
beforeAll(async () => {
  service = await startService({ API_KEYS, APPROVAL_ABOVE: '40000', SWEEP_INTERVAL: '10m', API_RATE: '0' });
  const { base, crm } = service.sandbox;
  second = await apiOn(service, { API_KEYS, SERVICE_BASE_URL: base, SERVICE_CRM_URL: crm });
});
afterAll(async () => {
  await second?.stop();
  await service?.stop();
});

async function signedIn(key = 'awa-secret', url = service.api): Promise<Browser> {
  const browser = browserAt(url);
  expect((await browser.signIn(key)).status).toBe(200);
  return browser;
}

/** The same browser at the other process: a cookie is not bound to a port. */
const elsewhere = ({ cookie }: Browser): Browser => Object.assign(browserAt(second.url), { cookie });

const COLUMNS: Readonly<Record<string, string>> = {
  startedAt: 'started_at',
  usedAt: 'used_at',
  confirmedAt: 'confirmed_at',
};

/** Shifts the stored times of a browser's session by this many minutes. */
async function aged(browser: Browser, minutes: number, which: readonly string[]): Promise<void> {
  const [, id = ''] = browser.cookie?.split('=') ?? [];
  const own = `where hash = '\\x${await hashOf(id)}'`;
  const earlier = which.map((name) => `${COLUMNS[name]} = ${COLUMNS[name]} - interval '${minutes} minutes'`);
  await service.ledger.query(`update relais.session set ${earlier.join(', ')} ${own}`);
  await service.ledger.query(`update relais.session set
    expires_at = least(used_at + interval '30 minutes', started_at + interval '8 hours') ${own}`);
}

const hashOf = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex');

const told = async (act: string) =>
  (await service.call('GET', '/v1/audit?limit=20', { key: 'root-secret' })).body.items.filter(
    (line: { act: string }) => line.act === act,
  );

describe('a key that is shown', () => {
  test('is exchanged for a session with its holder and its end', async () => {
    const before = Date.now();
    const { body, headers } = await browserAt(service.api).fetch('POST', '/v1/session', {
      body: { key: 'awa-secret' },
      headers: { 'accept-language': 'fr-SN,en;q=0.5' },
    });
    expect(body).toMatchObject({
      name: 'awa',
      person: null,
      roles: ['read', 'approve', 'operate'],
      accounts: null,
      language: 'fr',
    });
    const minutes = (time: string): number => Math.floor((Date.parse(time) - before) / 60_000);
    expect([body.expiresAt, body.idleUntil, body.confirmedUntil].map(minutes)).toEqual([480, 30, 5]);
    expect(headers['set-cookie']).toMatch(/^relais=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(headers['cache-control']).toBe('no-store');
  });

  test('is stored in no form that reveals it or the cookie', async () => {
    const { cookie = '' } = await signedIn();
    const kept = await service.ledger.query<{ row: string }>('select s::text as row from relais.session s');
    expect(kept.length).toBeGreaterThan(0);
    const text = JSON.stringify(kept);
    const digest = await hashOf('awa-secret');
    for (const secret of ['awa-secret', digest, cookie.split('=')[1] ?? '']) expect(text).not.toContain(secret);
  });

  test('over https has the cookie that no other host, and no plain connection, can set or read', async () => {
    const page = browserAt(service.api, { origin: 'https://console.example', host: 'console.example' });
    const { headers } = await page.signIn('awa-secret');
    expect(headers['set-cookie']).toMatch(/^__Host-relais=[0-9a-f]{64}; Secure; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await page.fetch('GET', '/v1/session')).status).toBe(200);
  });

  test('behind a proxy that hides the name of the host has that cookie too', async () => {
    const page = browserAt(service.api, { origin: 'https://console.example' });
    expect((await page.signIn('awa-secret')).headers['set-cookie']).toContain('__Host-relais=');
  });

  test.for([
    ['a program', { 'sec-fetch-site': '' }],
    ['a page of another origin', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a page of a sibling', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }],
    ['a form', { 'x-relais-console': '' }],
    ['a page over plain http', { origin: 'http://console.example' }],
    ['a page that hides where it is', { origin: 'null' }],
  ] as const)('by %s is not exchanged', async ([_what, headers]) => {
    const refused = await browserAt(service.api, headers).signIn('awa-secret');
    expect([refused.status, refused.body.rule]).toEqual([403, 'origin']);
    expect(refused.headers['set-cookie']).toBeUndefined();
  });

  test('and is wrong, or over, gets one and the same answer', async () => {
    const { body } = await service.call('POST', '/v1/keys', {
      key: 'root-secret',
      body: { name: 'gone', roles: ['read'], person: 'gone' },
    });
    await service.call('DELETE', `/v1/keys/${body.id}`, { key: 'root-secret' });
    const answers = await Promise.all(
      [body.secret, 'never-was', `rk_${'0'.repeat(64)}`].map((key) => browserAt(service.api).signIn(key)),
    );
    expect(new Set(answers.map((one) => JSON.stringify([one.status, one.body]))).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
  });
});

describe('a session', () => {
  test('does for its key, with its roles and accounts, in every process', async () => {
    const [awa, other] = [await signedIn(), await signedIn('other-secret')];
    for (const browser of [awa, elsewhere(awa)]) {
      expect((await browser.fetch('GET', '/v1/queues')).status).toBe(200);
      expect((await browser.fetch('POST', '/v1/disbursements', { body: {} })).body.rule).toBe('role');
    }
    expect((await other.fetch('GET', '/v1/disbursements?account=main')).body.rule).toBe('account');
  });

  test('is logged at its start, confirmation and end, by its key and its entry point', async () => {
    const browser = await signedIn();
    await browser.fetch('POST', '/v1/session/confirm', { body: { key: 'awa-secret' } });
    await browser.fetch('POST', '/v1/accounts/main/stop');
    await browser.fetch('POST', '/v1/accounts/main/release');
    await browser.fetch('DELETE', '/v1/session');
    for (const act of ['session.sign-in', 'session.confirm', 'account.stop', 'session.sign-out']) {
      expect((await told(act))[0], act).toMatchObject({ by: 'awa', source: 'console' });
    }
  });

  test('ends after half an hour without a request, and continues with one', async () => {
    const browser = await signedIn();
    await aged(browser, 29, ['usedAt']);
    expect((await browser.fetch('GET', '/v1/queues')).status).toBe(200);
    await aged(browser, 29, ['usedAt']);
    expect((await browser.fetch('GET', '/v1/queues')).status).toBe(200);
    await aged(browser, 30, ['usedAt']);
    expect((await browser.fetch('GET', '/v1/queues')).status).toBe(401);
  });

  test('is not prolonged by the page’s automatic requests', async () => {
    const browser = await signedIn();
    await aged(browser, 20, ['usedAt']);
    const asks = { headers: { 'x-relais-console': 'background' } };
    expect((await browser.fetch('GET', '/v1/queues', asks)).status).toBe(200);
    await aged(browser, 10, ['usedAt']);
    expect((await browser.fetch('GET', '/v1/session', asks)).status).toBe(401);
  });

  test('is not prolonged by its stream of events, which comes back by itself', async () => {
    const browser = await signedIn();
    await aged(browser, 20, ['usedAt']);
    const stream = await browser.fetch('GET', '/v1/stream', {
      headers: { 'x-relais-console': '', accept: 'text/event-stream' },
      until: 'retry:',
    });
    expect(stream.status).toBe(200);
    await aged(browser, 10, ['usedAt']);
    expect((await browser.fetch('GET', '/v1/session')).status).toBe(401);
  });

  test('ends in every tab and every process when it is signed out of', async () => {
    const one = await signedIn();
    const two = elsewhere(one);
    const cookie = one.cookie ?? '';
    expect((await one.fetch('DELETE', '/v1/session')).status).toBe(204);
    expect(one.cookie).toBeUndefined();
    expect((await two.fetch('GET', '/v1/queues')).status).toBe(401);
    expect((await one.fetch('GET', '/v1/session', { headers: { cookie } })).status).toBe(401);
  });

  test('ends in every process within three seconds when its key is revoked, and its stream of events too', async () => {
    const { body } = await service.call('POST', '/v1/keys', {
      key: 'root-secret',
      body: { name: 'leaver', roles: ['read', 'operate'], person: 'leaver' },
    });
    const browser = await signedIn(body.secret);
    const both = [browser, elsewhere(browser)];
    const stream = await follow(browser);
    await service.call('DELETE', `/v1/keys/${body.id}`, { key: 'root-secret' });
    const statuses = async () => Promise.all(both.map(async (one) => (await one.fetch('GET', '/v1/queues')).status));
    await vi.waitFor(async () => expect(await statuses()).toEqual([401, 401]), { interval: 50 });
    await stream.ended;
  });
});

async function follow(browser: Browser): Promise<{ readonly ended: Promise<string> }> {
  const headers = { 'sec-fetch-site': 'same-origin', cookie: browser.cookie ?? '' };
  const stream = await fetch(`${service.api}/v1/stream`, { headers });
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, expect.stringContaining('event-stream')]);
  return { ended: stream.text() };
}

test('the stream of events is followed with a session, and ends when it is signed out of', async () => {
  const browser = await signedIn();
  const stream = await follow(browser);
  await browser.fetch('DELETE', '/v1/session');
  expect(await stream.ended).toContain('retry:');
});

describe('critical acts', () => {
  const payment = { accountAlias: '771234567', amount: 50_000, withdrawMode: 'wallet-a-senegal' };
  const waiting = async (reference: string): Promise<string> =>
    (await service.call('POST', '/v1/disbursements', { body: { ...payment, reference }, key: 'shop-secret' })).body
      .id;

  test('asks for the key again after five minutes', async () => {
    const browser = await signedIn();
    const id = await waiting('five');
    await aged(browser, 5, ['confirmedAt']);
    const refused = await browser.fetch('POST', `/v1/disbursements/${id}/approve`);
    expect([refused.status, refused.body.type, refused.body.rule]).toEqual([
      403,
      expect.stringMatching(/\/problems\/sign-in-again$/),
      'sign-in-again',
    ]);
    expect((await browser.fetch('GET', '/v1/queues')).status).toBe(200);
    const confirmed = await browser.fetch('POST', '/v1/session/confirm', { body: { key: 'awa-secret' } });
    expect(Date.parse(confirmed.body.confirmedUntil)).toBeGreaterThan(Date.now() + 4 * 60_000);
    expect((await browser.fetch('POST', `/v1/disbursements/${id}/approve`)).status).toBe(200);
  });

  test('needs the key again before irreversible acts, or before resuming', async () => {
    const browser = await signedIn();
    await aged(browser, 5, ['confirmedAt']);
    const asked: readonly (readonly [string, string, object?])[] = [
      ['DELETE', '/v1/event-endpoints/end_1'],
      ['POST', '/v1/event-endpoints/end_1/replay', { since: '2026-01-01T00:00:00Z' }],
      ['POST', '/v1/queues/disbursement/resume'],
      ['DELETE', '/v1/opt-outs', { phones: ['+221771234567'] }],
    ];
    for (const [method, path, body] of asked) {
      const { status, body: refused } = await browser.fetch(method, path, body ? { body } : {});
      expect([method, path, status, refused.rule]).toEqual([method, path, 403, 'sign-in-again']);
    }
    // Stopping needs no confirmation with the key.
    expect((await browser.fetch('POST', '/v1/queues/disbursement/pause')).status).toBe(200);
    expect((await service.call('POST', '/v1/queues/disbursement/resume', { key: 'awa-secret' })).status).toBe(200);
  });

  test('is confirmed by the key of the session alone', async () => {
    const browser = await signedIn();
    await aged(browser, 5, ['confirmedAt']);
    for (const key of ['shop-secret', 'never-was']) {
      const refused = await browser.fetch('POST', '/v1/session/confirm', { body: { key } });
      expect([refused.status, refused.body.problems]).toEqual([422, [expect.objectContaining({ pointer: '/key' })]]);
    }
    expect((await browser.fetch('POST', '/v1/accounts/main/release')).status).toBe(403);
  });

  test('is done at once with the key itself', async () => {
    const id = await waiting('bearer');
    expect((await service.call('POST', `/v1/disbursements/${id}/approve`, { key: 'awa-secret' })).status).toBe(200);
  });
});

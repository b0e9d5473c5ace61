/** Attacks with another user's session: over real sockets, with the headers of a browser. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiOn, type Running } from '../support/api-process.ts';
import { type Browser, browserAt } from '../support/browser.ts';
import { type Call, type Service, startService } from '../support/service.ts';

/** This test signs in far more often than a user, so awa has several keys. */
const AWA = ['awa', 'awa-2', 'awa-3', 'awa-4'];
const API_KEYS = [
  'root:admin:root-secret',
  'eve:read:eve-secret',
  ...AWA.map((name) => `${name}/awa:read+approve+operate:${name}-secret`),
].join(',');

let service: Service;
/** Another deployment on the same servers, with the same keys, another schema and another prefix. */
let neighbour: Running;
beforeAll(async () => {
  service = await startService({ API_KEYS, SWEEP_INTERVAL: '10m', API_RATE: '0' });
  neighbour = await apiOn(service, { API_KEYS, REDIS_PREFIX: '{neighbour}', DATABASE_SCHEMA: 'neighbour' });
});
afterAll(async () => {
  await neighbour?.stop();
  await service?.stop();
});

let signIns = 0;
const nextSecret = (): string => `${AWA[((signIns += 1)) % AWA.length]}-secret`;

async function signedIn(key = nextSecret(), url = service.api): Promise<Browser> {
  const browser = browserAt(url);
  expect((await browser.signIn(key)).status).toBe(200);
  return browser;
}

let addresses = 0;
/** Wrong keys per address are limited, so each test has its own address. */
const stranger = (): string => `127.0.5.${(addresses += 1)}`;

const idOf = ({ cookie = '' }: Browser): string => cookie.split('=')[1] ?? '';
const stop = (browser: Browser, headers: Readonly<Record<string, string>>) =>
  browser.fetch('POST', '/v1/accounts/main/stop', { headers, from: stranger() });
const holds = async () =>
  (await service.ledger.query<{ account: string }>('select account from relais.hold')).map(({ account }) => account);

describe('session fixation', () => {
  test('an id that was put into the browser before is not the one that a sign-in gives', async () => {
    const browser = browserAt(service.api);
    const planted = `relais=${'a'.repeat(64)}`;
    browser.cookie = planted;
    expect((await browser.signIn('awa-secret')).status).toBe(200);
    expect(browser.cookie).not.toBe(planted);
    expect((await browser.fetch('GET', '/v1/session', { headers: { cookie: planted } })).status).toBe(401);
  });

  test('a planted session of another user ends at the sign-in, and does not become the user’s', async () => {
    const eve = await signedIn('eve-secret');
    const browser = browserAt(service.api);
    browser.cookie = eve.cookie;
    await browser.signIn('awa-secret');
    expect(idOf(browser)).not.toBe(idOf(eve));
    expect((await eve.fetch('GET', '/v1/session')).status).toBe(401);
    expect((await browser.fetch('GET', '/v1/session')).body.name).toMatch(/^awa/);
  });

  test('a second cookie beside the right one, as a sibling or another port can set, makes both count for nothing', async () => {
    const [awa, eve] = [await signedIn(), await signedIn('eve-secret')];
    for (const cookie of [`${awa.cookie}; ${eve.cookie}`, `${eve.cookie}; ${awa.cookie}`]) {
      expect((await awa.fetch('GET', '/v1/session', { headers: { cookie } })).status).toBe(401);
    }
  });

  test('off this machine only the cookie counts that no sibling can set', async () => {
    const page = { origin: 'https://console.example', host: 'console.example' };
    const browser = browserAt(service.api, page);
    await browser.signIn('awa-secret');
    const tossed = { cookie: `relais=${idOf(browser)}` };
    expect((await browser.fetch('GET', '/v1/session', { headers: tossed })).status).toBe(401);
    expect((await browser.fetch('GET', '/v1/session')).status).toBe(200);
  });
});

describe('a page of another origin, in a signed-in user’s browser', () => {
  const FROM = [
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [
      'a sibling, or another port of this machine',
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:8080' },
    ],
    ['the address bar, or a link in a mail', { 'sec-fetch-site': 'none' }],
    ['a browser that does not say where from', { 'sec-fetch-site': '' }],
    ['this origin, by a form', { 'x-relais-console': '' }],
    ['this origin, with another word in the header', { 'x-relais-console': 'true' }],
    ['this origin, as a request that nobody is there for', { 'x-relais-console': 'background' }],
  ] as const;

  test.for(FROM)('%s changes nothing', async ([_from, headers]) => {
    const browser = await signedIn();
    expect((await stop(browser, headers)).status).toBe(401);
    expect((await browser.fetch('DELETE', '/v1/session', { headers, from: stranger() })).status).toBe(401);
    expect(await holds()).toEqual([]);
    expect((await browser.fetch('GET', '/v1/session')).status).toBe(200);
  });

  test.for(FROM.slice(0, 4))('%s reads nothing either', async ([_from, headers]) => {
    const browser = await signedIn();
    for (const path of ['/v1/session', '/v1/events', '/v1/stream', '/v1/disbursements']) {
      expect((await browser.fetch('GET', path, { headers, from: stranger() })).status, path).toBe(401);
    }
  });

  test('cannot ask beforehand whether it may', async () => {
    const browser = await signedIn();
    const asks = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const headers = { ...asks, 'sec-fetch-site': 'cross-site', 'access-control-request-headers': 'x-relais-console' };
    const answer = await browser.fetch('OPTIONS', '/v1/accounts/main/stop', { headers, from: stranger() });
    expect(answer.status).toBe(401);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('cannot sign the user in as another one', async () => {
    const browser = await signedIn();
    const before = browser.cookie;
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const lured = await browser.fetch('POST', '/v1/session', { body: { key: 'eve-secret' }, headers });
    expect([lured.status, browser.cookie]).toEqual([403, before]);
  });
});

describe('a cookie and a key in one request', () => {
  test('only the key counts: the cookie adds no rights', async () => {
    const browser = await signedIn();
    const mixed = await browser.fetch('POST', '/v1/accounts/main/stop', { key: 'eve-secret' });
    expect([mixed.status, mixed.body.rule]).toEqual([403, 'role']);
    expect((await browser.fetch('GET', '/v1/session', { key: 'awa-secret' })).status).toBe(401);
  });

  test.for(['Bearer wrong', 'Bearer ', 'Basic YXdhOmF3YQ==', ''])(
    'with `Authorization: %s` the cookie is not read',
    async (authorization) => {
      const browser = await signedIn();
      const call = { headers: { authorization }, from: stranger() };
      expect((await browser.fetch('GET', '/v1/queues', call)).status).toBe(401);
    },
  );
});

describe('an invalid cookie', () => {
  test('of another deployment, with another prefix, opens nothing', async () => {
    const there = await signedIn('awa-secret', neighbour.url);
    const here = browserAt(service.api);
    here.cookie = there.cookie;
    expect((await here.fetch('GET', '/v1/queues')).status).toBe(401);
    expect((await there.fetch('GET', '/v1/queues')).status).toBe(200);
  });

  test.for([
    ['nothing', ''],
    ['a word', 'admin'],
    ['its hash instead of it', 'hash'],
    ['another one of the same form', '0'.repeat(64)],
    ['too long', '0'.repeat(65)],
    ['in capitals', 'A'.repeat(64)],
    ['a pattern of Redis', '*'],
    ['a line break, encoded', `${'0'.repeat(63)}%0a`],
    ['quotes', `"${'0'.repeat(64)}"`],
    ['a key', 'awa-secret'],
  ] as const)('%s', async ([what, id]) => {
    const browser = await signedIn();
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(idOf(browser)));
    const cookie = `relais=${what.startsWith('its hash') ? Buffer.from(hash).toString('hex') : id}`;
    expect((await browser.fetch('GET', '/v1/queues', { headers: { cookie } })).status).toBe(401);
  });

  test('is not read if the head of the request is too large, and the process continues', async () => {
    const { hostname, port } = new URL(service.api);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const lines = [`GET /v1/queues HTTP/1.1`, `Host: ${hostname}`, 'Sec-Fetch-Site: same-origin'];
    socket.write([...lines, `Cookie: relais=${'0'.repeat(100_000)}`, '', ''].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 431 /);
    socket.destroy();
    expect((await service.call('GET', '/v1/queues', { key: 'awa-secret' })).status).toBe(200);
  });

  test('does not use up the limit of wrong keys', async () => {
    const browser = browserAt(service.api);
    browser.cookie = `relais=${'0'.repeat(64)}`;
    const tries = Array.from({ length: 30 }, () => browser.fetch('GET', '/v1/session', { from: '127.0.3.1' }));
    expect(new Set((await Promise.all(tries)).map(({ status }) => status))).toEqual(new Set([401]));
    expect((await browser.fetch('GET', '/v1/queues', { key: 'nobody', from: '127.0.3.1' })).status).toBe(401);
  });
});

describe('guessing keys at the sign-in', () => {
  const guess = (browser: Browser, n: number, how: Call = {}) =>
    browser.fetch('POST', '/v1/session', { body: { key: `guess-${n}` }, from: '127.0.4.1', ...how });

  test('is bounded together with guessing in the header, and a right key gets in all the while', async () => {
    const browser = browserAt(service.api);
    const statuses: number[] = [];
    for (let n = 0; n < 25; n += 1) {
      const { status } =
        n % 2 === 0
          ? await guess(browser, n)
          : await browser.fetch('GET', '/v1/queues', { key: `guess-${n}`, from: '127.0.4.1' });
      statuses.push(status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.slice(20)).toEqual([429, 429, 429, 429, 429]);
    expect((await guess(browser, 0, { body: { key: 'awa-secret' } })).status).toBe(200);
  });

  test('for one that is known, a right key makes no more than a few sessions in a minute', async () => {
    const all = Array.from({ length: 30 }, () => browserAt(service.api).signIn('eve-secret'));
    const answers = await Promise.all(all);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('after the end', () => {
  test('the recording of a session has no effect any more', async () => {
    const browser = await signedIn();
    const { cookie = '' } = browser;
    await browser.fetch('DELETE', '/v1/session');
    for (const [method, path] of [
      ['GET', '/v1/session'],
      ['GET', '/v1/events'],
      ['POST', '/v1/accounts/main/stop'],
      ['POST', '/v1/session/confirm'],
      ['DELETE', '/v1/session'],
    ] as const) {
      const body = path.endsWith('confirm') ? { body: { key: 'awa-secret' } } : {};
      expect((await browser.fetch(method, path, { headers: { cookie }, ...body })).status, path).toBe(401);
    }
    expect(await holds()).toEqual([]);
  });

  test('requests that were under way with it do not bring it back', async () => {
    const browser = await signedIn();
    const { cookie = '' } = browser;
    const under = Array.from({ length: 10 }, (_, n) =>
      browser.fetch(n % 2 ? 'GET' : 'POST', n % 2 ? '/v1/session' : '/v1/session/confirm', {
        headers: { cookie },
        ...(n % 2 ? {} : { body: { key: 'awa-secret' } }),
      }),
    );
    await browser.fetch('DELETE', '/v1/session');
    await Promise.all(under);
    expect((await browser.fetch('GET', '/v1/session', { headers: { cookie } })).status).toBe(401);
  });
});

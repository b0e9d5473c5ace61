import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test, vi } from 'vitest';
import { openEndpointSecrets } from '../../src/events/outgoing/webhook-sender.ts';
import { Secret } from '../../src/lib/secret.ts';
import { apiOn } from '../support/api-process.ts';
import { report } from '../support/published.ts';
import { KEYS, type Service, ask, startService } from '../support/service.ts';
import { actsOn } from '../support/stored.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

test('an event arrives signed, and a receiver can check it with nothing but the secret', async () => {
  const { service, register } = await makeWorld();
  const shop = await receiver();
  const { secret } = await register(shop.url);
  await report(service.ledger, 'dsb_1', 'disbursement.succeeded', { data: { amount: 5_000 } });
  const post = await shop.next();
  expect(JSON.parse(post.text)).toMatchObject({ id: 'dsb_1.1', type: 'disbursement.succeeded', account: 'main' });
  expect(post.headers['webhook-id']).toBe('dsb_1.1');
  expect(signaturesOf(post.headers)).toEqual([signatureOf(secret, post)]);
  expect(Math.abs(Number(post.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
});

test('while a secret is rotated both sign', async () => {
  const { service, register } = await makeWorld();
  const shop = await receiver();
  const { id, secret } = await register(shop.url);
  const rotated = await service.call('POST', `/v1/event-endpoints/${id}/rotate-secret`, { key: 'maker-secret' });
  expect(await actsOn(service, id)).toEqual(['endpoint.create', 'endpoint.rotate-secret']);
  await report(service.ledger, 'dsb_1', 'disbursement.succeeded');
  const post = await shop.next();
  expect(signaturesOf(post.headers)).toEqual([rotated.body.secret, secret].map((one) => signatureOf(one, post)));
});

test('a secret is shown once, and is nowhere in the ledger', async () => {
  const { service, register } = await makeWorld();
  const { id, secret } = await register('http://127.0.0.1:9/closed');
  const seen = await service.call('GET', `/v1/event-endpoints/${id}`, { key: 'maker-secret' });
  const list = await service.call('GET', '/v1/event-endpoints', { key: 'maker-secret' });
  expect(list.body.items).toMatchObject([{ id, state: 'enabled', types: null }]);
  expect(JSON.stringify([seen.body, list.body])).not.toContain(secret.slice(6));
  const stored = await service.ledger.query('select * from relais.endpoint');
  expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
});

test('a slow endpoint does not slow another', async () => {
  const { service, register } = await makeWorld();
  const slow = await receiver(() => undefined);
  const quick = await receiver();
  await register(slow.url);
  await register(quick.url);
  for (let n = 0; n < 100; n += 1) await report(service.ledger, `op-${n}`, 'message.sent');
  for (let n = 0; n < 100; n += 1) await quick.next();
  expect(slow.posted.length).toBeGreaterThan(0);
  expect(slow.posted.length).toBeLessThanOrEqual(8);
});

test('an endpoint belongs to the key that made it, and gets the events of its accounts only', async () => {
  const { service, register } = await makeWorld();
  const shop = await receiver();
  const { id } = await register(shop.url, 'stranger-secret');
  const others = await service.call('GET', `/v1/event-endpoints/${id}`, { key: 'reader-secret' });
  expect(others.status).toBe(404);
  expect((await service.call('GET', '/v1/event-endpoints', { key: 'reader-secret' })).body.items).toEqual([]);
  await report(service.ledger, 'ours', 'message.sent', { account: 'main' });
  await report(service.ledger, 'theirs', 'message.sent', { account: 'other' });
  expect((await shop.next()).headers['webhook-id']).toBe('theirs.1');
  expect(shop.posted).toEqual([]);
});

test('a replay delivers again what was delivered since then', async () => {
  const { service, register } = await makeWorld();
  const shop = await receiver();
  const { id } = await register(shop.url);
  await report(service.ledger, 'a', 'message.sent');
  await shop.next();
  const since = new Date(Date.now() - 60_000).toISOString();
  const answer = await service.call('POST', `/v1/event-endpoints/${id}/replay`, {
    key: 'maker-secret',
    body: { since },
  });
  expect([answer.status, answer.body]).toEqual([202, { replayed: 1, complete: true }]);
  expect((await shop.next()).headers['webhook-id']).toBe('a.1');
});

test('one event is posted again by its id, and no other; none of another account, and none that never was', async () => {
  const { service, register } = await makeWorld();
  const shop = await receiver();
  const { id } = await register(shop.url, 'stranger-secret');
  for (const op of ['a', 'b', 'c']) await report(service.ledger, op, 'message.sent', { account: 'other' });
  await report(service.ledger, 'ours', 'message.sent', { account: 'main' });
  for (let n = 0; n < 3; n += 1) await shop.next();
  const again = (body: object) =>
    service.call('POST', `/v1/event-endpoints/${id}/replay`, { key: 'stranger-secret', body });
  expect(await again({ event: 'b.1' })).toMatchObject({ status: 202, body: { replayed: 1, complete: true } });
  expect((await shop.next()).headers['webhook-id']).toBe('b.1');
  expect((await again({ event: 'ours.1' })).status).toBe(404);
  expect((await again({ event: 'b.2' })).status).toBe(404);
  expect((await again({ event: 'b.1', since: '2026-01-01T00:00:00Z' })).status).toBe(422);
  expect((await again({})).status).toBe(422);
  expect(shop.posted).toEqual([]);
});

test('a removed endpoint is posted nothing more', async () => {
  const { service, register } = await makeWorld();
  const [gone, stays] = [await receiver(), await receiver()];
  const { id } = await register(gone.url);
  await register(stays.url);
  expect((await service.call('DELETE', `/v1/event-endpoints/${id}`, { key: 'maker-secret' })).status).toBe(204);
  await report(service.ledger, 'a', 'message.sent');
  await stays.next();
  expect(gone.posted).toEqual([]);
  expect((await service.call('DELETE', `/v1/event-endpoints/${id}`, { key: 'maker-secret' })).status).toBe(404);
});

test.for([
  ['an inside address', { url: 'https://169.254.169.254/latest' }, '/url', /not a public address/],
  ['an address without TLS', { url: 'http://shop.example/in' }, '/url', /https/],
  ['no address', {}, '/url', /required/],
  [
    'a type that there is not',
    { url: 'https://shop.example/in', types: ['paid'] },
    '/types/0',
    /disbursement.succeeded/,
  ],
  ['a field that there is not', { url: 'https://shop.example/in', colour: 1 }, '/colour', /unknown field/],
] as const)('%s is refused with its place', async ([, body, pointer, message]) => {
  const { service } = await makeWorld();
  const answer = await service.call('POST', '/v1/event-endpoints', { key: 'maker-secret', body });
  expect(answer.status).toBe(422);
  expect(answer.body.problems).toMatchObject([{ pointer, message: expect.stringMatching(message) }]);
});

test('this machine is no endpoint unless the settings allow it', async () => {
  const service = await startService();
  toClose.push(() => service.stop());
  const body = { url: 'http://127.0.0.1:3999/in' };
  const answer = await service.call('POST', '/v1/event-endpoints', { key: 'maker-secret', body });
  expect(answer.body.problems).toMatchObject([{ pointer: '/url' }]);
});

test('a host of the own network is an endpoint if WEBHOOK_HOSTS lists it, and gets its events over http', async () => {
  const shop = await receiver();
  const { port } = new URL(shop.url);
  const { service, register } = await makeWorld({
    ALLOW_LOOPBACK_ENDPOINTS: 'off',
    WEBHOOK_HOSTS: `localhost:${port}`,
  });
  const { secret } = await register(`http://localhost:${port}/in`);
  await report(service.ledger, 'dsb_1', 'disbursement.succeeded');
  const post = await shop.next();
  expect(signaturesOf(post.headers)).toEqual([signatureOf(secret, post)]);
  for (const url of [shop.url, `http://localhost:${Number(port) - 1}/in`, `http://a.localhost:${port}/in`]) {
    const answer = await service.call('POST', '/v1/event-endpoints', { key: 'maker-secret', body: { url } });
    expect([answer.status, answer.body.problems?.[0]?.pointer]).toEqual([422, '/url']);
  }
});

test('secrets encrypted with an old key are re-encrypted, and the old key can be removed', async () => {
  const { service, register } = await makeWorld({ SEALING_SECRET: 'old' });
  const shop = await receiver();
  const { id, secret } = await register(shop.url);
  await service.call('POST', `/v1/event-endpoints/${id}/rotate-secret`, { key: 'maker-secret' });
  const rotateWith = async (SEALING_SECRET: string) => {
    const { base: SERVICE_BASE_URL, crm: SERVICE_CRM_URL } = service.sandbox;
    const places = { SERVICE_BASE_URL, SERVICE_CRM_URL };
    const api = await apiOn(service, { ...places, SEALING_SECRET, API_KEYS: KEYS });
    const answer = await ask(`${api.url}/v1/secrets/rotate`, 'POST', {});
    await api.stop();
    return answer.body;
  };
  expect(await rotateWith('new')).toEqual({ resealed: 0, unreadable: [id] });
  expect(await rotateWith('new,old')).toEqual({ resealed: 1, unreadable: [] });
  expect(await rotateWith('new')).toEqual({ resealed: 1, unreadable: [] });
  const [row] = await service.ledger.query<{ secret: string; old_secret: string }>(
    'select secret, old_secret from relais.endpoint',
  );
  const sealed = [row?.secret ?? '', row?.old_secret ?? ''];
  const [, old] = openEndpointSecrets(sealed, [new Secret('new')], id);
  expect(old?.reveal()).toBe(secret);
  expect(openEndpointSecrets(sealed, [new Secret('old'), new Secret('callback-secret')], id)).toEqual([]);
});

test('headers of an endpoint are posted with each event, and reserved ones are refused', async () => {
  const { service } = await makeWorld();
  const shop = await receiver();
  const create = (headers: object) =>
    service.call('POST', '/v1/event-endpoints', { key: 'maker-secret', body: { url: shop.url, headers } });
  const made = await create({ 'X-Gateway': 'let me in' });
  expect(made.status).toBe(201);
  const seen = await service.call('GET', `/v1/event-endpoints/${made.body.id}`, { key: 'maker-secret' });
  const list = await service.call('GET', '/v1/event-endpoints', { key: 'maker-secret' });
  for (const one of [made.body, seen.body, list.body.items[0]]) expect(one.headers).toEqual(['X-Gateway']);
  const stored = await service.ledger.query('select * from relais.endpoint');
  expect(JSON.stringify([made.body, seen.body, list.body, stored])).not.toContain('let me in');
  await report(service.ledger, 'dsb_1', 'disbursement.succeeded');
  expect((await shop.next()).headers['x-gateway']).toBe('let me in');
  for (const headers of [
    { 'webhook-id': 'x' },
    { Host: 'x' },
    { 'X-Line': 'a\r\nb' },
    { 'X-Twice': 'a', 'x-twice': 'b' },
  ]) {
    const { status, body } = await create(headers);
    expect([status, body.problems?.[0]?.pointer]).toEqual([422, '/headers']);
  }
});

test('a test delivery shows the request, the answer and its time, and has a line in the audit log', async () => {
  const { service } = await makeWorld();
  let status = 200;
  const shop = await receiver(() => status, 'thanks');
  const body = { url: shop.url, headers: { 'X-Gateway': 'let me in' } };
  const { id, secret } = (await service.call('POST', '/v1/event-endpoints', { key: 'maker-secret', body })).body;
  const tested = async () => (await service.call('POST', `/v1/event-endpoints/${id}/test`)).body;

  const taken = await tested();
  const post = await shop.next();
  expect(post.headers['x-gateway']).toBe('let me in');
  expect(signaturesOf(post.headers)).toEqual([signatureOf(secret, post)]);
  expect(JSON.parse(post.text)).toMatchObject({ type: 'endpoint.tested' });
  expect(taken).toEqual({
    taken: true,
    answer: 'http_200',
    error: null,
    ms: expect.any(Number),
    request: {
      url: shop.url,
      headers: {
        'x-gateway': '[secret]',
        'content-type': post.headers['content-type'],
        'webhook-id': post.headers['webhook-id'],
        'webhook-timestamp': post.headers['webhook-timestamp'],
        'webhook-signature': post.headers['webhook-signature'],
      },
      body: post.text,
    },
    response: { status: 200, body: 'thanks' },
  });

  status = 500;
  const refused = { answer: 'http_500', error: 'The endpoint answered 500. Only 2xx accepts an event.' };
  expect(await tested()).toMatchObject({ taken: false, ...refused, response: { status: 500, body: 'thanks' } });
  status = 302;
  expect(await tested()).toMatchObject({ error: 'The endpoint answered 302. relais follows no redirect.' });

  const { items } = (await service.call('GET', '/v1/audit')).body;
  const lines = items.filter(({ act }: { act: string }) => act === 'endpoint.test');
  expect(lines.map(({ target, after }: any) => [target, after])).toEqual(
    ['http_302', 'http_500', 'http_200'].map((answer) => [id, { answer }]),
  );
  expect(JSON.stringify(items)).not.toMatch(/let me in|thanks/);
  // It is in no list of deliveries.
  const seen = await service.call('GET', `/v1/event-endpoints/${id}`, { key: 'maker-secret' });
  expect(seen.body).toMatchObject({ waiting: 0, undelivered: 0, deliveries: [] });
});

test('a test of an unreachable endpoint reports it, with the request', async () => {
  const { service, register } = await makeWorld();
  const { id } = await register('http://127.0.0.1:9/closed');
  const answer = await service.call('POST', `/v1/event-endpoints/${id}/test`);
  expect(answer.body).toMatchObject({
    taken: false,
    answer: 'connection_failed',
    error: 'The host refused or ended the connection.',
    request: { url: 'http://127.0.0.1:9/closed' },
    response: null,
  });
});

async function makeWorld(env: Readonly<Record<string, string>> = {}) {
  const service: Service = await startService({ ALLOW_LOOPBACK_ENDPOINTS: 'on', ...env });
  toClose.push(() => service.stop());
  const register = async (url: string, key = 'maker-secret'): Promise<{ id: string; secret: string }> => {
    const { status, body } = await service.call('POST', '/v1/event-endpoints', { key, body: { url } });
    expect(status).toBe(201);
    return body;
  };
  return { service, register };
}

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An endpoint on this machine. `answer` undefined: it never answers. */
async function receiver(answer: () => number | undefined = () => 204, says = '') {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      posted.push({ headers: request.headers, text });
      const status = answer();
      if (status !== undefined) response.writeHead(status).end(status === 204 ? '' : says);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const next = async (): Promise<Posted> => {
    const post = await vi.waitUntil(() => posted.shift(), { timeout: 10_000, interval: 5 });
    if (!post) throw new Error('nothing was posted');
    return post;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, posted, next };
}

const signaturesOf = (headers: IncomingHttpHeaders): string[] => String(headers['webhook-signature']).split(' ');

/** As the receiver's own library would compute it. */
function signatureOf(secret: string, { headers, text }: Posted): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], text].join('.');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

test('the published library of the signing standard accepts a delivery, and refuses a changed one', async () => {
  const { service, register } = await makeWorld();
  const shop = await receiver();
  const { secret } = await register(shop.url);
  await report(service.ledger, 'dsb_1', 'disbursement.succeeded', { data: { amount: 5_000 } });
  const post = await shop.next();
  const headers = Object.fromEntries(Object.entries(post.headers).map(([name, value]) => [name, String(value)]));
  const independent = new Webhook(secret);
  expect(independent.verify(post.text, headers)).toMatchObject({ id: 'dsb_1.1', type: 'disbursement.succeeded' });
  expect(() => independent.verify(post.text.replace('5000', '9000'), headers)).toThrow('No matching signature found');
});

/** The whole service behind a Redis that lets in who it knows, for what they do, over an encrypted wire. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { PROBES } from '../../src/app/examine/redis.ts';
import { createProducer } from '../../src/producer/producer.ts';
import { misplacedJobs } from '../../src/queues/misplaced.ts';
import { type Service, startService } from '../support/service.ts';
import { commandsOf, usersOnPage } from './acl-lines.ts';
import { certifiedBy, makeCertificates } from './certificates.ts';
import { payingThrough } from './paid.ts';
import { type Server, startServer } from './servers.ts';

/** With the names of settings and clients, as the page narrows them. SELECT is for a database that is not the first. */
const OUTSIDE = 'eval evalsha multi exec bzpopmin scan info client|setname config|get ping select wait';

let dir: string;
let server: Server;
let service: Service;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-access-'));
  makeCertificates(dir, 'IP:127.0.0.1');
  const lines = [...usersOnPage().values(), 'user onlooker on >onlooker ~* &* +@all'];
  writeFileSync(join(dir, 'users.acl'), `${lines.join('\n')}\n`);
  server = await startServer(
    {
      'tls-port': String(await freePort()),
      ...certifiedBy(dir),
      aclfile: join(dir, 'users.acl'),
    },
    { username: 'onlooker', password: 'onlooker', tls: { rejectUnauthorized: false } },
  );
  service = await startService({ REDIS_URL: urlOf('relais'), REDIS_CA_FILE: join(dir, 'ca.crt') });
});

afterAll(async () => {
  await service?.stop();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const urlOf = (user: string): string => `rediss://${user}:change-me@127.0.0.1:${server.port}/0`;

test('the page allows what the doctor tries, and what is done outside of scripts', () => {
  const tried = PROBES.map((probe) => probe.split(' ')[0]?.toLowerCase() ?? '');
  const allowed = commandsOf(usersOnPage().get('relais') ?? '');
  expect([...allowed].sort()).toEqual([...new Set([...tried, ...OUTSIDE.split(' ')])].sort());
});

test('every kind of work is done with these permissions, and nothing is ever denied', async () => {
  const paid = payingThrough(service);
  await paid.once(await paid.accepted('access', 5));
  await sendTexts();
  await service.call('POST', '/v1/queues/disbursement/pause');
  await service.call('POST', '/v1/queues/disbursement/resume');
  expect((await service.call('GET', '/v1/queues')).status).toBe(200);
  expect((await service.call('GET', '/v1/events')).status).toBe(200);
  const forgotten = await service.call('POST', '/v1/purge', { body: { phone: '+221770000001' } });
  expect(await denied()).toEqual([]);
  expect(forgotten.status).toBe(200);
});

test('requests that were added without the prefix are counted', async () => {
  const redis = new Redis(urlOf('relais'), { tls: { rejectUnauthorized: false } });
  await server.redis.rpush('bull:intake:wait', '1');
  expect(await misplacedJobs(redis)).toBe(1);
  await server.redis.del('bull:intake:wait');
  redis.disconnect();
});

test.for([
  ['that was signed by somebody else', '127.0.0.1', undefined, /self-signed certificate.*REDIS_CA_FILE/],
  ['for another name', 'localhost', 'ca.crt', /altnames.*as its certificate does/],
] as const)('a certificate %s is not trusted, and what to set is said', async ([, host, signer, says]) => {
  const url = urlOf('relais').replace('127.0.0.1', host);
  const target = signer === undefined ? { url } : { url, ca: readFileSync(join(dir, signer), 'utf8') };
  const redis = openCommands(target, { name: 'test', onError: () => undefined });
  await expect(waitUntilReady(redis, 5_000)).rejects.toThrow(says);
  redis.disconnect();
});

test('a producer knows who signed the certificate as a worker does, and asks as the same user', async () => {
  const ca = readFileSync(join(dir, 'ca.crt'), 'utf8');
  const places = [
    { url: urlOf('relais'), ca },
    { host: '127.0.0.1', port: server.port, username: 'relais', password: 'change-me', tls: { ca } },
  ];
  for (const [at, redis] of places.entries()) {
    const producer = createProducer({ redis });
    const message = { to: '+221770000002', text: 'encrypted', reference: `tls-${at}` };
    expect(await producer.sendMessages([message])).toMatchObject([{ outcome: 'accepted' }]);
    await producer.close();
  }
  expect(await denied()).toEqual([]);
});

test('the user may not touch a key of others, change a setting or look into other connections', async () => {
  const redis = new Redis(urlOf('relais'), { tls: { rejectUnauthorized: false } });
  for (const forbidden of [
    () => redis.get('shop:1'),
    () => redis.del('bull:intake:wait'),
    () => redis.flushall(),
    () => redis.keys('*'),
    () => redis.config('SET', 'appendonly', 'no'),
    () => redis.call('CLIENT', 'KILL', 'TYPE', 'normal'),
    () => redis.acl('LIST'),
    () => redis.eval("return redis.call('GET', 'shop:1')", 0),
  ]) {
    await expect(forbidden()).rejects.toThrow(/NOPERM|can't access|ACL failure/);
  }
  redis.disconnect();
});

/** What Redis has refused anybody, but for the name of the library: newer servers are told it, and it is harmless. */
async function denied(): Promise<readonly unknown[]> {
  const log = (await server.redis.acl('LOG')) as readonly unknown[][];
  return log.map((entry) => entry.slice(2, 10)).filter((entry) => !entry.includes('client|setinfo'));
}

async function sendTexts(): Promise<void> {
  const one = await service.call('POST', '/v1/messages', { body: { to: '+221770000001', text: 'hello' } });
  await service.until(`/v1/messages/${one.body.id ?? one.body.items[0].id}`, ({ state }) => state === 'sent');
  const body = { name: 'access', text: 'Bonjour {{prenom}}', country: 'SN', reference: 'access' };
  const { id } = (await service.call('POST', '/v1/campaigns', { body })).body;
  const rows = Array.from({ length: 120 }, (_, index) => `77${1_500_000 + index};Awa`);
  await service.call('POST', `/v1/campaigns/${id}/recipients`, {
    body: ['numero;prenom', ...rows].join('\n'),
    headers: { 'content-type': 'text/csv' },
  });
  await service.call('POST', `/v1/campaigns/${id}/start`);
  await service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
}

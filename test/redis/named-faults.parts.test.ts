/** What a Redis that answers, and is not one to work with, is told about: at the start, in /readyz, by the doctor. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Redis } from 'ioredis';
import { request } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import { doctor } from '../../src/app/doctor.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { howAway } from '../../src/redis/connections.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { type StartingRelais, spawnRelais } from '../support/relais-process.ts';
import { type Server, startServer } from './servers.ts';

const NOWHERE = 'http://127.0.0.1:9';
const WITHIN = { timeout: 30_000, interval: 50 };
const CLUSTER = /is a node of a Redis Cluster.*name nodes of it in REDIS_CLUSTER/s;

const settingsFor = (redisUrl: string) => ({
  ...relaisSettings({ redisUrl, base: NOWHERE, crm: NOWHERE }),
  CALLBACK_SECRET: 'callback-secret',
});

async function server(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const running = await startServer(settings);
  onTestFinished(() => running.stop());
  return running;
}

/** A node that has every slot, and so takes every command, until one of them moves. */
async function wholeCluster(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const node = await server({ 'cluster-enabled': 'yes', ...settings });
  await node.redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await vi.waitFor(async () => expect(await node.redis.call('CLUSTER', 'INFO')).toContain('state:ok'), WITHIN);
  return node;
}

function started(env: Readonly<Record<string, string>>, roles = 'api,worker,webhooks'): StartingRelais {
  const relais = spawnRelais(env, roles);
  relais.ready.catch(() => undefined);
  onTestFinished(async () => {
    try {
      process.kill(relais.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    await relais.ended;
  });
  return relais;
}

async function findings(redisUrl: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const lines: string[] = [];
  const env = { REDIS_URL: redisUrl, ...more };
  const { signal } = new AbortController();
  const print = (line: string): void => void lines.push(line);
  await doctor({ env, clock: systemClock, random: systemRandom, signal, json: false, print });
  return lines.join('\n');
}

test('a node of a Redis Cluster that is not followed is refused at the start by name, and by the doctor', async () => {
  for (const node of [await wholeCluster(), await server({ 'cluster-enabled': 'yes' })]) {
    const url = `redis://127.0.0.1:${node.port}`;
    const relais = started(settingsFor(url));
    expect(await relais.ended).toBe(1);
    expect(relais.written()).toMatch(CLUSTER);
    const found = await findings(url);
    expect(found).toMatch(/✗ redis .*is a node of a Redis Cluster.* → .*name nodes of it in REDIS_CLUSTER/i);
  }
});

test('a node of a cluster is refused by name also where it calls its mode as Valkey does', async () => {
  const node = await wholeCluster();
  const relais = started(
    settingsFor(
      await answeringOtherwise(node, /redis_build_id:\w(\w*\r\n)redis_mode:cluster/, (was) =>
        was.replace(/:\w/, ':').replace('redis_mode', 'server_mode'),
      ),
    ),
  );
  expect(await relais.ended).toBe(1);
  expect(relais.written()).toMatch(CLUSTER);
});

test('a Redis that is in no cluster is refused by name where REDIS_CLUSTER names it, and by the doctor', async () => {
  const { port } = await server();
  const cluster = { REDIS_CLUSTER: `127.0.0.1:${port}` };
  const relais = started({ ...settingsFor('redis://ignored'), ...cluster });
  expect(await relais.ended).toBe(1);
  const named = /cluster support disabled.*leave it out and point REDIS_URL at this Redis/s;
  expect(relais.written()).toMatch(named);
  expect(await findings('redis://ignored', cluster)).toMatch(
    /✗ redis .*cluster support disabled.* → Point REDIS_CLUSTER/,
  );
});

test('what only answers like Redis is refused by name, at the start and by the doctor', async () => {
  const dragonfly = await answeringOtherwise(await server(), /(redis|server)_mode:standalone/, (mode) =>
    'dragonfly_version:df1'.padEnd(mode.length, '1'),
  );
  const relais = started({ ...settingsFor(dragonfly), DURABILITY: 'asserted' });
  expect(await relais.ended).toBe(1);
  expect(relais.written()).toMatch(/it is Dragonfly, which keeps no append-only file: point REDIS_URL at Redis 6.2/);
  expect(await findings(dragonfly)).toMatch(/✗ redis .*it is Dragonfly.* → point REDIS_URL at Redis/i);
});

test('a Redis that becomes a node of a cluster while we run is named by /readyz, and nothing is accepted', async () => {
  const first = await startServer();
  const relais = started({
    ...settingsFor(`redis://127.0.0.1:${first.port}`),
    API_KEYS: 'maker:enqueue+read:secret',
  });
  const { urls } = await relais.ready;
  await first.stop();
  await wholeCluster({ port: String(first.port) });
  await vi.waitFor(async () => {
    const { statusCode, body } = await request(`${urls['metrics']}/readyz`);
    const text = await body.text();
    expect(statusCode).toBe(503);
    expect(text).toMatch(CLUSTER);
  }, WITHIN);
});

/** A Redis whose INFO says what that of another server says, in as many letters. */
async function answeringOtherwise(
  { port }: Server,
  says: RegExp,
  otherwise: (was: string) => string,
): Promise<string> {
  const between = createServer((client) => {
    const redis = connect(port, '127.0.0.1');
    client.pipe(redis);
    redis.on('data', (piece) => client.write(piece.toString('latin1').replace(says, otherwise), 'latin1'));
    redis.on('close', () => client.destroy());
    client.on('close', () => redis.destroy());
    for (const socket of [client, redis]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  onTestFinished(() => void between.close());
  return `redis://127.0.0.1:${(between.address() as AddressInfo).port}`;
}

/** As long as what it stands for. */

test('a command that another node would take was not done: Redis is away', async () => {
  const [one, two] = [await server({ 'cluster-enabled': 'yes' }), await server({ 'cluster-enabled': 'yes' })];
  await one.redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
  await two.redis.call('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
  await one.redis.call('CLUSTER', 'MEET', '127.0.0.1', String(two.port));
  await vi.waitFor(async () => {
    for (const node of [one, two]) expect(await node.redis.call('CLUSTER', 'INFO')).toContain('state:ok');
  }, WITHIN);
  // {relais} has slot 12714 or some other; one of the two is wrong for it.
  const wrong = Number(await one.redis.call('CLUSTER', 'KEYSLOT', '{relais}:x')) > 8_191 ? one : two;
  const refusedBy = (ask: (redis: Redis) => Promise<unknown>) =>
    ask(wrong.redis).then(
      () => undefined,
      (error: unknown) => error,
    );
  for (const error of [
    await refusedBy((redis) => redis.set('{relais}:x', '1')),
    await refusedBy((redis) => redis.eval('return redis.call("SET", KEYS[1], "1")', 1, '{relais}:x')),
    await refusedBy((redis) => redis.multi().set('{relais}:x', '1').exec()),
  ]) {
    expect(howAway(error), String(error)).toBe('not done');
  }
});

/** An address of this machine that is not loopback: protected mode refuses a client that comes from one. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

test.skipIf(outside === undefined)(
  'protected mode is named with what to do, and every line on stderr is one of the log',
  async () => {
    const port = await freePort();
    await server({ port: String(port), bind: '0.0.0.0', 'protected-mode': 'yes' });
    const url = `redis://:secret-of-redis@${outside}:${port}`;
    const relais = started(settingsFor(url), 'webhooks');
    expect(await relais.ended).toBe(1);
    expect(relais.written()).toMatch(/DENIED.*protected mode.*requirepass.*REDIS_URL/s);
    expect(relais.written()).not.toContain('secret-of-redis');
    for (const line of relais.written().trim().split('\n')) expect(() => JSON.parse(line), line).not.toThrow();

    expect(await findings(`redis://${outside}:${port}`)).toMatch(/✗ redis .*DENIED.*→ .*requirepass/s);
  },
);

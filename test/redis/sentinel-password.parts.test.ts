/** Three sentinels that ask for a password of their own, and a Redis behind them that asks for another. */
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { targetOf } from '../../src/app/container.ts';
import { reachRedis } from '../../src/app/examine/redis.ts';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { type Server, startSentinel, startServer, untilAcquainted } from './servers.ts';

const OF_REDIS = 'of-redis';
const OF_SENTINELS = 'of-sentinels';
const IN_SYNC = { timeout: 20_000, interval: 50 };

let primary: Server;
let replica: Server;
let sentinels: readonly Server[] = [];
const opened: Redis[] = [];

beforeAll(async () => {
  const secured = { requirepass: OF_REDIS, masterauth: OF_REDIS };
  primary = await startServer(secured, { password: OF_REDIS });
  replica = await startServer({ ...secured, replicaof: `127.0.0.1 ${primary.port}` }, { password: OF_REDIS });
  const lines = [
    `requirepass ${OF_SENTINELS}`,
    `sentinel sentinel-pass ${OF_SENTINELS}`,
    `sentinel auth-pass mymaster ${OF_REDIS}`,
  ];
  const started = [1, 2, 3].map(() => startSentinel(primary.port, lines, { password: OF_SENTINELS }));
  sentinels = await Promise.all(started);
  await untilAcquainted(sentinels);
});

afterEach(() => {
  for (const redis of opened.splice(0)) redis.disconnect();
});

afterAll(async () => {
  for (const server of [...sentinels, replica, primary]) await server?.stop();
});

/** As an operator would write it down. */
const settings = (more: Readonly<Record<string, string>>): Record<string, string> => ({
  REDIS_URL: `redis://:${OF_REDIS}@ignored`,
  REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
  ...more,
});

async function connected(more: Readonly<Record<string, string>>): Promise<Redis> {
  const redis = openCommands(targetOf(loadConfig(settings(more))), { name: 'test', onError: () => undefined });
  opened.push(redis);
  await waitUntilReady(redis, 10_000);
  return redis;
}

/** What the doctor finds while nobody is reached. */
const found = (more: Readonly<Record<string, string>>) => reachRedis(loadConfig(settings(more)));

describe.concurrent('the doctor says which password to mend', () => {
  test.for([
    ['none was given to the sentinels', {}, /NOAUTH/, 'REDIS_SENTINEL_PASSWORD'],
    ['they were given that of Redis', { REDIS_SENTINEL_PASSWORD: OF_REDIS }, /WRONGPASS/, 'REDIS_SENTINEL_PASSWORD'],
    [
      'they were given theirs, and Redis a wrong one',
      { REDIS_URL: 'redis://:wrong@ignored', REDIS_SENTINEL_PASSWORD: OF_SENTINELS },
      /WRONGPASS/,
      'REDIS_URL',
    ],
  ] as const)('when %s', async ([, more, says, fix]) => {
    expect(await found(more)).toMatchObject({
      check: 'redis',
      is: 'fault',
      says: expect.stringMatching(says),
      fix: expect.stringContaining(fix),
    });
  });
});

test('a user of the sentinels may ask, if that is how they know us', async () => {
  for (const { redis } of sentinels)
    await redis.acl(
      'SETUSER',
      'relais',
      'on',
      '>its-own',
      'allchannels',
      '-@all',
      '+auth',
      '+hello',
      '+ping',
      '+info',
      '+client',
      '+subscribe',
      '+sentinel|get-master-addr-by-name',
      '+sentinel|sentinels',
    );
  const redis = await connected({ REDIS_SENTINEL_USER: 'relais', REDIS_SENTINEL_PASSWORD: 'its-own' });
  expect(await redis.info('replication')).toContain('role:master');
});

test('with their password the primary is found, and whoever comes after it', async () => {
  const redis = await connected({ REDIS_SENTINEL_PASSWORD: OF_SENTINELS });
  expect(await redis.info('server')).toContain(`process_id:${primary.pid}`);
  process.kill(primary.pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await redis.info('server')).toContain(`process_id:${replica.pid}`), IN_SYNC);
  expect(await redis.info('replication')).toContain('role:master');
});

import type { Redis } from 'ioredis';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { checkDurability } from '../../src/redis/durability.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';

// Settings belong to the whole server, so these facts need one of their own.
let server: EmbeddedRedis;
let redis: Redis;
const plain = { asserted: false, replicas: 0 };

beforeAll(async () => {
  server = await startEmbeddedRedis();
  redis = await ready(server.url);
});

afterEach(async () => {
  await redis.config('SET', 'appendonly', 'yes', 'appendfsync', 'always', 'maxmemory', '0');
  await redis.config('SET', 'maxmemory-policy', 'noeviction', 'no-appendfsync-on-rewrite', 'no');
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test('a server that syncs every write before it answers is durable', async () => {
  const verdict = await checkDurability(redis, plain);
  expect(verdict).toMatchObject({ durable: true, reasons: [], usedMemoryShare: null });
  expect(verdict.runId).toMatch(/^[0-9a-f]{40}$/);
  expect(verdict.version).toMatch(/^\d+\.\d+\.\d+$/);
});

test.for([
  ['appendonly', 'no', 'nothing is written to disk'],
  ['appendfsync', 'everysec', 'a loss of power takes writes that were answered'],
  ['no-appendfsync-on-rewrite', 'yes', 'writes are not synced while the file is rewritten'],
  ['maxmemory-policy', 'allkeys-lru', 'a full Redis throws records away'],
] as const)('%s %s is not durable: %s', async ([setting, value, why]) => {
  await redis.config('SET', setting, value);
  const verdict = await checkDurability(redis, plain);
  expect(verdict.durable).toBe(false);
  expect(verdict.reasons).toEqual([expect.stringContaining(`${setting} is ${value}, so ${why}: set it with`)]);
});

test('an operator can answer for a setting, and the reason is still told', async () => {
  await redis.config('SET', 'appendfsync', 'everysec');
  const verdict = await checkDurability(redis, { ...plain, asserted: true });
  expect(verdict.durable).toBe(true);
  expect(verdict.reasons).toHaveLength(1);
});

test('a server that hides its settings is not durable until its operator vouches for it', async () => {
  await redis.acl('SETUSER', 'managed', 'on', '>pass', '+@all', '-config', '~*');
  const managed = await ready(server.url.replace('redis://', 'redis://managed:pass@'));
  const verdict = await checkDurability(managed, plain);
  expect(verdict.durable).toBe(false);
  expect(verdict.reasons).toEqual([expect.stringContaining('set DURABILITY=asserted')]);
  expect(await checkDurability(managed, { ...plain, asserted: true })).toMatchObject({ durable: true });
  managed.disconnect();
});

test('the share of memory in use is told when there is a limit', async () => {
  await redis.config('SET', 'maxmemory', '100mb');
  const { usedMemoryShare } = await checkDurability(redis, plain);
  expect(usedMemoryShare).toBeGreaterThan(0);
  expect(usedMemoryShare).toBeLessThan(0.5);
});

test('a snapshot that failed is a fault while writes are refused for it, whoever vouches', async () => {
  const target = join(server.dir, 'dump.rdb');
  // A folder stands where it should be written.
  mkdirSync(target);
  await redis.config('SET', 'save', '3600 100000');
  await redis.bgsave('SCHEDULE');
  await vi.waitFor(
    async () => expect(await redis.info('persistence')).toContain('rdb_last_bgsave_status:err'),
    20_000,
  );
  for (const asserted of [false, true]) {
    expect(await checkDurability(redis, { ...plain, asserted })).toMatchObject({
      durable: false,
      reasons: [expect.stringMatching(/^its last snapshot failed, so it takes no writes: make room on its disk/)],
    });
  }
  await redis.config('SET', 'stop-writes-on-bgsave-error', 'no');
  expect(await checkDurability(redis, plain)).toMatchObject({ durable: true, reasons: [] });
  await redis.config('SET', 'stop-writes-on-bgsave-error', 'yes');
  await redis.config('SET', 'save', '');
  expect(await checkDurability(redis, plain)).toMatchObject({ durable: true, reasons: [] });
  rmSync(target, { recursive: true });
});

test('replicas must be waited for, and those waited for must be there', async () => {
  const second = await startEmbeddedRedis();
  const replica = await ready(second.url);
  expect(await checkDurability(redis, { ...plain, replicas: 1 })).toMatchObject({
    durable: false,
    reasons: [expect.stringContaining('REDIS_WAIT_REPLICAS is 1 and 0 replica(s) are connected')],
  });

  await replica.replicaof('127.0.0.1', server.port);
  await vi.waitFor(async () => expect(await redis.info('replication')).toContain('connected_slaves:1'), 20_000);
  expect(await checkDurability(redis, plain)).toMatchObject({
    durable: false,
    reasons: [expect.stringContaining('set REDIS_WAIT_REPLICAS=1')],
  });
  expect(await checkDurability(redis, { ...plain, replicas: 1 })).toMatchObject({ durable: true });
  expect(await checkDurability(replica, { ...plain, asserted: true })).toMatchObject({
    durable: false,
    reasons: [expect.stringContaining('point REDIS_URL at the primary')],
  });
  replica.disconnect();
  await second.stop();
});

test('a Redis that is away is an error, not a verdict', async () => {
  const lost = openCommands({ url: 'redis://127.0.0.1:1' }, { name: 'test', onError: () => undefined });
  await expect(checkDurability(lost, plain)).rejects.toThrow(/writeable/);
  lost.disconnect();
});

async function ready(url: string): Promise<Redis> {
  const client = openCommands({ url }, { name: 'test', onError: () => undefined });
  await waitUntilReady(client, 10_000);
  return client;
}

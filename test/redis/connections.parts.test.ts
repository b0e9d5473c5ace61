import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import {
  closeConnection,
  openCommands,
  RedisUnavailable,
  waitUntilReady,
  batchPerTick,
} from '../../src/redis/connections.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { freshRedis } from '../support/fresh-redis.ts';

const toClose: Array<() => Promise<unknown>> = [];

afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

test('a ready client talks to the database in its URL, under its own name', async () => {
  const { url } = await fresh();
  const redis = open(url);
  await waitUntilReady(redis, 5_000);
  expect(await redis.client('GETNAME')).toBe('our-name');
  expect(await redis.client('INFO')).toContain(`db=${new URL(url).pathname.slice(1)} `);
});

test('two tests never share a database', async () => {
  const [one, other] = await Promise.all([fresh(), fresh()]);
  await one.redis.set('mine', '1');
  expect(await other.redis.get('mine')).toBeNull();
});

test('an unreachable Redis is named, with what to do and without the password', async () => {
  const redis = open(`redis://:hunter2@127.0.0.1:${await closedPort()}`);
  const refusal = waitUntilReady(redis, 50);
  await expect(refusal).rejects.toThrow(RedisUnavailable);
  await expect(refusal).rejects.toThrow(
    /127\.0\.0\.1:\d+ is not available: it did not answer within 50ms.*REDIS_URL/,
  );
  await expect(refusal).rejects.not.toThrow(/hunter2/);
});

test('waiting for a closed client is refused at once', async () => {
  const { url } = await fresh();
  const redis = open(url);
  redis.disconnect();
  await expect(waitUntilReady(redis, 60_000)).rejects.toThrow('its connection is closed');
  await expect(waitUntilReady(redis, 60_000)).rejects.toThrow(RedisUnavailable);
});

test('a command without a connection fails at once instead of queueing', async () => {
  const redis = open(`redis://127.0.0.1:${await closedPort()}`);
  await expect(redis.get('anything')).rejects.toThrow(/writeable/);
});

test('a command whose reply is lost is rejected and not sent again', async () => {
  const server = await startEmbeddedRedis();
  toClose.push(() => server.stop());
  const redis = open(server.url);
  await waitUntilReady(redis, 5_000);
  process.kill(server.pid, 'SIGSTOP');
  const increment = redis.incr('sent');
  const rejected = expect(increment).rejects.toThrow(/max retries/);
  redis.stream.destroy();
  process.kill(server.pid, 'SIGCONT');
  await rejected;
  await waitUntilReady(redis, 5_000);
  expect(Number(await redis.get('sent'))).toBeLessThanOrEqual(1);
});

test('commands that are asked for together leave in one write, and each has its own answer', async () => {
  const { url } = await fresh();
  const wire = await listenIn(url);
  const redis = open(wire.url);
  await waitUntilReady(redis, 5_000);
  const before = wire.writes();
  const asked = Array.from({ length: 50 }, async (_, index) => redis.set(`key-${index}`, index));
  const wrong = redis.evalsha('f'.repeat(40), 0);
  await expect(wrong).rejects.toThrow('NOSCRIPT');
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 50 }, () => 'OK'));
  expect(wire.writes() - before).toBe(1);
});

test('commands added at the end of a turn leave with the rest of it', async () => {
  const { url } = await fresh();
  const wire = await listenIn(url);
  const redis = open(wire.url);
  await waitUntilReady(redis, 5_000);
  const before = wire.writes();
  const handedOn: string[][] = [];
  const answers: Promise<unknown>[] = [];
  const collect = batchPerTick<string>(redis, async (names) => {
    handedOn.push([...names]);
    answers.push(redis.incrby('together', names.length));
  });
  const asked = redis.set('other', 1);
  collect('one');
  await Promise.resolve().then(() => collect('two'));
  await asked;
  expect([handedOn, await Promise.all(answers)]).toEqual([[['one', 'two']], [2]]);
  expect(wire.writes() - before).toBe(1);
});

test('items collected without a connection are passed on all the same', async () => {
  const lost = open(`redis://127.0.0.1:${await closedPort()}`);
  const handedOn = new Promise((resolve) => batchPerTick<string>(lost, async (names) => resolve(names))('one'));
  expect(await handedOn).toEqual(['one']);
});

test('a client finds its way back by itself after the server was away', async () => {
  const first = await startEmbeddedRedis();
  toClose.push(() => first.stop());
  const redis = open(first.url);
  await waitUntilReady(redis, 5_000);
  await first.stop();
  await vi.waitFor(() => expect(redis.status).not.toBe('ready'));
  const second = await startEmbeddedRedis({ port: first.port });
  toClose.push(() => second.stop());
  await waitUntilReady(redis, 10_000);
  expect(await redis.ping()).toBe('PONG');
});

test('closing hangs up, whether there was a connection or not', async () => {
  const { url } = await fresh();
  const connected = open(url);
  await waitUntilReady(connected, 5_000);
  const lost = open(`redis://127.0.0.1:${await closedPort()}`);
  await Promise.all([closeConnection(connected), closeConnection(lost)]);
  await vi.waitFor(() => expect([connected.status, lost.status]).toEqual(['end', 'end']));
});

async function fresh(): ReturnType<typeof freshRedis> {
  const database = await freshRedis();
  toClose.push(() => database.close());
  return database;
}

function open(url: string): Redis {
  const redis = openCommands({ url }, { name: 'our-name', onError: () => undefined });
  toClose.push(async () => redis.disconnect());
  return redis;
}

/** A proxy between a client and its Redis that counts the received chunks. */
async function listenIn(target: string): Promise<{ url: string; writes: () => number }> {
  const { port, pathname } = new URL(target);
  let writes = 0;
  const server = createServer((client) => {
    const redis = connect(Number(port), '127.0.0.1');
    client.on('data', (piece) => {
      writes += 1;
      redis.write(piece);
    });
    redis.pipe(client);
    client.on('close', () => redis.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  toClose.push(async () => server.close());
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    writes: () => writes,
  };
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

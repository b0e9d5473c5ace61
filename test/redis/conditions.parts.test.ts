/** What happens when Redis is not well: each row of the table in docs/redis.md. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { Link } from '../storm/link.ts';
import { type Paid, payingThrough } from './paid.ts';
import { type Server, startServer } from './servers.ts';

const IN_FLIGHT = 5;
/** More than what is written while so many are asked for and paid. */
const ROOM_BYTES = 1_000_000;
const WITHIN = { timeout: 15_000, interval: 50 };

let dir: string;
let server: Server;
let link: Link;
let service: Service;
let paid: Paid;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-conditions-'));
  server = await startServer({ dir });
  link = await Link.to(server.port);
  service = await startService({
    REDIS_URL: `redis://127.0.0.1:${link.port}`,
    UPSTREAM_TIMEOUT: '1s',
    UPSTREAM_CONNECT_TIMEOUT: '500ms',
  });
  // Each request is under way for a while, so that something is in hand whenever Redis fails.
  await service.control('POST', '/settings', { latencyMs: 200 });
  paid = payingThrough(service);
});

afterEach(() => link.heal());

afterAll(async () => {
  await service?.stop();
  await link?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** On the same files and the same port, as an operator would. */
async function startAgain(settings: Readonly<Record<string, string>> = {}, roomBytes?: number): Promise<void> {
  server = await startServer({ dir, port: String(server.port), ...settings }, {}, roomBytes);
}

async function refused(name: string, status = 503): Promise<string> {
  const answer = await paid.ask(name);
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  expect(answer.headers['retry-after']).toMatch(/^(5|30)$/);
  return String(answer.body.type).split('/').at(-1) ?? '';
}

/** Refusals begin as soon as the connection or the look has noticed. */
const eventuallyRefused = (name: string, kind: string) =>
  vi.waitFor(async () => expect(await refused(name)).toBe(kind), WITHIN);

test.for(['SIGKILL', 'SIGTERM'] as const)(
  'down by %s: 503, and once it is back all goes on, paid once',
  async (signal) => {
    const references = await paid.accepted(`down-${signal}`, IN_FLIGHT);
    process.kill(server.pid, signal);
    await server.stop();
    expect(await refused(`${signal}-refused`)).toBe('unavailable');
    await startAgain();
    await paid.once(references);
  },
);

test('hanging: an answer within seconds, and nothing is lost or doubled when it goes on', async () => {
  const references = await paid.accepted('hanging', IN_FLIGHT);
  process.kill(server.pid, 'SIGSTOP');
  const answer = await paid.ask('hung-1').finally(() => process.kill(server.pid, 'SIGCONT'));
  expect(answer.status).toBe(503);
  await paid.once(references);
  // The command that timed out may have been carried out after all: the same request is then a duplicate.
  expect((await paid.ask('hung-1')).status).toBeLessThan(300);
  await paid.once(['hung-1']);
});

test('slow: everything takes longer, and that is all', async () => {
  link.delay(250);
  await paid.once(await paid.accepted('slow', IN_FLIGHT));
});

test('nearly full: nothing is accepted, and what was accepted is settled', async () => {
  const references = await paid.accepted('filling', IN_FLIGHT);
  await server.redis.config('SET', 'maxmemory', String(Math.ceil((await usedMemory()) / 0.9)));
  link.cut();
  await eventuallyRefused('nearly-full', 'memory-full');
  await paid.once(references);
  await server.redis.config('SET', 'maxmemory', '0');
  await vi.waitFor(async () => expect((await paid.ask('has-room')).status).toBe(202), WITHIN);
  await paid.once(['has-room']);
});

test('full: nothing can be written, so nothing is sent; with room it goes on', async () => {
  const references = await paid.accepted('full', IN_FLIGHT);
  await server.redis.config('SET', 'maxmemory', '1mb');
  expect(await refused('too-full')).toMatch(/^(unavailable|memory-full)$/);
  await server.redis.config('SET', 'maxmemory', '0');
  await paid.once(references);
  // It is looked at every five seconds while it is full, so nobody has to tell relais.
  await vi.waitFor(async () => expect((await paid.ask('room-again')).status).toBe(202), WITHIN);
});

test('read-only: refused, and it goes on by itself when writes are taken again', async () => {
  const references = await paid.accepted('replica', IN_FLIGHT);
  // A primary that is not there, so that nothing is copied over.
  await server.redis.replicaof('127.0.0.1', 1);
  await eventuallyRefused('read-only', 'not-durable');
  await server.redis.replicaof('NO', 'ONE');
  await vi.waitFor(async () => expect((await paid.ask('writes-again')).status).toBe(202), WITHIN);
  await paid.once([...references, 'writes-again']);
});

test('a snapshot that fails: refused with the reason, not as a fault of ours, until one can be written', async () => {
  const references = await paid.accepted('misconf', IN_FLIGHT);
  // A folder stands where the snapshot should be written.
  mkdirSync(join(dir, 'dump.rdb'));
  await server.redis.config('SET', 'save', '1 1');
  // It may have begun one by itself in this moment.
  await server.redis.bgsave().catch(String);
  await vi.waitFor(
    async () => expect(await server.redis.set('probe', '1').catch(String)).toContain('MISCONF'),
    WITHIN,
  );
  // The first write that is refused tells: nobody has to wait for the look of each minute.
  await eventuallyRefused('no-snapshot', 'not-durable');
  const { body } = await paid.ask('no-snapshot');
  expect(body.detail).toMatch(/^its last snapshot failed, so it takes no writes: make room on its disk/);
  expect(await notReady()).toContain('its last snapshot failed');
  rmSync(join(dir, 'dump.rdb'), { recursive: true });
  // Redis tries again by itself.
  await paid.once(references);
  await vi.waitFor(async () => expect((await paid.ask('no-snapshot')).status).toBe(202), WITHIN);
  await vi.waitFor(async () => expect(await notReady()).toBe(''), WITHIN);
  await server.redis.config('SET', 'save', '');
});

test('loading: refused until every record is read, then all goes on', async () => {
  const references = await paid.accepted('loading', IN_FLIGHT);
  // While it reads its log it answers after every 1,024 commands: there must be many, and each must be quick.
  const writes = server.redis.pipeline();
  for (let write = 0; write < 20_000; write += 1) writes.set('read again', write);
  await writes.exec();
  process.kill(server.pid, 'SIGKILL');
  await server.stop();
  const started = startAgain({ 'key-load-delay': '300' });
  await vi.waitFor(async () => expect(await saysLoading()).toBe(true), WITHIN);
  expect(await refused('while-loading')).toBe('unavailable');
  expect(await saysLoading(), 'it was still loading').toBe(true);
  expect(await readOnAtOnce()).toBe('OK');
  await started;
  await paid.once(references);
});

test('out of disk: it ends by itself, and once there is room all goes on, paid once', async () => {
  process.kill(server.pid, 'SIGTERM');
  await server.stop();
  await startAgain({}, longestFile() + ROOM_BYTES);
  await vi.waitFor(async () => expect((await paid.ask('has-room-yet')).status).toBe(202), WITHIN);
  const references = await paid.accepted('disk', IN_FLIGHT);
  await expect(server.redis.set('too long', 'x'.repeat(ROOM_BYTES))).rejects.toThrow();
  await eventuallyRefused('disk-full', 'unavailable');
  await vi.waitFor(async () => expect(await notReady()).toContain('its connection is reconnecting'), WITHIN);
  await server.stop();
  await startAgain();
  await paid.once([...references, 'has-room-yet']);
  expect(await server.redis.exists('too long'), 'a write that was refused is not there').toBe(0);
});

/** Why this process is not ready; '' when it is. */
async function notReady(): Promise<string> {
  const answer = await request(`${service.metrics}/readyz`);
  const { reasons = [] } = (await answer.body.json()) as { reasons?: readonly string[] };
  expect(answer.statusCode).toBe(reasons.length === 0 ? 200 : 503);
  return reasons.join('; ');
}

function longestFile(): number {
  const folder = join(dir, 'appendonlydir');
  return Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).size));
}

async function usedMemory(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await server.redis.info('memory'))?.[1]);
}

async function saysLoading(): Promise<boolean> {
  // Undefined: not even listening yet.
  return /loading:1/.test(String(await asOnlooker((probe) => probe.info('persistence'))));
}

/** What is left is read without a pause, however many there are and however slow the machine is. */
const readOnAtOnce = () => asOnlooker((probe) => probe.config('SET', 'key-load-delay', '0'));

async function asOnlooker<T>(ask: (probe: Redis) => Promise<T>): Promise<T | undefined> {
  const probe = new Redis({ port: server.port, enableReadyCheck: false, maxRetriesPerRequest: 0, lazyConnect: true });
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    return await ask(probe);
  } catch {
    return undefined;
  } finally {
    probe.disconnect();
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import { type EmbeddedOptions, type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';

const EMBEDDED = fileURLToPath(new URL('../../src/redis/embedded.ts', import.meta.url));
const toStop: Array<() => Promise<unknown>> = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of toStop.splice(0).toReversed()) await stop();
});

test('stopping ends the process and removes its folder', async () => {
  const server = await start();
  expect(isAlive(server.pid)).toBe(true);
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
  expect(existsSync(server.dir)).toBe(false);
});

test('stopping twice is harmless', async () => {
  const server = await start();
  await server.stop();
  await expect(server.stop()).resolves.toBeUndefined();
});

test('a given folder stays, and the next server finds its data', async () => {
  const dir = ownFolder();
  const first = await start({ dir });
  await clientOf(first).set('paid', 'once');
  process.kill(first.pid, 'SIGKILL');
  await first.stop();
  const second = await start({ dir });
  expect(await clientOf(second).get('paid')).toBe('once');
});

test('a server that ends by itself is reported, a stopped one is not', async () => {
  const told: string[] = [];
  const server = await start({ log: (message) => told.push(message) });
  const stopped = await start({ log: (message) => told.push(message) });
  await stopped.stop();
  process.kill(server.pid, 'SIGKILL');
  await vi.waitFor(() => expect(told).toHaveLength(1));
  expect(told[0]).toMatch(new RegExp(`port ${server.port} ended by itself[^]*status 137`));
});

test('a port that is taken by another Redis is refused, and the other one is left alone', async () => {
  const other = await start();
  await clientOf(other).set('mine', 'untouched');
  await expect(start({ port: other.port })).rejects.toThrow(/answered by another Redis|ended before it answered/);
  expect(await clientOf(other).get('mine')).toBe('untouched');
});

test('a port that is taken by something else is refused with the server’s own words', async () => {
  const squatter = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  toStop.push(async () => squatter.close());
  const { port } = squatter.address() as { port: number };
  await expect(start({ port })).rejects.toThrow(/ended before it answered on port/);
});

test('a start that failed leaves no folder behind', async () => {
  const temporary = ownFolder();
  vi.stubEnv('TMPDIR', temporary);
  await expect(start({ binary: '/bin/false' })).rejects.toThrow('/bin/false ended before it answered');
  expect(readdirSync(temporary)).toEqual([]);
});

test('a parent that is killed takes its server and the folder with it', async () => {
  const { parent, server } = await startInChild();
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(server.pid)).toBe(false), { timeout: 10_000 });
  await vi.waitFor(() => expect(existsSync(server.dir)).toBe(false), { timeout: 10_000 });
});

test('a Ctrl-C meant for the parent does not reach the server first', async () => {
  const { parent, server } = await startInChild({ ignoresCtrlC: true });
  process.kill(-Number(parent.pid), 'SIGINT'); // the terminal signals the whole group
  await clientOf(server).blpop('nothing', 0.5); // Redis acts on a signal within a tenth of a second
  expect(await clientOf(server).ping()).toBe('PONG');
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(server.pid)).toBe(false), { timeout: 10_000 });
});

test('a running server does not keep its parent alive', async () => {
  const { parent, server } = await startInChild({ ends: true });
  if (parent.exitCode === null) await once(parent, 'exit');
  await vi.waitFor(() => expect(isAlive(server.pid)).toBe(false), { timeout: 10_000 });
});

async function start(options: EmbeddedOptions = {}): Promise<EmbeddedRedis> {
  const server = await startEmbeddedRedis({ ...suiteBinary(), ...options });
  toStop.push(() => server.stop());
  return server;
}

function suiteBinary(): EmbeddedOptions {
  const binary = process.env['REDIS_SERVER_BIN'];
  return binary ? { binary } : {};
}

function clientOf(server: { readonly port: number }): Redis {
  const redis = new Redis(server.port, '127.0.0.1');
  redis.on('error', () => undefined);
  toStop.push(async () => redis.disconnect());
  return redis;
}

/** Another process that starts a server, prints its pid, and waits to be killed (or exits). */
async function startInChild(
  how: { readonly ends?: boolean; readonly ignoresCtrlC?: boolean } = {},
): Promise<{ parent: ChildProcess; server: EmbeddedRedis }> {
  const program = `
    import { startEmbeddedRedis } from ${JSON.stringify(EMBEDDED)};
    ${how.ignoresCtrlC ? "process.on('SIGINT', () => {});" : ''}
    const server = await startEmbeddedRedis(${JSON.stringify(suiteBinary())});
    console.log(JSON.stringify(server));
    ${how.ends ? '' : 'setInterval(() => {}, 1_000);'}
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  toStop.push(async () => parent.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  return { parent, server: JSON.parse(line) as EmbeddedRedis };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function ownFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'relais-test-'));
  toStop.push(async () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { openProcesses } from '../support/world.ts';

const FREE_PORTS = {
  API_PORT: '0',
  WEBHOOKS_PORT: '0',
  SANDBOX_PORT: '0',
  SANDBOX_CRM_PORT: '0',
  SANDBOX_CONTROL_PORT: '0',
};
const GONE_LIMIT_MS = 15_000;

let opened: ReturnType<typeof openProcesses>;
beforeEach(() => {
  opened = openProcesses();
});
afterEach(() => opened.close());

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // only "no such process" is possible here: it is, or was, our own
  }
}

/** The server itself, which is a grandchild, and the folder it was given. */
async function askRedis(url: string): Promise<{ readonly pid: number; readonly dir: string }> {
  const redis = new Redis(url);
  try {
    const [, pid] = /^process_id:(\d+)/m.exec(await redis.info('server')) ?? [];
    const [, dir = ''] = await redis.config('GET', 'dir');
    return { pid: Number(pid), dir };
  } finally {
    redis.disconnect();
  }
}

describe('relais dev', () => {
  test.for(['SIGINT', 'SIGTERM'] as const)('%s leaves no process and no folder behind', async (signal) => {
    const dev = await opened.processes.start('dev', ['dev'], FREE_PORTS);
    const server = await askRedis(dev.urls['redis'] ?? '');
    expect([isAlive(dev.pid), isAlive(server.pid), existsSync(server.dir)]).toEqual([true, true, true]);

    dev.signal(signal);
    expect(await dev.ended).toEqual({ code: 0, signal: null });
    expect([isAlive(dev.pid), isAlive(server.pid), existsSync(server.dir)]).toEqual([false, false, false]);
  });

  test('takes its Redis along even when it is killed', async () => {
    const dev = await opened.processes.start('dev', ['dev'], FREE_PORTS);
    const server = await askRedis(dev.urls['redis'] ?? '');
    dev.signal('SIGKILL');
    await dev.ended;
    await vi.waitUntil(() => !isAlive(server.pid) && !existsSync(server.dir), { timeout: GONE_LIMIT_MS });
  });
});

describe('relais run', () => {
  test('with wrong settings names all of them at once', async () => {
    const wrong = { API_PORT: 'front', UPSTREAM_TIMEOUT: '5', DISBURSEMENT_RESUBMIT: 'maybe', SERVICE_BASE_URL: 'x' };
    const { code, stdout, log } = await opened.processes.run(['run'], wrong);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    for (const name of [...Object.keys(wrong), 'SERVICE_CRM_URL', 'CALLBACK_SECRET']) expect(log).toContain(name);
    expect(log).not.toContain('    at ');
  });

  test('with a wrong file of accounts says so, and ends with 1', async () => {
    const wrong = { ...(await placesOf(opened)), ACCOUNTS_FILE: '/nowhere/accounts.json' };
    const { code, stdout, log } = await opened.processes.run(['run'], wrong);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(log).toContain('ACCOUNTS_FILE: /nowhere/accounts.json: cannot be read');
  });

  test('ends with 1 whatever does not start, with Redis at hand and its listeners open', async () => {
    const places = await placesOf(opened);
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { code, stdout, log } = await opened.processes.run(['run'], { ...places, API_PORT: String(port) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(log).toContain(`API_PORT: port ${port} on 127.0.0.1 is taken`);
  });
});

/** A Redis and the double of the service, as a process with every role needs them. */
async function placesOf({ processes }: ReturnType<typeof openProcesses>): Promise<Readonly<Record<string, string>>> {
  const redis = await startEmbeddedRedis();
  onTestFinished(() => redis.stop());
  const { urls } = await processes.start('sandbox', ['sandbox'], FREE_PORTS);
  const settings = relaisSettings({ redisUrl: redis.url, base: urls['base'] ?? '', crm: urls['crm'] ?? '' });
  return { ...settings, CALLBACK_SECRET: 'callback-secret' };
}

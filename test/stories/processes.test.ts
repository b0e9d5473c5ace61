import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { startPostgres } from '../support/postgres.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { openProcesses } from '../support/world.ts';
import { root } from '../tidy/scanner.ts';

const RELAIS = join(root, 'bin/relais.js');

const FREE_PORTS = {
  API_PORT: '0',
  WEBHOOKS_PORT: '0',
  SANDBOX_PORT: '0',
  SANDBOX_CRM_PORT: '0',
  SANDBOX_CONTROL_PORT: '0',
};

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

interface Server {
  readonly pid: number;
  readonly dir: string;
}

async function askPostgres(connectionString: string): Promise<Server> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<Server>(
      "select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid, current_setting('data_directory') as dir",
    );
    const [server] = rows;
    if (server === undefined) throw new Error('PostgreSQL does not say where it is');
    return server;
  } finally {
    await client.end();
  }
}

async function askRedis(url: string): Promise<Server> {
  const redis = new Redis(url);
  try {
    const [, pid] = /^process_id:(\d+)/m.exec(await redis.info('server')) ?? [];
    const [, dir = ''] = await redis.config('GET', 'dir');
    return { pid: Number(pid), dir };
  } finally {
    redis.disconnect();
  }
}

interface Servers {
  readonly pids: readonly number[];
  readonly folders: readonly string[];
}

/** The servers themselves, which are grandchildren, and their folders. */
async function serversOf(urls: Readonly<Record<string, string>>): Promise<Servers> {
  const both = [await askRedis(urls['redis'] ?? ''), await askPostgres(urls['database'] ?? '')];
  return { pids: both.map(({ pid }) => pid), folders: both.map(({ dir }) => dir) };
}

const left = ({ pids, folders }: Servers): readonly unknown[] => [
  ...pids.filter((pid) => isAlive(pid)),
  ...folders.filter((folder) => existsSync(folder)),
];

describe('relais dev', () => {
  test.for(['SIGINT', 'SIGTERM'] as const)('%s leaves no process and no folder behind', async (signal) => {
    const dev = await opened.processes.start('dev', ['dev'], FREE_PORTS);
    const servers = await serversOf(dev.urls);
    expect([isAlive(dev.pid), left(servers)]).toEqual([true, [...servers.pids, ...servers.folders]]);

    dev.signal(signal);
    expect(await dev.ended).toEqual({ code: 0, signal: null });
    expect([isAlive(dev.pid), left(servers)]).toEqual([false, []]);
  });

  test('Ctrl-C reaches every process of the terminal, and still ends all of them in good order', async () => {
    const started = spawn(process.execPath, [RELAIS, 'dev'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        REDIS_SERVER_BIN: process.env['REDIS_SERVER_BIN'] ?? '',
        ...FREE_PORTS,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A terminal signals a whole group of processes.
      detached: true,
    });
    onTestFinished(() => void started.kill('SIGKILL'));
    let log = '';
    started.stderr.on('data', (piece: Buffer) => (log += piece.toString()));
    const [line] = (await once(createInterface(started.stdout), 'line')) as [string];
    const servers = await serversOf(JSON.parse(line) as Record<string, string>);
    const ended = once(started, 'close');
    process.kill(-(started.pid ?? 0), 'SIGINT');
    expect(await ended, log).toEqual([0, null]);
    expect(left(servers)).toEqual([]);
  });

  test('takes its servers along even when it is killed', async () => {
    const dev = await opened.processes.start('dev', ['dev'], FREE_PORTS);
    const servers = await serversOf(dev.urls);
    dev.signal('SIGKILL');
    await dev.ended;
    await vi.waitFor(() => expect(left(servers)).toEqual([]));
  });
});

describe('relais run', () => {
  test('with wrong settings names all of them at once', async () => {
    const wrong = { API_PORT: 'front', UPSTREAM_TIMEOUT: '5', DISBURSEMENT_RESUBMIT: 'maybe', SERVICE_BASE_URL: 'x' };
    const { code, stdout, log } = await opened.processes.run(['run'], wrong);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    for (const name of [...Object.keys(wrong), 'SERVICE_CRM_URL', 'CALLBACK_SECRET', 'DATABASE_URL'])
      expect(log).toContain(name);
    expect(log).not.toContain('    at ');
  });

  test('with an invalid file of accounts reports it, and exits with 1', async () => {
    const wrong = { ...(await placesOf(opened)), ACCOUNTS_FILE: '/nowhere/accounts.json' };
    const { code, stdout, log } = await opened.processes.run(['run'], wrong);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(log).toContain('ACCOUNTS_FILE: /nowhere/accounts.json: cannot be read');
  });

  test('exits with 1 after any failed start, with its stores reachable and its listeners open', async () => {
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

/** PostgreSQL, Redis and the sandbox, as a process with every role needs them. */
async function placesOf({ processes }: ReturnType<typeof openProcesses>): Promise<Readonly<Record<string, string>>> {
  const redis = await startEmbeddedRedis();
  onTestFinished(() => redis.stop());
  const { urls } = await processes.start('sandbox', ['sandbox'], FREE_PORTS);
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const settings = relaisSettings({
    redisUrl: redis.url,
    databaseUrl: postgres.url,
    base: urls['base'] ?? '',
    crm: urls['crm'] ?? '',
  });
  return { ...settings, CALLBACK_SECRET: 'callback-secret' };
}

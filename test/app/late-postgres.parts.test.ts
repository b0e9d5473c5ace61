/** A process that starts before PostgreSQL, or without Redis; and a PostgreSQL that goes away and returns. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EmbeddedPostgres } from '../../src/ledger/embedded.ts';
import { openPostgres } from '../support/postgres.ts';
import { freePort } from '../../src/lib/listening.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { type StartingRelais, spawnRelais } from '../support/relais-process.ts';

const NOWHERE = 'http://127.0.0.1:9';
const NO_REDIS = 'redis://127.0.0.1:9';
const WITHIN = { timeout: 120_000, interval: 50 };

async function postgres(): Promise<EmbeddedPostgres> {
  const dir = mkdtempSync(join(tmpdir(), 'relais-late-'));
  const server = await openPostgres(join(dir, 'postgres'));
  onTestFinished(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return server;
}

async function starting(databaseUrl: string, roles: string, more: Readonly<Record<string, string>> = {}) {
  const metricsPort = await freePort();
  const relais = spawnRelais(
    {
      ...relaisSettings({ redisUrl: NO_REDIS, databaseUrl, base: NOWHERE, crm: NOWHERE }),
      CALLBACK_SECRET: 'callback-secret',
      API_KEYS: 'maker:enqueue+read:maker-secret',
      METRICS_PORT: String(metricsPort),
      // Its PostgreSQL may be gone before its stop.
      DRAIN_TIMEOUT: '1s',
      ...more,
    },
    roles,
  );
  onTestFinished(() => end(relais));
  const ask = async (path: string) => {
    const { statusCode: status, body } = await request(`http://127.0.0.1:${metricsPort}${path}`);
    return { status, text: await body.text() };
  };
  return { relais, ask };
}

async function end({ ready, ended, pid }: StartingRelais): Promise<void> {
  ready.catch(() => undefined);
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
  await ended;
}

const disbursements = async (api = ''): Promise<number> => {
  const headers = { authorization: 'Bearer maker-secret' };
  const { statusCode, headers: answered, body } = await request(`${api}/v1/disbursements`, { headers });
  await body.dump();
  if (statusCode === 503) expect(answered['retry-after']).toBe('5');
  return statusCode;
};

test('a process that starts before PostgreSQL is alive, not ready, and names the reason; then it works, without Redis', async () => {
  const server = await postgres();
  await server.stop();
  const { relais, ask } = await starting(server.url, 'api,worker,webhooks');

  await vi.waitFor(async () => expect(await ask('/healthz')).toMatchObject({ status: 200 }), WITHIN);
  await vi.waitFor(async () => {
    const { status, text } = await ask('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      ready: false,
      reasons: [
        expect.stringMatching(/^it has not started yet/),
        'PostgreSQL cannot be used: nothing listens at its address',
      ],
    });
  }, WITHIN);
  expect((await ask('/metrics')).text).toContain('relais_database_up 0');
  await vi.waitFor(() => expect(relais.written()).toMatch(/"level":"warn".*waiting for PostgreSQL/), WITHIN);
  expect(relais.written()).not.toContain('"ready":true');

  await server.start();
  const { urls } = await relais.ready;
  expect(await ask('/readyz')).toMatchObject({ status: 200 });
  // A page is cached for a moment.
  const page = async (): Promise<string> => (await ask('/metrics')).text;
  await vi.waitFor(async () => expect(await page()).toMatch(/relais_database_up 1\n[^]*relais_redis_up 0\n/), WITHIN);
  expect(await disbursements(urls['api'])).toBe(200);
});

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly err?: unknown;
}

const linesOf = (relais: StartingRelais): Line[] =>
  relais
    .written()
    .split('\n')
    .flatMap((line) => (line.startsWith('{"level"') ? [JSON.parse(line) as Line] : []));

test('a PostgreSQL that is stopped: the process lives, is not ready, and answers 503 until it is back', async () => {
  const server = await postgres();
  // A quick machine asks two hundred times in a second.
  const { relais, ask } = await starting(server.url, 'api,worker,webhooks', { API_RATE: '0' });
  const { urls } = await relais.ready;
  const before = linesOf(relais).length;
  await server.crash();
  await vi.waitFor(async () => {
    const { status, text } = await ask('/readyz');
    expect(status).toBe(503);
    expect(text).toContain('nothing listens at its address');
  }, WITHIN);
  for (let asked = 0; asked < 200; asked += 1) expect(await disbursements(urls['api'])).toBe(503);
  expect(await ask('/healthz')).toMatchObject({ status: 200 });

  await server.start();
  await vi.waitFor(async () => expect(await ask('/readyz')).toMatchObject({ status: 200 }), WITHIN);
  expect(await disbursements(urls['api'])).toBe(200);

  // However often it was asked, the log has one line for the outage and one for its end.
  await vi.waitFor(() => expect(linesOf(relais).map(({ msg }) => msg)).toContain('PostgreSQL is back'), WITHIN);
  const said = linesOf(relais).slice(before);
  expect(said.length, JSON.stringify(said)).toBeLessThanOrEqual(4);
  expect(said.filter(({ err }) => err !== undefined)).toEqual([]);
  expect(said.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([
    expect.objectContaining({ msg: expect.stringMatching(/^PostgreSQL is away/) }),
  ]);
  expect(said.find(({ msg }) => msg === 'PostgreSQL is back')).toMatchObject({
    level: 'info',
    lastedMs: expect.any(Number),
    failed: expect.any(Number),
  });
});

test('DATABASE_PATIENCE is how long it waits, and then it ends with the reason', async () => {
  const { relais } = await starting('postgres://relais@127.0.0.1:9/relais', 'api', { DATABASE_PATIENCE: '1s' });
  await expect(relais.ready).rejects.toThrow(
    'DATABASE_URL: PostgreSQL cannot be used: nothing listens at its address',
  );
  expect(await relais.ended).toBe(1);
});

test('a process that is stopped while it waits stops at once, without a failure', async () => {
  const { relais, ask } = await starting('postgres://relais@127.0.0.1:9/relais', 'api,worker,webhooks');
  await vi.waitFor(async () => expect(await ask('/healthz')).toMatchObject({ status: 200 }), WITHIN);
  relais.ready.catch(() => undefined);
  process.kill(relais.pid, 'SIGTERM');
  expect(await relais.ended).toBe(0);
});

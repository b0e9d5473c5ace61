import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import { startServer } from '../redis/servers.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { type StartingRelais, spawnRelais } from '../support/relais-process.ts';

const NOWHERE = 'http://127.0.0.1:9';
const WITHIN = { timeout: 30_000, interval: 50 };

async function starting(redisPort: number, roles: string, more: Readonly<Record<string, string>> = {}) {
  const metricsPort = await freePort();
  const relais = spawnRelais(
    {
      ...relaisSettings({ redisUrl: `redis://127.0.0.1:${redisPort}`, base: NOWHERE, crm: NOWHERE }),
      CALLBACK_SECRET: 'callback-secret',
      API_KEYS: 'maker:enqueue+read:maker-secret',
      METRICS_PORT: String(metricsPort),
      // Its Redis may be gone before it is told to stop.
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

test.for(['api,worker,webhooks', 'worker'])(
  '%s that starts before its Redis is alive, not ready, and says why; and then works',
  async (roles) => {
    const port = await freePort();
    const { relais, ask } = await starting(port, roles);

    await vi.waitFor(async () => expect(await ask('/healthz')).toMatchObject({ status: 200 }), WITHIN);
    await vi.waitFor(async () => {
      const { status, text } = await ask('/readyz');
      expect(status).toBe(503);
      expect(JSON.parse(text)).toEqual({
        ready: false,
        reasons: [expect.stringMatching(/^it has not started yet/), expect.stringContaining(`127.0.0.1:${port}`)],
      });
      expect(text).toContain('ECONNREFUSED');
    }, WITHIN);
    expect((await ask('/metrics')).text).toContain('relais_redis_up 0');
    await vi.waitFor(() => expect(relais.written()).toMatch(/"level":"warn".*not available.*Trying again/), WITHIN);
    expect(relais.written()).not.toContain('"ready":true');

    const redis = await startServer({ port: String(port) });
    onTestFinished(() => redis.stop());
    const { urls } = await relais.ready;
    expect(await ask('/readyz')).toMatchObject({ status: 200 });
    if (!roles.includes('api')) return;
    const answer = await request(`${urls['api']}/v1/queues`, {
      headers: { authorization: 'Bearer maker-secret' },
    });
    expect(answer.statusCode).toBe(200);
    await answer.body.dump();
  },
);

test('a Redis that is put away and back: alive all the while, not ready meanwhile', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'relais-late-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const first = await startServer({ dir });
  const { relais, ask } = await starting(first.port, 'api,worker,webhooks');
  await relais.ready;
  await first.stop();
  await vi.waitFor(async () => {
    const { status, text } = await ask('/readyz');
    expect(status).toBe(503);
    expect(text).toContain(`127.0.0.1:${first.port}`);
  }, WITHIN);
  expect(await ask('/healthz')).toMatchObject({ status: 200 });

  const second = await startServer({ dir, port: String(first.port) });
  onTestFinished(() => second.stop());
  await vi.waitFor(async () => expect(await ask('/readyz')).toMatchObject({ status: 200 }), WITHIN);
});

test('REDIS_PATIENCE is how long it waits, and then it ends with the reason', async () => {
  const { relais } = await starting(await freePort(), 'api', { REDIS_PATIENCE: '1s' });
  await expect(relais.ready).rejects.toThrow(/Redis at .* is not available: it did not answer within 1s/);
  expect(await relais.ended).toBe(1);
});

test('who is told to stop while it waits stops at once, and that is no failure', async () => {
  const { relais, ask } = await starting(await freePort(), 'api,worker,webhooks');
  await vi.waitFor(async () => expect(await ask('/healthz')).toMatchObject({ status: 200 }), WITHIN);
  relais.ready.catch(() => undefined);
  process.kill(relais.pid, 'SIGTERM');
  expect(await relais.ended).toBe(0);
});

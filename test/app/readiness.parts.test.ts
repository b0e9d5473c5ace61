import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/app/run.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { relaisSettings } from '../support/relais-settings.ts';

const NOWHERE = 'http://127.0.0.1:9';

// A server of its own: it is frozen.
let server: EmbeddedRedis;
beforeAll(async () => {
  server = await startEmbeddedRedis();
});
afterAll(() => server.stop());

const readiness = async (url = ''): Promise<{ status: number; reasons?: string[] }> => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, ...((await answer.json()) as object) };
};

test.for(['api', 'webhooks'] as const)(
  'an idle %s is not ready while Redis hangs, and is again after it',
  async (role) => {
    const settings = relaisSettings({ redisUrl: server.url, base: NOWHERE, crm: NOWHERE });
    const config = loadConfig({ ...settings, CALLBACK_SECRET: 'callback-secret', LOG_LEVEL: 'silent' });
    const { urls, stop } = await startRoles(config, [role]);
    onTestFinished(stop);
    expect(await readiness(urls.metrics)).toMatchObject({ status: 200 });

    process.kill(server.pid, 'SIGSTOP');
    try {
      // A frozen server keeps its connections: nothing but a question that nobody answers tells.
      expect(await readiness(urls.metrics)).toMatchObject({
        status: 503,
        reasons: [expect.stringContaining('Redis has not answered within 1s')],
      });
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await vi.waitFor(async () => expect(await readiness(urls.metrics)).toMatchObject({ status: 200 }), 20_000);
  },
);

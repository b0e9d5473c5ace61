/** A PostgreSQL that dies under a running process, and comes back: what an operator reads of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/ledger/embedded.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { sandboxKeys } from '../../src/app/sandbox.ts';
import { startRelais } from '../support/relais-process.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly err?: unknown;
  readonly lastedMs?: number;
  readonly failed?: number;
}

test('is one line where it goes away, and one where it is back, with how long and how often', async () => {
  const redis = await startEmbeddedRedis();
  const dir = mkdtempSync(join(tmpdir(), 'relais-outage-'));
  const server = await openEmbeddedPostgres(join(dir, 'postgres'));
  const relais = await startRelais(
    {
      REDIS_URL: redis.url,
      DATABASE_URL: server.url,
      SERVICE_BASE_URL: 'http://127.0.0.1:9',
      SERVICE_CRM_URL: 'http://127.0.0.1:9',
      ...sandboxKeys,
      CALLBACK_SECRET: 'callback-secret',
      API_KEYS: 'maker:enqueue+read:maker-secret',
      API_PORT: '0',
      // A quick machine asks two hundred times in a second.
      API_RATE: '0',
      WEBHOOKS_PORT: '0',
      METRICS_PORT: '0',
    },
    'api,worker,webhooks',
  );
  const lines = (): Line[] =>
    relais
      .written()
      .split('\n')
      .flatMap((line) => (line.startsWith('{"level"') ? [JSON.parse(line) as Line] : []));
  const ask = async (): Promise<number> => {
    const headers = { authorization: 'Bearer maker-secret' };
    const { statusCode, body } = await request(`${relais.urls['api']}/v1/disbursements`, { headers });
    await body.dump();
    return statusCode;
  };
  try {
    expect(await ask()).toBe(200);
    const before = lines().length;
    await server.crash();
    await expect.poll(() => lines().slice(before).length).toBeGreaterThan(0);
    const answers = new Set<number>();
    for (let asked = 0; asked < 200; asked += 1) answers.add(await ask());
    expect([...answers]).toEqual([503]);
    await server.start();
    await expect.poll(ask).toBe(200);
    await expect.poll(() => lines().map(({ msg }) => msg)).toContain('PostgreSQL is back');

    const said = lines().slice(before);
    const about = said.filter(({ level }) => level === 'warn' || level === 'error');
    expect(about.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^PostgreSQL is away/)]);
    expect(said.length, JSON.stringify(said)).toBeLessThanOrEqual(4);
    expect(said.filter(({ err }) => err !== undefined)).toEqual([]);
    const end = said.find(({ msg }) => msg === 'PostgreSQL is back');
    expect(end).toMatchObject({ level: 'info', lastedMs: expect.any(Number), failed: expect.any(Number) });
    expect(end?.failed).toBeGreaterThan(1);
  } finally {
    await relais.stop();
    await server.stop();
    await redis.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});

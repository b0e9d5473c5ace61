import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { listedIn } from '../support/listed.ts';

const WRITTEN_BEFORE = 200;

async function serverOn(dir?: string): Promise<{ server: EmbeddedRedis; redis: Redis }> {
  const server = await startEmbeddedRedis(dir === undefined ? {} : { dir });
  const redis = new Redis(server.url);
  onTestFinished(async () => {
    redis.disconnect();
    await server.stop();
  });
  return { server, redis };
}

const acceptOne = (operations: Operations, number: number) =>
  operations.accept({
    kind: 'disbursement',
    id: `dsb_${number}`,
    account: 'main',
    state: 'queued',
    fingerprint: 'x',
    xof: 1_000,
    fields: { amount: 1_000, accountAlias: '770000001', withdrawMode: 'wave-senegal', disburseId: `dsb_${number}` },
  });

test('a backup made as docs/operating.md says, under load, has everything that was answered before it', async () => {
  const { server, redis } = await serverOn();
  const operations = new Operations({ redis, random: seededRandom(1) });
  for (let number = 0; number < WRITTEN_BEFORE; number += 1) await acceptOne(operations, number);

  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  expect(page).toContain('redis-cli CONFIG SET auto-aof-rewrite-percentage 0');
  await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  expect(await redis.info('persistence')).toContain('aof_rewrite_in_progress:0');
  const goingOn = Promise.all(Array.from({ length: 500 }, (_, number) => acceptOne(operations, 1_000 + number)));
  const backup = mkdtempSync(join(tmpdir(), 'relais-backup-'));
  onTestFinished(() => rmSync(backup, { recursive: true, force: true }));
  cpSync(join(server.dir, 'appendonlydir'), join(backup, 'appendonlydir'), { recursive: true });
  await goingOn;

  const restored = await serverOn(backup);
  const { count, xof } = await new Queries(restored.redis).counts('disbursement');
  expect(count['queued']).toBeGreaterThanOrEqual(WRITTEN_BEFORE);
  // Whole steps or none: what is counted, what it sums up to and what can be listed agree.
  expect(xof['queued']).toBe(1_000 * (count['queued'] ?? 0));
  expect(await listedIn(restored.redis, 'disbursement')).toBe(count['queued']);
  expect((await new Queries(restored.redis).read('disbursement', `dsb_${WRITTEN_BEFORE - 1}`))?.state).toBe('queued');
});

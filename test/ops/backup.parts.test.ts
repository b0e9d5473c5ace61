import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { verifyBackup } from '../../src/app/backup.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { listedIn } from '../support/listed.ts';

const WRITTEN_BEFORE = 200;

async function serverOn(dir?: string): Promise<{ server: EmbeddedRedis; redis: Redis }> {
  const server = await startEmbeddedRedis(dir === undefined ? {} : { dir });
  const redis = new Redis(server.url, { keyPrefix: '{relais}:' });
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
  const places = (line: string) =>
    line.replaceAll('/var/lib/redis/', `${server.dir}/`).replaceAll('/backup/', `${backup}/`);
  const lines = page.split('\n').filter((line) => /^ {4}(to=|cp )/.test(line));
  const [, verified = ''] = /^ {4}relais backup verify (\S+)$/m.exec(page) ?? [];
  // It was made when the page says that the one was made that it has tried.
  const date = `date() { echo ${basename(verified)}; }`;
  execFileSync('/bin/sh', ['-euc', [date, ...lines.map(places)].join('\n')]);
  await goingOn;

  const dir = places(verified);
  const { signal } = new AbortController();
  expect(await verifyBackup({ dir, json: true, env: {}, clock: systemClock, signal, print: () => undefined })).toBe(
    0,
  );
  const restored = await serverOn(dir);
  const { count, xof } = await new Queries(restored.redis).counts('disbursement');
  expect(count['queued']).toBeGreaterThanOrEqual(WRITTEN_BEFORE);
  // Whole steps or none: what is counted, what it sums up to and what can be listed agree.
  expect(xof['queued']).toBe(1_000 * (count['queued'] ?? 0));
  expect(await listedIn(restored.redis, 'disbursement')).toBe(count['queued']);
  expect((await new Queries(restored.redis).read('disbursement', `dsb_${WRITTEN_BEFORE - 1}`))?.state).toBe('queued');
});

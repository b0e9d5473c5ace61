import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { Link } from './link.ts';
import { Power } from './power.ts';

test('a power loss keeps every write that was acknowledged, and loses some that were not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'storm-power-'));
  const power = await Power.on({ dir });
  const link = await Link.to(power.port);
  const redis = new Redis({
    port: link.port,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => 20,
  });
  redis.on('error', () => undefined);
  const acknowledged: number[] = [];
  try {
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
    let asked = 0;
    const over = new AbortController();
    const write = async (): Promise<void> => {
      while (!over.signal.aborted) {
        asked += 1;
        const number = asked;
        await redis.sadd('kept', number).then(
          () => acknowledged.push(number),
          // Not acknowledged, so it may be lost; the next connection is made soon.
          () => new Promise((resolve) => setImmediate(resolve)),
        );
      }
    };
    const writers = Array.from({ length: 16 }, write);
    for (const seed of [1, 2, 3]) {
      if (redis.status !== 'ready') await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
      await redis.ping();
      await power.fail([link], seededRandom(seed), 10);
    }
    over.abort();
    await Promise.all(writers);
    if (redis.status !== 'ready') await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
    const kept = new Set((await redis.smembers('kept')).map(Number));
    expect(acknowledged.filter((number) => !kept.has(number))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(power.losses.some(({ cut }) => cut > 0)).toBe(true);
  } finally {
    redis.disconnect();
    await link.close();
    await power.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});

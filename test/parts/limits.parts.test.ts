import { pino } from 'pino';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Heartbeat } from '../../src/operations/heartbeat.ts';
import type { Opinions } from '../../src/operations/limits.ts';
import { SharedLimits } from '../../src/operations/shared-limits.ts';
import { limitsPart } from '../../src/parts/limits.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();

/** What a process with these settings writes down when it starts. */
async function written(own: Opinions): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const limits = new SharedLimits(store.redis, own);
  const { redis } = store;
  const [clock, random] = [systemClock, systemRandom];
  const needs = { limits, logger, clock, random, redis, patience: { clock, logger }, quietly: () => undefined };
  const heartbeat = new Heartbeat({ redis, random, silenceMs: 900_000 });
  const part = limitsPart({ ...needs, heartbeat }, ['worker', 'api']);
  const stop = await part.start();
  await stop();
  return lines;
}

test('a process that makes a limit stricter is audited, one that would have had more is an error', async () => {
  expect(await written({ MAX_DISBURSEMENT: 10_000 })).toMatchObject([
    {
      audit: true,
      by: 'settings of api, worker',
      did: 'limit',
      name: 'MAX_DISBURSEMENT',
      from: 2_000_000,
      to: 10_000,
    },
  ]);
  expect(await written({ MAX_DISBURSEMENT: 10_000 })).toEqual([]);
  expect(await written({})).toEqual([]);
  expect(await written({ MAX_DISBURSEMENT: 900_000 })).toMatchObject([
    {
      level: 50,
      reasons: [expect.stringMatching(/^MAX_DISBURSEMENT of this process is 900.000.XOF, and 10.000.XOF holds/)],
    },
  ]);
});

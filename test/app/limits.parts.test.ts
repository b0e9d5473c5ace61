import { pino } from 'pino';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Audit } from '../../src/operations/audit.ts';
import { Heartbeat } from '../../src/operations/heartbeat.ts';
import { type Opinions } from '../../src/kinds/limits.ts';
import { SharedLimits } from '../../src/operations/limits.ts';
import { limitsPart } from '../../src/app/limits.ts';
import { examineLimits } from '../../src/app/examine/redis.ts';
import { heldBy, storeOfThisFile } from '../support/fresh-redis.ts';

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
  const part = limitsPart({ ...needs, heartbeat }, ['worker', 'api'], { signAct: undefined });
  const stop = await part.start();
  await stop();
  return lines;
}

test('a process that makes a limit stricter is audited, one that would have had more is an error', async () => {
  expect(await written({ MAX_DISBURSEMENT: 10_000 })).toMatchObject([
    { by: 'settings of api, worker', name: 'MAX_DISBURSEMENT', from: 2_000_000, to: 10_000 },
  ]);
  expect(await written({ MAX_DISBURSEMENT: 10_000 })).toEqual([]);
  expect(await written({})).toEqual([]);
  const told = await new Audit(store.redis).page({ limit: 10 });
  const line = { act: 'limit.set', by: 'settings of api, worker', source: 'settings', target: 'MAX_DISBURSEMENT' };
  expect(told.map(({ words }) => words)).toMatchObject([{ ...line, after: '{"value":"10000"}' }]);
  expect(await written({ MAX_DISBURSEMENT: 900_000 })).toMatchObject([
    {
      level: 50,
      reasons: [expect.stringMatching(/^MAX_DISBURSEMENT of this process is 900.000.XOF, and 10.000.XOF holds/)],
    },
  ]);
});

test('the doctor tells which settings are looser than what holds, as readiness does, and changes nothing', async () => {
  const told = async (own: Opinions) => {
    const findings = await examineLimits(new SharedLimits(store.redis), own, systemClock.now());
    return findings.map(({ is, says, fix = '' }) => `${is} ${says} → ${fix}`);
  };
  expect(await told({ MAX_DISBURSEMENT: 3_000_000 })).toEqual([
    expect.stringMatching(/^ok no setting is looser than what holds/),
  ]);
  await written({ MAX_DISBURSEMENT: 10_000, DUPLICATE_WINDOW: 60_000 });
  const before = await heldBy(store.redis);
  expect(await told({ MAX_DISBURSEMENT: 10_000, MAX_PER_DAY: 5 })).toHaveLength(1);
  expect(await told({ MAX_DISBURSEMENT: 900_000, DUPLICATE_WINDOW: null })).toEqual([
    expect.stringMatching(
      /^fault MAX_DISBURSEMENT of this process is 900.000.XOF, and 10.000.XOF holds, by settings of \S+ \S+ → Set it to that or leave it out; .*relais limits set MAX_DISBURSEMENT 900000$/,
    ),
    expect.stringMatching(
      /^fault DUPLICATE_WINDOW of this process is off, and 1m holds.*limits set DUPLICATE_WINDOW off$/,
    ),
  ]);
  expect(await heldBy(store.redis)).toEqual(before);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { Accounts } from '../../src/operations/accounts.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { memoryUnderTest } from './memory-under-test.ts';
import { operationsConformance } from './operations.ts';
import { randomCommands } from './random-commands.ts';
import { redisUnderTest } from './redis-under-test.ts';
import { LEASE_MS, disbursementOf } from './under-test.ts';

const DEEP = process.env['RELAIS_DEEP'] === '1';
const SEEDS = DEEP ? 200 : 5;
const COMMANDS = 400;

let fresh: FreshRedis;
beforeAll(async () => {
  fresh = await freshRedis();
});
afterAll(() => fresh.close());

describe('records in Redis', () => operationsConformance(() => redisUnderTest(fresh.redis)));

test('what stands in the way of an account that was named comes with the record', async () => {
  const { redis } = fresh;
  const at = await redisUnderTest(redis);
  const operations = new Operations({ redis, random: seededRandom(1), standingsOf: ['other', 'main'] });
  await at.operations.accept(disbursementOf('a'));
  await at.operations.accept(disbursementOf('b', { account: 'unnamed' }));
  await at.hold('main', 'payments.stopped');
  await redis.hset(keys.account('main'), 'row:payments.maintenance', 2);
  expect(await operations.acquire('disbursement', 'a', 'disbursement', LEASE_MS)).toMatchObject({
    is: 'acquired',
    record: { id: 'a', account: 'main' },
    standing: await new Accounts(redis).standingOf('main'),
  });
  expect(await operations.acquire('disbursement', 'b', 'disbursement', LEASE_MS)).not.toHaveProperty('standing');
});

describe('records in Redis and in memory', () => {
  test('answer alike and end alike, whatever is asked', { timeout: 600_000 }, async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const inRedis = await redisUnderTest(fresh.redis, seed);
      const inMemory = await memoryUnderTest(seed);
      const answered = await randomCommands(inRedis, seed, COMMANDS);
      expect(await randomCommands(inMemory, seed, COMMANDS), `answers with seed ${seed}`).toEqual(answered);
      expect(await inMemory.everything(), `what is kept with seed ${seed}`).toEqual(await inRedis.everything());
      expect(await inMemory.events(), `events with seed ${seed}`).toEqual(await inRedis.events());
    }
  });
});

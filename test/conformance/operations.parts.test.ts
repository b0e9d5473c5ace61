import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { memoryUnderTest } from './memory-under-test.ts';
import { operationsConformance } from './operations.ts';
import { randomCommands } from './random-commands.ts';
import { redisUnderTest } from './redis-under-test.ts';

const DEEP = process.env['RELAIS_DEEP'] === '1';
const SEEDS = DEEP ? 200 : 5;
const COMMANDS = 400;

let fresh: FreshRedis;
beforeAll(async () => {
  fresh = await freshRedis();
});
afterAll(() => fresh.close());

describe('records in Redis', () => operationsConformance(() => redisUnderTest(fresh.redis)));

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

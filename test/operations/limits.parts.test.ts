import { afterAll, expect, test } from 'vitest';
import { publishLimits } from '../../src/operations/limits.ts';
import { keys } from '../../src/operations/keys.ts';
import { freshRedis } from '../support/fresh-redis.ts';

const fresh = await freshRedis();
afterAll(() => fresh.close());

test('a process that starts with other limits than those that hold is told which it changed', async () => {
  const { redis } = fresh;
  expect(await publishLimits(redis, { APPROVAL_ABOVE: 50_000, MAX_PER_DAY: 900_000 })).toEqual([
    'MAX_PER_DAY: none → 900000',
    'APPROVAL_ABOVE: none → 50000',
  ]);
  expect(await publishLimits(redis, { APPROVAL_ABOVE: 50_000, MAX_PER_DAY: 900_000 })).toEqual([]);
  expect(await publishLimits(redis, { MAX_PER_DAY: 900_000 })).toEqual(['APPROVAL_ABOVE: 50000 → none']);
  expect(await redis.hgetall(keys.limits)).toEqual({ MAX_PER_DAY: '900000' });
});

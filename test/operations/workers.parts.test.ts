import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { Workers } from '../../src/operations/workers.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();

test('a worker knows how many slots all that are here have together', async () => {
  let now = 1_000_000;
  const worker = (slots: number) => new Workers(store.redis, { slots, random: systemRandom, now: () => now });
  const [one, other] = [worker(4), worker(12)];
  await one.say();
  expect(one.times).toBe(1);
  await other.say();
  await one.say();
  expect([one.times, other.times]).toEqual([4, 16 / 12]);
  await other.leave();
  await one.say();
  expect(one.times).toBe(1);
});

test('one that has been silent for a while is not here any more', async () => {
  let now = 1_000_000;
  const worker = () => new Workers(store.redis, { slots: 4, random: systemRandom, now: () => now });
  const [one, killed] = [worker(), worker()];
  await killed.say();
  await one.say();
  expect(one.times).toBe(2);
  now += 10_000;
  await one.say();
  expect([one.times, await store.redis.hlen('workers')]).toEqual([1, 1]);
});

import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { Workers, workersHere } from '../../src/operations/workers.ts';
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

test('each is told by its machine and process, as long as it is here', async () => {
  const worker = (place: string, slots: number) => new Workers(store.redis, { slots, random: systemRandom, place });
  const [one, other] = [worker('pay-1:12', 50), worker('pay-2:\u001b[31m7', 4)];
  expect(await workersHere(store.redis)).toEqual([]);
  await one.say();
  await other.say();
  expect(await workersHere(store.redis)).toEqual([
    { name: expect.stringMatching(/^pay-1:12 [0-9a-f]{8}$/), slots: 50 },
    { name: expect.stringMatching(/^pay-2:_\[31m7 [0-9a-f]{8}$/), slots: 4 },
  ]);
  await one.leave();
  expect(await workersHere(store.redis)).toMatchObject([{ slots: 4 }]);
});

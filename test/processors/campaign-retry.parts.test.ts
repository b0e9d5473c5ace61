import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { impliedState, unpackOutcome } from '../../src/operations/chunk-items.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { campaignWorld } from './campaign-world.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

/** A campaign of 150 in three chunks that has ended: of each chunk the first failed and the last is unknown. */
async function ended() {
  const world = campaignWorld(store.redis);
  const { retries } = world.bench;
  const id = await world.ready(150);
  await world.campaigns.switch(id, 'start');
  await world.feed(id);
  for (const chunk of await world.out()) {
    const outcome = `f${'s'.repeat(48)}u`;
    await store.redis.hset(`{relais}:op:${chunk}`, { state: 'settled', outcome });
    await store.redis.zrem('{relais}:due:sms-batch', chunk);
  }
  await store.redis.hset(`{relais}:op:${id}`, {
    state: 'finished',
    settled: 3,
    out: 0,
    't:queued': 0,
    't:sent': 144,
    't:failed': 3,
    't:unknown': 3,
  });
  await store.redis.zrem('{relais}:due:campaign', id);
  const letters = async (): Promise<string[]> => {
    const { uploads } = await world.read(id);
    const chunks = Array.from({ length: uploads[0]?.chunks ?? 0 }, (_, at) => `${id}.ab-${at}`);
    const records = await Promise.all(chunks.map((chunk) => world.queries.read('chunk', chunk)));
    return records.map((chunk) => {
      if (!chunk) return '';
      const states = unpackOutcome(chunk.outcome, chunk.count, impliedState[chunk.state]);
      return `${chunk.state} ${states[0]} ${states[1]} ${states[49]}`;
    });
  };
  const bins = async () => (await world.read(id)).totals;
  return { ...world, id, retries, letters, bins };
}

test('only those who failed go out again; those who may have got it stay as they are', async () => {
  const world = await ended();
  await world.retries.start(world.id, { includeUnknown: false });
  await world.feed(world.id);
  expect(await world.letters()).toEqual(Array.from({ length: 3 }, () => 'queued queued sent unknown'));
  expect(await world.bins()).toMatchObject({ total: 150, queued: 3, sent: 144, failed: 0, unknown: 3 });
  await world.work();
  expect(world.posts.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  expect([(await world.read(world.id)).state, await world.bins()]).toEqual([
    'finished',
    expect.objectContaining({ sent: 147, failed: 0, unknown: 3 }),
  ]);
});

test('the campaign does not end while chunks are still to be looked through', async () => {
  const world = await ended();
  // A chunk whose number is its turn to ask for more would have the rest looked through at once.
  await store.redis.hset(`{relais}:op:${world.id}.ab-0`, { outcome: 's'.repeat(50) });
  await store.redis.hset(`{relais}:op:${world.id}`, { 't:sent': 146, 't:failed': 2, 't:unknown': 2 });
  await world.retries.start(world.id, { includeUnknown: false });
  const [first = ''] = await world.retries.gather(await world.read(world.id), 1, 1_000);
  await world.send(first);
  expect([(await world.read(world.id)).state, (await world.bins()).failed]).toEqual(['running', 1]);
  await world.feed(world.id);
  await world.work();
  expect([(await world.read(world.id)).state, (await world.bins()).failed]).toEqual(['finished', 0]);
});

test('a chunk is opened once in a retry, however many look and whatever they read before', async () => {
  const world = await ended();
  await world.retries.start(world.id, { includeUnknown: false });
  const stale = await world.read(world.id);
  await Promise.all([world.retries.gather(stale, 3, 0), world.retries.gather(stale, 3, 0)]);
  expect(await world.bins()).toMatchObject({ queued: 3, failed: 0 });
  world.answer(() => ({ outcome: 'failed', code: 'ERROR_110' }));
  for (const chunk of await world.out()) await world.send(chunk);
  expect(await world.retries.gather(stale, 3, 0)).toEqual([]);
  expect([(await world.read(world.id)).state, await world.bins()]).toEqual([
    'finished',
    expect.objectContaining({ queued: 0, failed: 3 }),
  ]);
});

test('a worker that died before it noted how far it was repeats nothing', async () => {
  const world = await ended();
  await store.redis.hset(`{relais}:op:${world.id}.ab-0`, { outcome: 's'.repeat(50) });
  await store.redis.hset(`{relais}:op:${world.id}`, { 't:sent': 146, 't:failed': 2, 't:unknown': 2 });
  await world.retries.start(world.id, { includeUnknown: false });
  const [first = ''] = await world.retries.gather(await world.read(world.id), 1, 1_000);
  await store.redis.hset(`{relais}:op:${world.id}`, { walk: 0 });
  world.answer(() => ({ outcome: 'failed', code: 'ERROR_110' }));
  await world.send(first);
  expect(await world.retries.gather(await world.read(world.id), 3, 0)).toEqual([`${world.id}.ab-2`]);
  expect(await world.bins()).toMatchObject({ queued: 1, failed: 1 });
});

test('cancelled in the middle, the rest stays failed and the bins add up', async () => {
  const world = await ended();
  await world.retries.start(world.id, { includeUnknown: true });
  const [first = ''] = await world.retries.gather(await world.read(world.id), 1, 1_000);
  await world.campaigns.switch(world.id, 'cancel');
  await world.feed(world.id);
  await world.send(first);
  const { total, ...bins } = await world.bins();
  expect(bins).toMatchObject({ cancelled: 2, failed: 2, unknown: 2, sent: 144 });
  expect(Object.values(bins).reduce((sum, count) => sum + count, 0)).toBe(total);
  expect(world.posts).toEqual([]);
});

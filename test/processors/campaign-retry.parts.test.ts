import { describe, expect, test } from 'vitest';
import { recipientsPage } from '../../src/campaigns/recipients.ts';
import { packRequest } from '../../src/operations/slice-form.ts';
import { statesOf } from '../../src/operations/slices.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { campaignWorld } from './campaign-world.ts';

const store = storeOfThisFile();

/** Its first request, and what became of those in it. */
const became = (letters: string, codes: readonly string[] = []) => ({
  r0: packRequest({ is: 'over', part: false, from: 0, letters, at: 1, codes, looks: 0, dueAt: 0 }),
  n: 1,
});

/** A campaign of 150 in three slices that has ended: of each the first failed and the last is unknown. */
async function ended() {
  const world = campaignWorld(store.redis);
  const { retries } = world.context;
  const id = await world.started(150);
  await world.feed(id);
  for (const slice of await world.out()) {
    await store.redis.hset(`op:${slice}`, { state: 'settled', ...became(`f${'s'.repeat(48)}u`) });
    await store.redis.zrem('due:sms-batch', slice);
  }
  await store.redis.hset(`op:${id}`, {
    state: 'finished',
    settled: 3,
    out: 0,
    't:queued': 0,
    't:sent': 144,
    't:failed': 3,
    't:unknown': 3,
  });
  await store.redis.zrem('due:campaign', id);
  const letters = async (): Promise<string[]> => {
    const { uploads } = await world.read(id);
    const slices = Array.from({ length: uploads[0]?.slices ?? 0 }, (_, at) => `${id}.ab-${at}`);
    const records = await Promise.all(slices.map((slice) => world.slices.read(slice)));
    return records.map((slice) => {
      if (!slice) return '';
      const states = statesOf(slice);
      return `${slice.state} ${states[0]} ${states[1]} ${states[49]}`;
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

test('the campaign does not end while slices are still to be looked through', async () => {
  const world = await ended();
  await store.redis.hset(`op:${world.id}.ab-0`, became('s'.repeat(50)));
  await store.redis.hset(`op:${world.id}`, { 't:sent': 146, 't:failed': 2, 't:unknown': 2 });
  await world.retries.start(world.id, { includeUnknown: false });
  const [first = ''] = await world.retries.gather(await world.read(world.id), 1, 1_000);
  await world.send(first);
  expect([(await world.read(world.id)).state, (await world.bins()).failed]).toEqual(['running', 1]);
  await world.feed(world.id);
  await world.work();
  expect([(await world.read(world.id)).state, (await world.bins()).failed]).toEqual(['finished', 0]);
});

test('a slice is opened once in a retry, however many look and whatever they read before', async () => {
  const world = await ended();
  await world.retries.start(world.id, { includeUnknown: false });
  const stale = await world.read(world.id);
  await Promise.all([world.retries.gather(stale, 3, 0), world.retries.gather(stale, 3, 0)]);
  expect(await world.bins()).toMatchObject({ queued: 3, failed: 0 });
  world.answer(() => ({ outcome: 'failed', code: 'ERROR_110' }));
  for (const slice of await world.out()) await world.send(slice);
  expect(await world.retries.gather(stale, 3, 0)).toEqual([]);
  expect([(await world.read(world.id)).state, await world.bins()]).toEqual([
    'finished',
    expect.objectContaining({ queued: 0, failed: 3 }),
  ]);
});

test('a worker that died before it noted how far it was repeats nothing', async () => {
  const world = await ended();
  await store.redis.hset(`op:${world.id}.ab-0`, became('s'.repeat(50)));
  await store.redis.hset(`op:${world.id}`, { 't:sent': 146, 't:failed': 2, 't:unknown': 2 });
  await world.retries.start(world.id, { includeUnknown: false });
  const [first = ''] = await world.retries.gather(await world.read(world.id), 1, 1_000);
  await store.redis.hset(`op:${world.id}`, { walk: 0 });
  world.answer(() => ({ outcome: 'failed', code: 'ERROR_110' }));
  await world.send(first);
  expect(await world.retries.gather(await world.read(world.id), 3, 0)).toEqual([`${world.id}.ab-2`]);
  expect(await world.bins()).toMatchObject({ queued: 1, failed: 1 });
});

describe('cancelled in the middle', () => {
  async function cancelled(before: (world: Awaited<ReturnType<typeof ended>>, first: string) => Promise<unknown>) {
    const world = await ended();
    // What was woken the first time finds that it is over.
    await world.work();
    const codes = ['ERROR_110', ...Array.from({ length: 49 }, () => '')];
    await store.redis.hset(`op:${world.id}.ab-0`, became(`f${'s'.repeat(48)}u`, codes));
    await world.retries.start(world.id, { includeUnknown: true });
    const [first = ''] = await world.retries.gather(await world.read(world.id), 1, 1_000);
    await before(world, first);
    await world.work();
    world.advance(1_000);
    await world.work();
    const { total, ...bins } = await world.bins();
    expect(Object.values(bins).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(world.posts).toEqual([]);
    const page = await recipientsPage(await world.read(world.id), world.context, { limit: 50 });
    return { ...world, bins, first: page.items[0], last: page.items[49] };
  }

  test('who failed before has failed, with the code of then, and who was in doubt is so again', async () => {
    const { bins, first, last } = await cancelled(({ campaigns, id }) => campaigns.switch(id, 'cancel'));
    expect(bins).toMatchObject({ queued: 0, cancelled: 0, failed: 3, unknown: 3, sent: 144 });
    expect(first).toMatchObject({ state: 'failed', code: 'ERROR_110' });
    expect(last).toMatchObject({ state: 'unknown', resent: 1 });
  });

  test('so it is where the slice was parked', async () => {
    const { bins } = await cancelled(async (world, slice) => {
      await world.campaigns.switch(world.id, 'pause');
      expect(await world.send(slice)).toMatchObject({ reason: 'campaign_parked' });
      await world.campaigns.switch(world.id, 'cancel');
    });
    expect(bins).toMatchObject({ cancelled: 0, failed: 3, unknown: 3 });
  });

  test('so it is where the attempt had begun', async () => {
    const { bins } = await cancelled(async (world, slice) => {
      const { messaging } = world.context.upstream;
      const prepare = messaging.prepare.bind(messaging);
      Object.assign(messaging, {
        prepare: async (account: never) => {
          await world.campaigns.switch(world.id, 'cancel');
          return prepare(account);
        },
      });
      expect(await world.send(slice)).toMatchObject({ reason: 'campaign_cancelled' });
    });
    expect(bins).toMatchObject({ cancelled: 0, failed: 3, unknown: 3 });
  });

  test('nobody is counted as failed a second time', async () => {
    const before = await store.redis.hgetall('count:outcome');
    await cancelled(({ campaigns, id }) => campaigns.switch(id, 'cancel'));
    expect(await store.redis.hgetall('count:outcome')).toEqual(before);
  });
});

/** A campaign of 300 that has ended, and of which everybody failed. */
async function failedCampaign() {
  const world = campaignWorld(store.redis);
  world.answer(() => ({ outcome: 'failed', code: 'ERROR_110' }));
  const id = await world.started(300);
  await world.feed(id);
  for (const slice of await world.out()) await world.send(slice);
  return { ...world, id };
}

test('what failed before it is retried is not held against the retry', async () => {
  const { id, ...world } = await failedCampaign();
  expect([await world.standing(id), (await world.read(id)).totals.failed]).toEqual(['finished', 300]);
  await world.context.retries.start(id, { includeUnknown: false });
  expect(await world.feed(id)).toEqual({ outcome: 'advanced', reason: 'retried' });
  expect([await world.standing(id), (await world.read(id)).totals.queued]).toEqual(['running', 300]);
});

test('a retry that fails too is held once enough of it has failed', async () => {
  const { id, ...world } = await failedCampaign();
  await world.context.retries.start(id, { includeUnknown: false });
  await world.context.retries.gather(await world.read(id), 5, 1_000);
  for (const slice of (await world.out()).slice(0, 4)) await world.send(slice);
  await world.feed(id);
  expect(await world.standing(id)).toBe('held: failures');
});

test('a pause in the middle of the gathering loses nobody', async () => {
  const world = await ended();
  await world.retries.start(world.id, { includeUnknown: false });
  const { redis } = store;
  const evalsha = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  // Paused right before the first slice is opened, and resumed right after that was refused.
  Object.assign(redis, {
    evalsha: async (...args: unknown[]) => {
      Object.assign(redis, { evalsha });
      await world.campaigns.switch(world.id, 'pause');
      const answer = await evalsha(...args);
      await world.campaigns.switch(world.id, 'resume');
      return answer;
    },
  });
  await world.retries.gather(await world.read(world.id), 10, 1_000);
  await world.work();
  world.advance(3_000);
  await world.work();
  expect([await world.standing(world.id), (await world.bins()).failed]).toEqual(['finished', 0]);
});

test('the code of the first time is not told of those who are sent to again', async () => {
  const world = campaignWorld(store.redis);
  world.answer((_message, index) => (index === 2 ? { outcome: 'sent' } : { outcome: 'failed', code: 'ERROR_110' }));
  const id = await world.started(3);
  await world.feed(id);
  await world.work();
  await world.context.retries.start(id, { includeUnknown: false });
  world.answer((_message, index) => (index === 1 ? { outcome: 'failed', code: 'ERROR_113' } : { outcome: 'sent' }));
  await world.feed(id);
  await world.work();
  const { items } = await recipientsPage(await world.read(id), world.context, { limit: 3 });
  expect(items.map(({ state, code }) => [state, code])).toEqual([
    ['sent', undefined],
    ['failed', 'ERROR_113'],
    ['sent', undefined],
  ]);
});

test('while a retry goes on the same is found again, and another one is refused', async () => {
  const world = await ended();
  expect((await world.retries.start(world.id, { includeUnknown: false })).is).toBe('applied');
  expect((await world.retries.start(world.id, { includeUnknown: false })).is).toBe('under way');
  expect(await world.retries.start(world.id, { includeUnknown: true })).toEqual({ is: 'refused', state: 'running' });
  // It is so too when all are gathered and only the sending is left.
  await world.feed(world.id);
  expect((await world.retries.start(world.id, { includeUnknown: false })).is).toBe('under way');
  expect((await world.retries.start(world.id, { includeUnknown: true })).is).toBe('refused');
});

test('a campaign that runs for the first time is no retry', async () => {
  const world = campaignWorld(store.redis);
  const id = await world.started(1);
  expect(await world.context.retries.start(id, { includeUnknown: false })).toEqual({
    is: 'refused',
    state: 'running',
  });
});

test('asked for under another key while it goes on, it is not begun again by that key once it is over', async () => {
  const world = await ended();
  const ask = (key: string, includeUnknown = true) => world.retries.start(world.id, { includeUnknown, key });
  expect(await ask('first')).toMatchObject({ is: 'applied' });
  expect([await ask('second'), await ask('second')]).toEqual([{ is: 'under way' }, { is: 'replayed' }]);
  // Again nobody knows what became of them.
  world.answer(() => ({ outcome: 'unknown' }));
  await world.looks(3);
  await store.redis.hset(`op:${world.id}`, { state: 'finished' });
  expect([await ask('second'), await ask('first')]).toEqual([{ is: 'replayed' }, { is: 'replayed' }]);
  expect(await ask('third')).toMatchObject({ is: 'applied' });
});

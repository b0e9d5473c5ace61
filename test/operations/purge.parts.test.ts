import { afterAll, beforeAll, beforeEach, describe, expect, test, onTestFinished, vi } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { Purge } from '../../src/operations/purge.ts';
import { campaignWorld } from '../processors/campaign-world.ts';
import { LEASE_MS } from '../support/processor-world.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { people, textsBench } from '../support/texts-bench.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

/** The first recipient of the first campaign of a world. */
const FIRST = '+221711000000';
const forget = (phone: string) =>
  new Purge(store.redis, { files: new KeptFiles({ redis: store.redis, random: systemRandom }) }).page({
    phone,
    reads: () => false,
  });
const masked = expect.stringMatching(/^purged-/);

/** Runs `before` once, right before the next script, as if another process had been a moment faster. */
function meanwhile(before: () => Promise<unknown>): void {
  const { redis } = store;
  const evalsha = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  Object.assign(redis, {
    evalsha: async (...args: unknown[]) => {
      Object.assign(redis, { evalsha });
      await before();
      return evalsha(...args);
    },
  });
}

test('where another Redis has taken over, the walk begins anew: a place in the middle means nothing there', async () => {
  const world = campaignWorld(store.redis);
  await world.ready(3);
  const walk = new Purge(store.redis, { files: new KeptFiles({ redis: store.redis, random: systemRandom }) });
  const who = { phone: FIRST, reads: () => false };
  const scan = vi.spyOn(store.redis, 'scan');
  onTestFinished(() => scan.mockRestore());
  const [, server] = /run_id:(\w{8})/.exec(await store.redis.info('server')) ?? [];
  expect(await walk.page(who, '0badf00d-4711')).toMatchObject({ recipients: 1 });
  expect(scan.mock.calls[0]?.[0]).toBe('0');
  scan.mockClear();
  await walk.page(who, `${server}-4711`);
  expect(scan.mock.calls[0]?.[0]).toBe('4711');
});

describe('a slice that no upload has brought', () => {
  async function withLeavings(recipients = 3) {
    const world = campaignWorld(store.redis);
    const id = await world.ready(recipients);
    const staged = { id: `${id}.cd-0`, items: [{ row: 1, to: '+221779999999', values: [] }] };
    await world.slices.stage(await world.read(id), [staged]);
    const leavings = async () => (await world.slices.read(staged.id))?.items;
    return { ...world, id, leavings };
  }

  test('is in no bin, so forgetting somebody in it changes none', async () => {
    const world = await withLeavings();
    expect(await forget('+221779999999')).toMatchObject({ recipients: 1, open: 0 });
    expect(await world.leavings()).not.toContain('9999999');
    expect((await world.read(world.id)).totals).toMatchObject({ total: 3, queued: 3, skipped: 0 });
    await world.campaigns.discard(world.id, 'cd', 1);
    expect(await world.sum(world.id)).toEqual([3, 3]);
  });

  test('and whoever is forgotten in it is left out if it is counted after all', async () => {
    const world = await withLeavings(1);
    await forget('+221779999999');
    await world.campaigns.commit(
      await world.read(world.id),
      { tag: 'cd', hash: 'cd' },
      { recipients: 1, skipped: 0, slices: 1, segments: 1 },
    );
    await world.campaigns.switch(world.id, 'start');
    await world.feed(world.id);
    await world.work();
    expect([await world.standing(world.id), (await world.read(world.id)).totals]).toEqual([
      'finished',
      expect.objectContaining({ total: 2, sent: 1, skipped: 1, queued: 0 }),
    ]);
    expect(world.posts.flatMap(({ messages }) => messages.map(({ to }) => to))).toEqual([FIRST]);
  });
});

test('the number of a message that is over is open while others of its slice are in doubt', async () => {
  const world = textsBench(store.redis);
  const [awa = { to: '' }] = people(2);
  await world.slice('slc_1', people(2));
  world.service.fate.push('half lost');
  await world.send('slc_1');
  expect(await world.states('slc_1', 2)).toEqual(['sent', 'unknown']);
  expect(await forget(awa.to)).toMatchObject({ messages: 1, open: 1 });
  await world.finish('slc_1');
  expect(await forget(awa.to)).toMatchObject({ messages: 0, open: 0 });
  expect((await world.slices.read('slc_1'))?.items).not.toContain(awa.to);
});

test('a message that is not over is open once', async () => {
  const world = textsBench(store.redis);
  const [awa = { to: '' }] = people(1);
  await world.slice('slc_1', [awa]);
  expect(await forget(awa.to)).toMatchObject({ messages: 0, open: 1 });
});

test('whoever is forgotten while a retry gathers is not sent to, and nobody else is missed', async () => {
  const world = campaignWorld(store.redis);
  const id = await world.ready(2);
  world.answer(() => ({ outcome: 'failed' }));
  await world.campaigns.switch(id, 'start');
  await world.feed(id);
  await world.work();
  await world.context.retries.start(id, { includeUnknown: false });
  world.answer(() => ({ outcome: 'sent' }));
  const read = await world.read(id);
  meanwhile(() => forget(FIRST));
  await world.context.retries.gather(read, 10, 1_000);
  await world.work();
  const [, ...again] = world.posts;
  expect(again.map(({ messages }) => messages.map(({ to }) => to))).toEqual([['+221711000001']]);
  expect([await world.standing(id), (await world.read(id)).totals]).toEqual([
    'finished',
    expect.objectContaining({ total: 2, sent: 1, failed: 1 }),
  ]);
});

test('an attempt that was frozen while its recipients were forgotten sends nothing', async () => {
  const world = campaignWorld(store.redis);
  const id = await world.ready(2);
  await world.campaigns.switch(id, 'start');
  await world.feed(id);
  const [slice = ''] = await world.out();
  const { prepare } = world.context.upstream.messaging;
  Object.assign(world.context.upstream.messaging, {
    prepare: async () => {
      Object.assign(world.context.upstream.messaging, { prepare });
      // Purge reads the clock of Redis itself, which no test turns.
      world.advance(LEASE_MS + 1);
      await store.redis.hset(`op:${slice}`, { until: 1 });
      expect(await forget(FIRST)).toMatchObject({ recipients: 1, open: 0 });
      return prepare({ name: 'main' } as never);
    },
  });
  expect(await world.send(slice)).toMatchObject({ outcome: 'lost' });
  expect(world.posts).toEqual([]);
  await world.work();
  expect(world.posts.flatMap(({ messages }) => messages.map(({ to }) => to))).toEqual(['+221711000001']);
  expect((await world.slices.read(slice))?.items.split('\n')).toEqual([masked, '221711000001']);
  expect(await world.sum(id)).toEqual([2, 2]);
});

/** What a budget lets leave, and what is counted of it, over a real Redis. */
import { describe, expect, test } from 'vitest';
import { Budgets } from '../../../src/operations/budgets.ts';
import { keys } from '../../../src/operations/keys.ts';
import { doubtSlice } from '../../../src/processors/recovery/texts.ts';
import { sendSlice } from '../../../src/processors/text/slice.ts';
import { Slots } from '../../../src/processors/text/slots.ts';
import { storeOfThisFile } from '../../support/fresh-redis.ts';
import { not } from '../../support/processor-world.ts';
import { people, textsBench } from '../../support/texts-bench.ts';
import { campaignWorld } from '../campaign-world.ts';

const store = storeOfThisFile();
const PRICE = 10;

async function bench(recipients: number) {
  const world = campaignWorld(store.redis, { size: 150 });
  const budgets = new Budgets(store.redis, { timezone: 'Africa/Dakar', prices: { SN: PRICE } });
  budgets.reckons = true;
  const slots = new Slots(2);
  const context = { ...world.context, budgets, slots };
  const handedOut = async (count: number) => {
    const id = await world.ready(count, { canary: 0 });
    await world.campaigns.switch(id, 'start');
    await world.feed(id);
    return { id, slice: `${id}.ab-0` };
  };
  const limit = (value: number | string) => store.redis.hset(keys.limits, 'SMS_BUDGET_DAY', value);
  const counted = async () => Number(await store.redis.hget(keys.textsCost('main', '2026-01'), 'all'));
  return { world, context, slots, handedOut, limit, counted, ...(await handedOut(recipients)) };
}

test('a budget is reached while Redis is away for a moment: nobody is in doubt, and no slot is lost', async () => {
  const { world, context, slots, limit, id, slice } = await bench(150);
  await limit(100 * PRICE);
  const { accounts } = world.context;
  const hold = accounts.hold.bind(accounts);
  let times = 0;
  const failing = async (...asked: Parameters<typeof hold>): Promise<boolean> => {
    times += 1;
    if (times === 1) throw new Error('Command timed out');
    return hold(...asked);
  };
  Object.assign(accounts, { hold: failing });
  await expect(sendSlice(slice, context)).rejects.toThrow('Command timed out');
  expect((await world.read(id)).totals).toMatchObject({ queued: 150, sending: 0, unknown: 0 });
  const free = await Promise.all([1, 2, 3].map(() => slots.intents.takeWithin(100, context.clock)));
  expect(free).toEqual([true, true, true]);
  for (const _ of free) slots.intents.giveBack();
  world.advance(600_000);
  expect(await sendSlice(slice, context)).toEqual({ outcome: 'waits', reason: 'budget' });
  expect((await world.read(id)).totals).toMatchObject({ queued: 50, sending: 0, sent: 100, unknown: 0 });
});

test('what left while there was no budget is not given back to it', async () => {
  const { context, limit, counted, handedOut, slice } = await bench(100);
  await limit(500 * PRICE);
  await sendSlice(slice, context);
  expect(await counted()).toBe(100 * PRICE * 100);
  await limit('off');
  const { upstream } = context;
  const throttled = async () => not('transient', 'throttled');
  const refusing = { ...upstream, messaging: { ...upstream.messaging, send: throttled } };
  await sendSlice((await handedOut(50)).slice, { ...context, upstream: refusing });
  await limit(500 * PRICE);
  expect(await counted()).toBe(100 * PRICE * 100);
  await sendSlice((await handedOut(50)).slice, { ...context, upstream: refusing });
  expect(await counted()).toBe(100 * PRICE * 100);
});

test.for(['ERROR_105', 'ERROR_110'])('what was refused as a whole with %s costs nothing', async (code) => {
  const { context, limit, counted, slice, world } = await bench(1);
  await limit(500 * PRICE);
  const { upstream } = context;
  const refuses = async () => not('refused', code);
  const refusing = { ...upstream, messaging: { ...upstream.messaging, send: refuses } };
  expect(await sendSlice(slice, { ...context, upstream: refusing })).toMatchObject({ outcome: 'ended' });
  expect((await world.read(slice.split('.')[0] ?? '')).totals).toMatchObject({ failed: 1 });
  expect(await counted()).toBe(0);
});

describe('a request that was refused, and sent to some of its people all the same', () => {
  /** Of four one is bad, so all are looked at before any of them goes out again. */
  async function refused() {
    const world = textsBench(store.redis);
    const budgets = new Budgets(store.redis, { timezone: 'Africa/Dakar', prices: { SN: PRICE } });
    budgets.reckons = true;
    Object.assign(world.context, { budgets });
    await store.redis.hset(keys.limits, 'SMS_BUDGET_DAY', 500 * PRICE);
    const persons = people(4);
    await world.slice('slc_1', persons);
    world.service.bad.add(persons[3]?.to ?? '');
    await world.send('slc_1');
    const counted = async () => Number(await store.redis.hget(keys.textsCost('main', '2026-01'), 'all'));
    expect(await counted()).toBe(0);
    const [{ to } = { to: '' }] = persons;
    world.service.book.push({ to, text: 'Bonjour', code: '00', at: world.context.clock.now() });
    return { world, counted };
  }

  test('counts whoever got it', async () => {
    const { world, counted } = await refused();
    await world.finish('slc_1');
    expect(await world.states('slc_1', 4)).toEqual(['sent', 'sent', 'sent', 'failed']);
    expect(await counted()).toBe(3 * PRICE * 100);
  });

  test('counts all that may have got it, once, where a copy of Redis was put back meanwhile', async () => {
    const { world, counted } = await refused();
    await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
    const at = world.context.clock.now();
    expect(await doubtSlice('slc_1', { since: at, from: at, at }, { context: world.context })).toBe('done');
    expect(await counted()).toBe(4 * PRICE * 100);
    await store.redis.hdel(keys.heartbeat, 'recovering');
    await world.finish('slc_1');
    expect(await world.states('slc_1', 4)).toEqual(['sent', 'unknown', 'unknown', 'unknown']);
    expect(await counted()).toBe(4 * PRICE * 100);
  });
});

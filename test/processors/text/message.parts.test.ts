import type { Deadline } from '../../../src/lib/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/lib/random.ts';
import { acceptMessages } from '../../../src/operations/messages.ts';
import type { ProcessorContext } from '../../../src/processors/context.ts';
import { SameTexts } from '../../../src/operations/same-texts.ts';
import { Slices } from '../../../src/operations/slices.ts';
import { lookAtSlice } from '../../../src/processors/text/look.ts';
import { sendNextSlice } from '../../../src/processors/text/slice.ts';
import { Slots } from '../../../src/processors/text/slots.ts';
import { processorWorld, not, ok } from '../../support/processor-world.ts';
import { type FreshRedis, freshRedis } from '../../support/fresh-redis.ts';

const HOUR = 3_600_000;
const SETTLE_DELAY_MS = 60_000;

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

/** One slice of one one-time password, with upstream's answers in the test's hand. */
async function slice({ expiresInMs = 0, fence = async () => true } = {}) {
  const world = processorWorld(store.redis, { fence });
  const now = () => world.context.clock.now();
  const asked: string[] = [];
  const upstream = {
    send: async (..._asked: readonly unknown[]): Promise<unknown> => not('unknown', 'timeout', 'maybe'),
    statistics: async (): Promise<unknown> => not('transient', 'server_error'),
  };
  const messaging = {
    prepare: async () => ok({ usableForMs: 3_600_000 }),
    send: (...how: readonly unknown[]) => asked.push('send') && upstream.send(...how),
    statistics: () => asked.push('statistics') && upstream.statistics(),
  };
  const slices = new Slices({ redis: store.redis, random: systemRandom, now });
  const context = {
    ...world.context,
    slices,
    sameTexts: new SameTexts(store.redis),
    slots: new Slots(10),
    upstream: { messaging, admit: async () => ({ admitted: true }) },
    policy: { ...world.context.policy, settleDelayMs: SETTLE_DELAY_MS },
  } as unknown as ProcessorContext;
  const message = {
    id: 'msg_1',
    fingerprint: 'fp',
    to: '+221771234567',
    text: 'code 4711',
    expiresAt: expiresInMs === 0 ? undefined : now() + expiresInMs,
  };
  await acceptMessages(store.redis, { id: 'slc_1', account: 'main', lane: 'otp', dueInMs: 0 }, [message], { now });
  return {
    ...world,
    asked,
    upstream,
    send: (how: Partial<ProcessorContext> = {}) => sendNextSlice('slc_1', { ...context, ...how }, 'sms-otp'),
    look: () => lookAtSlice('slc_1', context),
    states: async () => [(await slices.read('slc_1'))?.state, (await world.queries.read('message', 'msg_1'))?.state],
    kept: async () => JSON.stringify([await store.redis.hgetall('op:msg_1'), await sliceFields()]),
    due: (queue: string) => store.redis.zscore(`due:${queue}`, 'slc_1'),
  };
}

const sliceFields = () => store.redis.hgetall('op:slc_1');

test('a write that the replicas did not confirm sends nothing, and the slice waits in its queue again', async () => {
  const reached = [false, true];
  const world = await slice({ fence: async () => reached.shift() ?? true });
  expect(await world.send()).toEqual({ outcome: 'retries', reason: 'fence' });
  expect([world.asked, await world.states()]).toEqual([[], ['queued', 'queued']]);
  expect([await world.due('status-poll'), Number(await world.due('sms-otp'))]).toEqual([
    null,
    world.context.clock.now() + 1_000,
  ]);
  world.upstream.send = async () => ok({ items: [{ index: 0, outcome: 'sent', code: '00' }] });
  expect(await world.send()).toEqual({ outcome: 'ended', reason: 'sent' });
  expect([world.asked, await world.states()]).toEqual([['send'], ['settled', 'sent']]);
});

test('a message whose record is none any more keeps its slice from nothing: it is sent and looked for', async () => {
  const world = await slice();
  await store.redis.set('op:msg_1', 'no record at all');
  expect(await world.send()).toMatchObject({ outcome: 'unknown' });
  expect(world.asked).toEqual(['send']);
  expect(await sliceFields()).toMatchObject({ state: 'unknown' });
  expect([await world.due('sms-otp'), await world.due('status-poll')]).toEqual([null, expect.any(String)]);
});

test('nobody is sent to who expires while the request waits for its turn', async () => {
  const world = await slice({ expiresInMs: 200 });
  let limit = Number.POSITIVE_INFINITY;
  world.upstream.send = async (...[, , how]) => {
    limit = (how as { readonly sendBy: Deadline }).sendBy.ms;
    return not('transient', 'send_deadline', 'never');
  };
  expect(await world.send()).toEqual({ outcome: 'retries', reason: 'send_deadline' });
  expect(limit).toBeLessThanOrEqual(200);
  expect(limit).toBeGreaterThan(0);
});

test('a service that refuses connections for hours is tried at each recheck, and then goes on as if nothing was', async () => {
  const world = await slice();
  const { holdRecheckMs } = world.context.policy;
  world.upstream.send = async () => not('transient', 'unreachable', 'never');
  const waits: number[] = [];
  for (let hours = 0; hours < 12; hours += 1) {
    expect(await world.send()).toEqual({ outcome: 'retries', reason: 'unreachable' });
    waits.push(Number(await world.due('sms-otp')) - world.context.clock.now());
  }
  expect(Math.max(...waits)).toBe(holdRecheckMs);
  expect(waits.slice(0, 3)).toEqual([1_000, 2_000, 5_000]);
  // Another failure, later, waits no longer than it would after so many tries as there were waits.
  const tries = Number((await sliceFields())['tries']);
  expect(tries).toBe(waits.indexOf(holdRecheckMs) + 1);
});

test('a slice whose intent was not answered is known not to have left, and is sent by the next attempt', async () => {
  const world = await slice();
  const lost = async (): Promise<never> => {
    throw new Error('Connection is closed');
  };
  await expect(world.send({ fence: lost })).rejects.toThrow('Connection is closed');
  expect([world.asked, await world.states()]).toEqual([[], ['queued', 'queued']]);
  world.upstream.send = async () => ok({ items: [{ index: 0, outcome: 'sent', code: '00' }] });
  expect(await world.send()).toEqual({ outcome: 'ended', reason: 'sent' });
  expect([world.asked, await world.states()]).toEqual([['send'], ['settled', 'sent']]);
});

test('a slice in which everybody has expired is over at once, and nothing is written as sent', async () => {
  const world = await slice({ expiresInMs: 1_000 });
  world.advance(2_000);
  expect(await world.send()).toEqual({ outcome: 'ended', reason: 'expired' });
  expect([world.asked, await world.states(), await world.due('sms-otp')]).toEqual([[], ['settled', 'expired'], null]);
  expect((await world.events()).map(({ type }) => type)).toEqual(['message.expired']);
});

describe('statistics that cannot be had', () => {
  const failing = async () => {
    const world = await slice();
    expect(await world.send()).toEqual({ outcome: 'unknown', reason: 'timeout' });
    return world;
  };

  test('are asked for again until the limit', async () => {
    const world = await failing();
    world.advance(72 * HOUR - 1);
    expect(await world.look()).toEqual({ outcome: 'unknown', reason: 'server_error' });
    expect(await world.states()).toEqual(['unknown', 'unknown']);
  });

  test('leave who is in doubt unknown for good after it, told once', async () => {
    const world = await failing();
    world.advance(72 * HOUR);
    expect(await world.look()).toEqual({ outcome: 'ended', reason: 'limit' });
    expect([world.asked, await world.states(), await world.due('status-poll')]).toEqual([
      ['send', 'statistics'],
      ['settled', 'unknown'],
      null,
    ]);
    expect((await world.events()).map(({ type }) => type)).toEqual(['message.unknown']);
    expect(await world.look()).toEqual({ outcome: 'idle', reason: 'final' });
  });
});

test('the text of a one-time password is kept while it may still be looked for, and forgotten with the last word', async () => {
  const world = await slice();
  await world.send();
  world.upstream.statistics = async () => ok({ invalid: [], sent: new Map() });
  world.advance(SETTLE_DELAY_MS);
  expect(await world.look()).toEqual({ outcome: 'unknown', reason: 'not_seen_yet' });
  expect(await world.kept()).toContain('4711');
  world.advance(SETTLE_DELAY_MS);
  expect(await world.look()).toEqual({ outcome: 'ended', reason: 'looked' });
  expect(await world.states()).toEqual(['settled', 'unknown']);
  expect(await world.kept()).not.toContain('4711');
});

test('what failed here waits as what failed there does: a second first, and ever longer while it goes on', async () => {
  const world = await slice();
  world.upstream.send = async () => Promise.reject(new Error('Command timed out'));
  const waits: number[] = [];
  for (let times = 0; times < 4; times += 1) {
    await expect(world.send()).rejects.toThrow('Command timed out');
    waits.push(Number(await world.due('sms-otp')) - world.context.clock.now());
  }
  expect(waits).toEqual([1_000, 2_000, 5_000, 10_000]);
});

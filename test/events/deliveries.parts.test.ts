import { afterEach, expect, test } from 'vitest';
import { Dispatcher } from '../../src/events/dispatcher.ts';
import { EndpointService } from '../../src/events/endpoint-service.ts';
import { letterIn } from '../../src/events/outgoing/letter.ts';
import { EventStream } from '../../src/events/stream.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { type Endpoint, Endpoints } from '../../src/operations/endpoints.ts';
import { keys } from '../../src/operations/keys.ts';
import { type DeliveryTools, deliverEvents } from '../../src/processors/delivery/event-delivery.ts';
import { freshRedis } from '../support/fresh-redis.ts';
import { emit } from './stream-writer.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('each endpoint gets the events it asked for, and none from before it was there', async () => {
  const world = await makeWorld();
  await emit(world.redis, 'before', 'message.sent');
  const all = await world.endpoint();
  const campaigns = await world.endpoint({ types: ['campaign.finished'] });
  const other = await world.endpoint({ accounts: ['other'] });
  await emit(world.redis, 'a', 'message.sent');
  await emit(world.redis, 'b', 'campaign.finished');
  await emit(world.redis, 'c', 'message.sent', {}, 'other');
  await world.dispatch();
  for (const id of [all, campaigns, other]) await world.deliver(id);
  expect(world.posts.map(({ to, event }) => [to, event])).toEqual([
    ...['a.1', 'b.1', 'c.1'].map((event) => [all, event]),
    [campaigns, 'b.1'],
    [other, 'c.1'],
  ]);
});

test('any number of dispatchers hand each event out once', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  await Promise.all(Array.from({ length: 1_200 }, (_, n) => emit(world.redis, `op-${n}`, 'message.sent')));
  const crowd = Array.from({ length: 8 }, () => world.newDispatcher());
  let steps = 0;
  for (;;) {
    const did = await Promise.all(crowd.map((one) => one.step()));
    steps += did.filter((count) => count > 0).length;
    if (did.every((count) => count === 0)) break;
  }
  expect(steps).toBe(3);
  expect(await world.redis.zcard(keys.deliveries(id))).toBe(1_200);
});

test('an endpoint that is registered while events are dispatched misses none that come after it', async () => {
  const world = await makeWorld();
  await world.endpoint();
  const state = await world.endpoints.dispatchState();
  const known = await world.endpoints.all();
  const late = await world.endpoint();
  const place = await emit(world.redis, 'a', 'message.sent');
  const wanted = new Map(known.map(({ id }) => [id, [place]]));
  expect(await world.endpoints.dispatch(state, place, wanted)).toBe(false);
  await world.dispatch();
  expect(await world.redis.zrange(keys.deliveries(late), '0', '-1')).toEqual([place]);
});

test('an endpoint gets nothing from before it was registered, though it was not dispatched yet', async () => {
  const world = await makeWorld();
  await world.endpoint();
  await emit(world.redis, 'before', 'message.sent');
  const late = await world.endpoint();
  await world.dispatch();
  expect(await world.deliver(late)).toMatchObject({ outcome: 'idle' });
  expect(world.posts).toEqual([]);
});

test('an event that is not taken is posted again over two days, ever more rarely, and then put aside', async () => {
  const world = await makeWorld({ answer: () => 'http_500' });
  const id = await world.endpoint();
  const place = await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  const began = world.now();
  const waits = await world.deliverUntilQuiet(id);
  const hours = (world.now() - began) / HOUR;
  expect(world.posts).toHaveLength(12);
  expect(new Set(world.posts.map(({ event }) => event))).toEqual(new Set(['a.1']));
  expect(waits.map((wait, n) => n === 0 || wait >= (waits[n - 1] ?? 0))).not.toContain(false);
  expect(hours).toBeGreaterThan(47);
  expect(hours).toBeLessThan(58);
  expect(await world.redis.lrange(keys.undelivered(id), 0, -1)).toEqual([place]);
  expect((await world.endpoints.progress(id)).log).toHaveLength(12);
});

test('two endpoints that failed together are not tried together', async () => {
  const world = await makeWorld({ answer: () => 'timed_out' });
  const ids = [await world.endpoint(), await world.endpoint()];
  await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  for (const id of ids) await world.deliver(id);
  const [one, two] = await Promise.all(ids.map((id) => world.redis.zscore(keys.due('event-delivery'), id)));
  expect(one).not.toBe(two);
});

test('an endpoint that fails is tried with one event at a time, and gets the rest when it takes one', async () => {
  let up = false;
  const world = await makeWorld({ answer: () => (up ? 'http_200' : 'connection_failed') });
  const id = await world.endpoint();
  for (let n = 0; n < 30; n += 1) await emit(world.redis, `op-${n}`, 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(world.posts).toHaveLength(8);
  expect(await world.deliver(id)).toMatchObject({ reason: 'rests' });
  world.pass(10 * SECOND);
  await world.deliver(id);
  expect(world.posts).toHaveLength(9);
  up = true;
  world.pass(HOUR);
  await world.deliver(id);
  expect(new Set(world.posts.slice(9).map(({ event }) => event)).size).toBe(30);
  expect(await world.redis.zcard(keys.deliveries(id))).toBe(0);
  expect(await world.redis.zscore(keys.due('event-delivery'), id)).toBeNull();
});

test('an endpoint that took nothing for three days is disabled, and that is told once', async () => {
  const world = await makeWorld({ answer: () => 'http_410' });
  const id = await world.endpoint();
  for (let day = 0; day < 5; day += 1) {
    await emit(world.redis, `day-${day}`, 'message.sent');
    await world.dispatch();
    await world.deliver(id);
    world.pass(DAY);
  }
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'disabled', reason: 'failing_for_days' });
  const told = (await world.stream.read(undefined, 100)).events.filter(({ type }) => type === 'endpoint.disabled');
  // All who may read the account hear it, and its path may be what lets somebody in there.
  expect(told).toMatchObject([{ id: `${id}.1`, data: { id, state: 'disabled', url: 'https://shop.example' } }]);
  expect(JSON.stringify(told)).not.toMatch(/s3cr3t|hidden/);
  expect(await world.redis.zcard(keys.deliveries(id))).toBe(0);
  expect(await world.redis.llen(keys.undelivered(id))).toBe(4);
});

test('a success between failures keeps an endpoint enabled', async () => {
  const world = await makeWorld({ answer: (n) => (n % 3 === 2 ? 'http_200' : 'http_500') });
  const id = await world.endpoint();
  for (let day = 0; day < 8; day += 1) {
    await emit(world.redis, `day-${day}`, 'message.sent');
    await world.dispatch();
    await world.deliver(id);
    world.pass(DAY);
  }
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'enabled' });
});

test('an endpoint that failed on one event a month ago is not disabled at the next failure', async () => {
  const world = await makeWorld({ answer: (n) => (n < 12 ? 'http_410' : n === 12 ? 'http_502' : 'http_200') });
  const id = await world.endpoint();
  await emit(world.redis, 'odd', 'message.sent');
  await world.dispatch();
  await world.deliverUntilQuiet(id);
  expect(world.posts).toHaveLength(12);
  expect(await world.endpoints.read(id)).not.toHaveProperty('failingSince');
  world.pass(30 * DAY);
  for (let n = 0; n < 10; n += 1) await emit(world.redis, `pay-${n}`, 'message.sent');
  await world.dispatch();
  await world.deliverUntilQuiet(id);
  expect(new Set(world.posts.map(({ event }) => event)).size).toBe(11);
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'enabled' });
  expect(await world.endpoints.progress(id)).toMatchObject({ waiting: 0, undelivered: 1 });
});

test('a worker that dies after a post leaves the event due, with the same id', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  await world.endpoints.take(id, 30 * SECOND, 8);
  expect(await world.deliver(id)).toMatchObject({ outcome: 'idle', reason: 'leased' });
  world.pass(31 * SECOND);
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1']);
});

test('an attempt that comes back after its lease changes nothing', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  const place = await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  const zombie = await world.endpoints.take(id, 30 * SECOND, 8);
  world.pass(31 * SECOND);
  await world.endpoints.take(id, 30 * SECOND, 8);
  const result = { place, outcome: 'delivered', waitMs: 0, asked: true, line: '' } as const;
  const lease = typeof zombie === 'string' ? '' : zombie.lease;
  expect(await world.endpoints.settle(id, lease, [result], { restMs: 1, disableAfterMs: DAY })).toBeUndefined();
  expect(await world.redis.zcard(keys.deliveries(id))).toBe(1);
});

test('an event that is no longer kept is put aside and holds up nothing', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  await world.redis.xtrim(keys.events, 'MAXLEN', 0);
  await emit(world.redis, 'b', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['b.1']);
});

test('events that are no longer kept are no failure of the endpoint: what is kept comes at once, and it stays enabled', async () => {
  let up = false;
  const world = await makeWorld({ answer: () => (up ? 'http_200' : 'connection_failed') });
  const id = await world.endpoint();
  for (let n = 0; n < 30; n += 1) await emit(world.redis, `lost-${n}`, 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  await world.redis.xtrim(keys.events, 'MAXLEN', 0);
  const tried = world.posts.length;
  up = true;
  world.pass(4 * DAY);
  await emit(world.redis, 'kept', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(world.posts.slice(tried).map(({ event }) => event)).toEqual(['kept.1']);
  const endpoint = await world.endpoints.read(id);
  expect(endpoint).toMatchObject({ state: 'enabled', deliveredAt: world.now() });
  expect(endpoint).not.toHaveProperty('failingSince');
  expect((await world.endpoints.progress(id)).undelivered).toBe(30);
});

test('an event that this version cannot read is tried later, and holds up no other, also in a replay', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  const written = ['op', 'odd', 'seq', '1', 'at', '1', 'account', 'main', 'type', 'message.sent'];
  const odd = String(await world.redis.xadd(keys.events, '*', ...written, 'data', '{"id'));
  await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1']);
  expect(await world.redis.zrange(keys.deliveries(id), '0', '-1')).toEqual([odd]);
  expect((await world.endpoints.progress(id)).log).toContainEqual(
    expect.objectContaining({ event: odd, outcome: 'retried', answer: 'unreadable' }),
  );
  const endpoint = await world.endpoints.read(id);
  expect(endpoint).not.toHaveProperty('failingSince');
  expect(endpoint && (await world.replay(endpoint))).toEqual({ replayed: 2, complete: true });
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1', 'a.1']);
});

test('a replay brings events back that were delivered, and enables a disabled endpoint', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  const places = [await emit(world.redis, 'a', 'message.sent'), await emit(world.redis, 'b', 'message.sent')];
  await world.dispatch();
  await world.deliver(id);
  await world.redis.hset(keys.record(id), { state: 'disabled', failures: 9, reason: 'failing_for_days' });
  expect(await world.endpoints.replay(id, places)).toBe(true);
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1', 'b.1', 'a.1', 'b.1']);
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'enabled' });
  expect(await world.endpoints.replay('ep_nobody', places)).toBe(false);
});

test('a replay while a try is under way is not undone by what becomes of that try', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  const place = await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  const taken = await world.endpoints.take(id, 30 * SECOND, 8);
  expect(await world.endpoints.replay(id, [place])).toBe(true);
  const last = { place, outcome: 'undelivered', waitMs: 0, asked: true, line: '' } as const;
  const lease = typeof taken === 'string' ? '' : taken.lease;
  expect(await world.endpoints.settle(id, lease, [last], { restMs: 1, disableAfterMs: DAY })).toBeUndefined();
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1']);
});

test('the secret that receivers know signs for its day, however often another is asked for meanwhile', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  const signers = async () => {
    world.pass(31 * SECOND);
    const taken = await world.endpoints.take(id, 30 * SECOND, 8);
    return typeof taken === 'string' ? taken : taken.secrets;
  };
  await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  // The answer to the first of them was lost, say.
  for (const secret of ['second', 'third', 'fourth']) await world.endpoints.rotate(id, secret, { bothForMs: DAY });
  expect(await signers()).toEqual(['fourth', 'third', 'sealed']);
  expect(await world.endpoints.sealedSecrets(id)).toEqual(['fourth', 'third', 'sealed']);
  world.pass(DAY);
  expect(await signers()).toEqual(['fourth']);
  await world.endpoints.rotate(id, 'fifth', { bothForMs: DAY });
  expect(await signers()).toEqual(['fifth', 'fourth']);
});

test('what an endpoint had is gone when it is removed', async () => {
  const world = await makeWorld({ answer: () => 'http_500' });
  const id = await world.endpoint();
  await emit(world.redis, 'a', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(await world.endpoints.remove(id)).toBe(true);
  expect(await world.redis.keys(`*${id}*`)).toEqual([]);
  expect(await world.redis.zcard(keys.due('event-delivery'))).toBe(0);
  expect(await world.deliver(id)).toMatchObject({ reason: 'none' });
});

test('the log of an endpoint is bounded', async () => {
  const world = await makeWorld();
  const id = await world.endpoint();
  for (let n = 0; n < 250; n += 1) await emit(world.redis, `op-${n}`, 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  const { log, waiting } = await world.endpoints.progress(id);
  expect([log.length, waiting]).toEqual([200, 0]);
  expect(log[0]).toMatchObject({ outcome: 'delivered', answer: 'http_200', tries: 1 });
});

/** A Redis of its own, a time that is turned by hand, and endpoints that answer as the test says. */
async function makeWorld({ answer = () => 'http_200' }: { answer?: (post: number) => string } = {}) {
  const fresh = await freshRedis();
  toClose.push(() => fresh.close());
  const { redis } = fresh;
  let now = 1_763_700_000_000;
  const random = seededRandom(7);
  const endpoints = new Endpoints({ redis, random, now: () => now });
  const stream = new EventStream({ redis });
  const posts: { to: string; event: string }[] = [];
  const newDispatcher = () =>
    new Dispatcher({
      endpoints,
      events: stream,
      clock: systemClock,
      intervalMs: 1,
      wake: () => undefined,
      onError: (error) => {
        throw error;
      },
    });
  const dispatcher = newDispatcher();
  const tools: DeliveryTools = {
    endpoints,
    clock: systemClock,
    random,
    letterAt: (place) => letterIn(stream, place),
    post: async (to, letter) => {
      const said = answer(posts.length);
      posts.push({ to: to.id, event: letter.id });
      return { taken: said === 'http_200', answer: said };
    },
    onDelivery: () => undefined,
  };
  const deliver = (id: string) => deliverEvents(id, tools);
  const post = async () => ({ taken: true, answer: 'http_200' });
  const rules = { allowLoopback: false };
  const own = { endpoints, events: stream, random, clock: systemClock };
  const service = new EndpointService({ ...own, secrets: [], rules, post, wake: () => undefined });
  return {
    redis,
    endpoints,
    stream,
    posts,
    newDispatcher,
    deliver,
    now: () => now,
    pass: (ms: number) => (now += ms),
    dispatch: () => dispatcher.step(),
    replay: (endpoint: Endpoint) => service.replay(endpoint, 0),
    endpoint: async (more: { types?: string[]; accounts?: string[] } = {}) => {
      const id = endpoints.newId();
      await endpoints.add(
        id,
        { url: 'https://shop.example/in/s3cr3t?key=hidden', types: [], accounts: [], owner: 'dev', ...more },
        'sealed',
      );
      return id;
    },
    /** Turns the time to each next due moment until none is left. The waits between the posts. */
    deliverUntilQuiet: async (id: string): Promise<number[]> => {
      const waits: number[] = [];
      for (;;) {
        const before = posts.length;
        await deliver(id);
        const [, next] = await redis.zrange(keys.deliveries(id), '0', '0', 'WITHSCORES');
        if (next === undefined) return waits;
        if (posts.length > before) waits.push(Number(next) - now);
        now = Math.max(Number(next), Number(await redis.hget(keys.record(id), 'restUntil')));
      }
    },
  };
}

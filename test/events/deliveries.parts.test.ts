/** Deliveries of events to webhook endpoints. */
import { afterEach, expect, test } from 'vitest';
import { type World, deliveryWorld } from './delivery-worlds.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function open({ answer }: { readonly answer?: (post: number) => string } = {}): Promise<World> {
  const world = await deliveryWorld(answer);
  toClose.push(() => world.close());
  return world;
}

test('each endpoint gets the events it asked for, and none from before it was there', async () => {
  const world = await open();
  await world.emit('before', 'message.sent');
  const all = await world.endpoint();
  const campaigns = await world.endpoint({ types: ['campaign.finished'] });
  const other = await world.endpoint({ accounts: ['other'] });
  await world.emit('a', 'message.sent');
  await world.emit('b', 'campaign.finished');
  await world.emit('c', 'message.sent', {}, 'other');
  await world.dispatch();
  for (const id of [all, campaigns, other]) await world.deliver(id);
  expect(world.posts.map(({ to, event }) => [to, event])).toEqual([
    ...['a.1', 'b.1', 'c.1'].map((event) => [all, event]),
    [campaigns, 'b.1'],
    [other, 'c.1'],
  ]);
});

test('any number of dispatchers hand each event out once', async () => {
  const world = await open();
  const id = await world.endpoint();
  await world.emitMany(Array.from({ length: 1_200 }, (_, n) => `op-${n}`));
  let steps = 0;
  for (;;) {
    const did = await Promise.all(Array.from({ length: 8 }, () => world.dispatch()));
    steps += did.filter((count) => count > 0).length;
    if (did.every((count) => count === 0)) break;
  }
  expect(steps).toBe(3);
  expect(await world.waiting(id)).toHaveLength(1_200);
});

test('an endpoint gets nothing from before it was registered, though it was not dispatched yet', async () => {
  const world = await open();
  await world.endpoint();
  await world.emit('before', 'message.sent');
  const late = await world.endpoint();
  await world.dispatch();
  expect(await world.deliver(late)).toMatchObject({ outcome: 'idle' });
  expect(world.posts).toEqual([]);
});

test('an event that is not taken is posted again over two days, ever more rarely, and then put aside', async () => {
  const world = await open({ answer: () => 'http_500' });
  const id = await world.endpoint();
  const place = await world.emit('a', 'message.sent');
  await world.dispatch();
  const began = world.now();
  const waits = await world.deliverUntilQuiet(id);
  const hours = (world.now() - began) / HOUR;
  expect(world.posts).toHaveLength(12);
  expect(new Set(world.posts.map(({ event }) => event))).toEqual(new Set(['a.1']));
  expect(waits.map((wait, n) => n === 0 || wait >= (waits[n - 1] ?? 0))).not.toContain(false);
  expect(hours).toBeGreaterThan(47);
  expect(hours).toBeLessThan(58);
  expect(await world.undelivered(id)).toEqual([place]);
  expect((await world.endpoints.progress(id)).log).toHaveLength(12);
});

test('two endpoints that failed together are not tried together', async () => {
  const world = await open({ answer: () => 'timed_out' });
  const ids = [await world.endpoint(), await world.endpoint()];
  await world.emit('a', 'message.sent');
  await world.dispatch();
  for (const id of ids) await world.deliver(id);
  const [one, two] = await Promise.all(ids.map((id) => world.next(id)));
  expect(one).not.toEqual(two);
});

test('an endpoint that fails is tried with one event at a time, and gets the rest when it takes one', async () => {
  let up = false;
  const world = await open({ answer: () => (up ? 'http_200' : 'connection_failed') });
  const id = await world.endpoint();
  for (let n = 0; n < 30; n += 1) await world.emit(`op-${n}`, 'message.sent');
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
  expect(await world.waiting(id)).toEqual([]);
  expect(await world.isScheduled(id)).toBe(false);
});

test('an endpoint that fails for three days is disabled, and that is reported one time', async () => {
  const world = await open({ answer: () => 'http_410' });
  const id = await world.endpoint();
  for (let day = 0; day < 5; day += 1) {
    await world.emit(`day-${day}`, 'message.sent');
    await world.dispatch();
    await world.deliver(id);
    world.pass(DAY);
  }
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'disabled', reason: 'failing_for_days' });
  const told = (await world.stream.read(undefined, 100)).events.filter(({ type }) => type === 'endpoint.disabled');
  // All readers of the account receive it, and its path may be a password.
  expect(told).toMatchObject([{ id: `${id}.1`, data: { id, state: 'disabled', url: 'https://shop.example' } }]);
  expect(JSON.stringify(told)).not.toMatch(/s3cr3t|hidden/);
  expect(await world.waiting(id)).toEqual([]);
  expect(await world.undelivered(id)).toHaveLength(4);
});

test('a success between failures keeps an endpoint enabled', async () => {
  const world = await open({ answer: (n) => (n % 3 === 2 ? 'http_200' : 'http_500') });
  const id = await world.endpoint();
  for (let day = 0; day < 8; day += 1) {
    await world.emit(`day-${day}`, 'message.sent');
    await world.dispatch();
    await world.deliver(id);
    world.pass(DAY);
  }
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'enabled' });
});

test('an endpoint that failed on one event a month ago is not disabled at the next failure', async () => {
  const world = await open({ answer: (n) => (n < 12 ? 'http_410' : n === 12 ? 'http_502' : 'http_200') });
  const id = await world.endpoint();
  await world.emit('odd', 'message.sent');
  await world.dispatch();
  await world.deliverUntilQuiet(id);
  expect(world.posts).toHaveLength(12);
  expect(await world.endpoints.read(id)).not.toHaveProperty('failingSince');
  world.pass(30 * DAY);
  for (let n = 0; n < 10; n += 1) await world.emit(`pay-${n}`, 'message.sent');
  await world.dispatch();
  await world.deliverUntilQuiet(id);
  expect(new Set(world.posts.map(({ event }) => event)).size).toBe(11);
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'enabled' });
  expect(await world.endpoints.progress(id)).toMatchObject({ waiting: 0, undelivered: 1 });
});

test('a worker that dies after a post leaves the event due, with the same id', async () => {
  const world = await open();
  const id = await world.endpoint();
  await world.emit('a', 'message.sent');
  await world.dispatch();
  await world.endpoints.take(id, 30 * SECOND, 8);
  expect(await world.deliver(id)).toMatchObject({ outcome: 'idle', reason: 'leased' });
  world.pass(31 * SECOND);
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1']);
});

test('an attempt that comes back after its lease changes nothing', async () => {
  const world = await open();
  const id = await world.endpoint();
  const place = await world.emit('a', 'message.sent');
  await world.dispatch();
  const zombie = await world.endpoints.take(id, 30 * SECOND, 8);
  world.pass(31 * SECOND);
  await world.endpoints.take(id, 30 * SECOND, 8);
  const result = { place, outcome: 'delivered', waitMs: 0, asked: true, event: '', answer: '', tries: 1 } as const;
  const lease = typeof zombie === 'string' ? '' : zombie.lease;
  expect(await world.endpoints.settle(id, lease, [result], { restMs: 1, disableAfterMs: DAY })).toBeUndefined();
  expect(await world.waiting(id)).toHaveLength(1);
});

test('an event that is no longer stored is skipped and delays nothing', async () => {
  const world = await open();
  const id = await world.endpoint();
  await world.emit('a', 'message.sent');
  await world.dispatch();
  await world.forgetEvents();
  await world.emit('b', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['b.1']);
});

test('expired events are no failure of the endpoint: stored ones come at once, and it stays enabled', async () => {
  let up = false;
  const world = await open({ answer: () => (up ? 'http_200' : 'connection_failed') });
  const id = await world.endpoint();
  for (let n = 0; n < 30; n += 1) await world.emit(`lost-${n}`, 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  await world.forgetEvents();
  const tried = world.posts.length;
  up = true;
  world.pass(4 * DAY);
  await world.emit('kept', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(world.posts.slice(tried).map(({ event }) => event)).toEqual(['kept.1']);
  const endpoint = await world.endpoints.read(id);
  expect(endpoint).toMatchObject({ state: 'enabled', deliveredAt: world.now() });
  expect(endpoint).not.toHaveProperty('failingSince');
  expect((await world.endpoints.progress(id)).undelivered).toBe(30);
});

test('an event that this version cannot read is tried later, and holds up no other, also in a replay', async () => {
  const world = await open();
  const id = await world.endpoint();
  const odd = await world.emitOdd();
  await world.emit('a', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1']);
  expect(await world.waiting(id)).toEqual([odd]);
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
  const world = await open();
  const id = await world.endpoint();
  const places = [await world.emit('a', 'message.sent'), await world.emit('b', 'message.sent')];
  await world.dispatch();
  await world.deliver(id);
  await world.disable(id);
  expect(await world.endpoints.replay(id, places)).toBe(true);
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1', 'b.1', 'a.1', 'b.1']);
  expect(await world.endpoints.read(id)).toMatchObject({ state: 'enabled' });
  expect(await world.endpoints.replay('ep_nobody', places)).toBe(false);
});

test('a replay during a try is not undone by its result', async () => {
  const world = await open();
  const id = await world.endpoint();
  const place = await world.emit('a', 'message.sent');
  await world.dispatch();
  const taken = await world.endpoints.take(id, 30 * SECOND, 8);
  expect(await world.endpoints.replay(id, [place])).toBe(true);
  const last = { place, outcome: 'undelivered', waitMs: 0, asked: true, event: '', answer: '', tries: 1 } as const;
  const lease = typeof taken === 'string' ? '' : taken.lease;
  expect(await world.endpoints.settle(id, lease, [last], { restMs: 1, disableAfterMs: DAY })).toBeUndefined();
  await world.deliver(id);
  expect(world.posts.map(({ event }) => event)).toEqual(['a.1']);
});

test('the secret that receivers know signs for its day, however often another is asked for meanwhile', async () => {
  const world = await open();
  const id = await world.endpoint();
  const signers = async () => {
    world.pass(31 * SECOND);
    const taken = await world.endpoints.take(id, 30 * SECOND, 8);
    return typeof taken === 'string' ? taken : taken.secrets;
  };
  await world.emit('a', 'message.sent');
  await world.dispatch();
  // For example, the answer to the first of them was lost.
  for (const secret of ['second', 'third', 'fourth']) await world.endpoints.rotate(id, secret, { bothForMs: DAY });
  expect(await signers()).toEqual(['fourth', 'third', 'sealed']);
  expect(await world.endpoints.sealedSecrets(id)).toEqual(['fourth', 'third', 'sealed']);
  world.pass(DAY);
  expect(await signers()).toEqual(['fourth']);
  await world.endpoints.rotate(id, 'fifth', { bothForMs: DAY });
  expect(await signers()).toEqual(['fifth', 'fourth']);
});

test('the data of an endpoint is removed with it', async () => {
  const world = await open({ answer: () => 'http_500' });
  const id = await world.endpoint();
  await world.emit('a', 'message.sent');
  await world.dispatch();
  await world.deliver(id);
  expect(await world.endpoints.remove(id)).toBe(true);
  expect(await world.leftOf(id)).toBe(0);
  expect(await world.isScheduled(id)).toBe(false);
  expect(await world.deliver(id)).toMatchObject({ reason: 'none' });
});

test('the log of an endpoint is bounded', async () => {
  const world = await open();
  const id = await world.endpoint();
  await world.emitMany(Array.from({ length: 250 }, (_, n) => `op-${n}`));
  await world.dispatch();
  await world.deliver(id);
  const { log, waiting } = await world.endpoints.progress(id);
  expect([log.length, waiting]).toEqual([200, 0]);
  expect(log[0]).toMatchObject({ outcome: 'delivered', answer: 'http_200', tries: 1 });
});

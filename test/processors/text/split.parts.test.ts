import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FreshRedis, freshRedis } from '../../support/fresh-redis.ts';
import { LEASE_MS } from '../../support/processor-world.ts';
import { SETTLE_DELAY_MS, people, textsBench } from '../../support/texts-bench.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

const tally = (states: readonly (string | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const state of states) counts[String(state)] = (counts[String(state)] ?? 0) + 1;
  return counts;
};

describe('a request that was refused for one bad number', () => {
  test('fails for that number alone, and costs at most thirteen requests more', async () => {
    const world = textsBench(store.redis);
    const persons = people(50);
    await world.slice('slc_1', persons);
    world.service.bad.add(persons[17]?.to ?? '');
    await world.finish('slc_1');
    const states = await world.states('slc_1', 50);
    expect([states[17], tally(states)]).toEqual(['failed', { sent: 49, failed: 1 }]);
    expect(world.service.requests.length - 1).toBeLessThanOrEqual(13);
    expect(world.service.statisticsAsked).toBe(1);
    expect(persons.map(({ to }) => world.service.times(to))).toEqual(persons.map((_, at) => (at === 17 ? 0 : 1)));
  });

  test('names it with the code, and announces each end once', async () => {
    const world = textsBench(store.redis);
    const persons = people(3);
    await world.slice('slc_1', persons);
    world.service.bad.add(persons[1]?.to ?? '');
    await world.finish('slc_1');
    const events = await world.events();
    const told = new Map(events.map(({ type, data }) => [data['id'], [type, data['code']]]));
    expect([events.length, told]).toEqual([
      3,
      new Map([
        ['slc_1.0', ['message.sent', '00']],
        ['slc_1.1', ['message.failed', 'ERROR_110']],
        ['slc_1.2', ['message.sent', '00']],
      ]),
    ]);
  });

  test('is sent once more without those whom statistics call invalid', async () => {
    const world = textsBench(store.redis);
    const persons = people(50);
    await world.slice('slc_1', persons);
    world.service.namesTheBad = true;
    for (const place of [3, 30]) world.service.bad.add(persons[place]?.to ?? '');
    await world.finish('slc_1');
    expect([world.service.requests, tally(await world.states('slc_1', 50))]).toEqual([
      [50, 48],
      { sent: 48, failed: 2 },
    ]);
  });

  test('fails as a whole where splitting is switched off', async () => {
    const world = textsBench(store.redis, { split: false });
    const persons = people(5);
    await world.slice('slc_1', persons);
    world.service.bad.add(persons[2]?.to ?? '');
    expect(await world.send('slc_1')).toEqual({ outcome: 'ended', reason: 'ERROR_110' });
    expect([world.service.requests, tally(await world.states('slc_1', 5))]).toEqual([[5], { failed: 5 }]);
  });

  test('is not split when it says something about all of them', async () => {
    const world = textsBench(store.redis);
    await world.slice('slc_1', people(5));
    world.service.refusesWith = 'ERROR_113';
    world.service.bad.add('+221770000002');
    await world.finish('slc_1');
    expect([world.service.requests, tally(await world.states('slc_1', 5))]).toEqual([[5], { failed: 5 }]);
  });
});

test('whoever was sent to although the request was refused is not sent to again', async () => {
  const world = textsBench(store.redis);
  const persons = people(4);
  await world.slice('slc_1', persons);
  const [first = { to: '' }] = persons;
  world.service.bad.add(persons[3]?.to ?? '');
  await world.send('slc_1');
  expect(await world.states('slc_1', 4)).toEqual(persons.map(() => 'sending'));
  world.service.book.push({ to: first.to, text: 'Bonjour', code: '00', at: world.context.clock.now() });
  await world.finish('slc_1');
  expect(world.service.times(first.to)).toBe(1);
  expect(await world.states('slc_1', 4)).toEqual(['sent', 'sent', 'sent', 'failed']);
});

test('a part whose answer is lost is looked up before anything else of the slice goes out, and never repeated', async () => {
  const world = textsBench(store.redis);
  const persons = people(8);
  await world.slice('slc_1', persons);
  world.service.bad.add(persons[7]?.to ?? '');
  await world.send('slc_1');
  world.advance(SETTLE_DELAY_MS);
  await world.look('slc_1');
  world.service.fate.push('answer lost');
  expect(await world.send('slc_1')).toMatchObject({ outcome: 'unknown' });
  expect(await world.send('slc_1')).toEqual({ outcome: 'idle', reason: 'elsewhere' });
  await world.finish('slc_1');
  expect(tally(await world.states('slc_1', 8))).toEqual({ sent: 7, failed: 1 });
  expect(Math.max(...persons.map(({ to }) => world.service.times(to)))).toBe(1);
});

test('a worker that dies while it sends parts leaves in doubt those whose intent is written, and nobody gets it twice', async () => {
  const world = textsBench(store.redis);
  const persons = people(8);
  await world.slice('slc_1', persons);
  world.service.bad.add(persons[0]?.to ?? '');
  await world.send('slc_1');
  world.advance(SETTLE_DELAY_MS);
  await world.look('slc_1');
  void world.send('slc_1', { fence: () => new Promise(() => undefined) });
  await expect.poll(async () => (await world.states('slc_1', 8))[0]).toBe('sending');
  world.advance(LEASE_MS + 1);
  expect(await world.look('slc_1')).toEqual({ outcome: 'unknown', reason: 'interrupted' });
  await world.finish('slc_1');
  const states = await world.states('slc_1', 8);
  expect([states.slice(0, 4), states.every((state) => state === 'sent' || state === 'unknown')]).toEqual([
    Array.from({ length: 4 }, () => 'unknown'),
    true,
  ]);
  expect(Math.max(...persons.map(({ to }) => world.service.times(to)))).toBeLessThanOrEqual(1);
});

test('a part that waits for the same text to be over keeps no other part back', async () => {
  const world = textsBench(store.redis);
  const persons = people(4);
  await world.slice('slc_0', persons.slice(0, 2));
  world.service.fate.push('lost');
  await world.send('slc_0');
  await world.slice('slc_1', persons);
  world.service.bad.add(persons[3]?.to ?? '');
  await world.send('slc_1');
  world.advance(SETTLE_DELAY_MS);
  await world.look('slc_1');
  // The first two are still in doubt from before, and are the first part.
  for (let step = 0; step < 4; step += 1) await world.send('slc_1');
  expect(await world.states('slc_1', 4)).toEqual(['queued', 'queued', 'sent', 'failed']);
  await world.finish('slc_0');
  await world.finish('slc_1');
  expect(await world.states('slc_1', 4)).toEqual(['sent', 'sent', 'sent', 'failed']);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { LEASE_MS } from '../support/processor-world.ts';
import { SETTLE_DELAY_MS, people, textsBench } from '../support/texts-bench.ts';

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
    await world.chunk('chk_1', persons);
    world.service.bad.add(persons[17]?.to ?? '');
    await world.finish('chk_1');
    const states = await world.states('chk_1', 50);
    expect([states[17], tally(states)]).toEqual(['failed', { sent: 49, failed: 1 }]);
    expect(world.service.requests.length - 1).toBeLessThanOrEqual(13);
    expect(world.service.statisticsAsked).toBe(1);
    expect(persons.map(({ to }) => world.service.times(to))).toEqual(persons.map((_, at) => (at === 17 ? 0 : 1)));
  });

  test('names it with the code, and announces each end once', async () => {
    const world = textsBench(store.redis);
    const persons = people(3);
    await world.chunk('chk_1', persons);
    world.service.bad.add(persons[1]?.to ?? '');
    await world.finish('chk_1');
    const events = await world.events();
    const told = new Map(events.map(({ type, data }) => [data['id'], [type, data['code']]]));
    expect([events.length, told]).toEqual([
      3,
      new Map([
        ['chk_1.0', ['message.sent', '00']],
        ['chk_1.1', ['message.failed', 'ERROR_110']],
        ['chk_1.2', ['message.sent', '00']],
      ]),
    ]);
  });

  test('is sent once more without those whom statistics call invalid', async () => {
    const world = textsBench(store.redis);
    const persons = people(50);
    await world.chunk('chk_1', persons);
    world.service.namesTheBad = true;
    for (const place of [3, 30]) world.service.bad.add(persons[place]?.to ?? '');
    await world.finish('chk_1');
    expect([world.service.requests, tally(await world.states('chk_1', 50))]).toEqual([
      [50, 48],
      { sent: 48, failed: 2 },
    ]);
  });

  test('fails as a whole where splitting is switched off', async () => {
    const world = textsBench(store.redis, { split: false });
    const persons = people(5);
    await world.chunk('chk_1', persons);
    world.service.bad.add(persons[2]?.to ?? '');
    expect(await world.send('chk_1')).toEqual({ outcome: 'ended', reason: 'ERROR_110' });
    expect([world.service.requests, tally(await world.states('chk_1', 5))]).toEqual([[5], { failed: 5 }]);
  });

  test('is not split when it says something about all of them', async () => {
    const world = textsBench(store.redis);
    await world.chunk('chk_1', people(5));
    world.service.refusesWith = 'ERROR_113';
    world.service.bad.add('+221770000002');
    await world.finish('chk_1');
    expect([world.service.requests, tally(await world.states('chk_1', 5))]).toEqual([[5], { failed: 5 }]);
  });
});

test('whoever was sent to although the request was refused is not sent to again', async () => {
  const world = textsBench(store.redis);
  const persons = people(4);
  await world.chunk('chk_1', persons);
  const [first = { to: '' }] = persons;
  world.service.bad.add(persons[3]?.to ?? '');
  await world.send('chk_1');
  expect(await world.stateOf('chk_1')).toBe('refused');
  world.service.book.push({ to: first.to, text: 'Bonjour', code: '00', at: world.context.clock.now() });
  await world.finish('chk_1');
  expect(world.service.times(first.to)).toBe(1);
  expect(await world.states('chk_1', 4)).toEqual(['sent', 'sent', 'sent', 'failed']);
});

test('a part whose answer is lost is looked up before anything else of the chunk goes out, and never repeated', async () => {
  const world = textsBench(store.redis);
  const persons = people(8);
  await world.chunk('chk_1', persons);
  world.service.bad.add(persons[7]?.to ?? '');
  await world.send('chk_1');
  world.advance(SETTLE_DELAY_MS);
  await world.look('chk_1');
  world.service.fate.push('answer lost');
  expect(await world.send('chk_1')).toMatchObject({ outcome: 'unknown' });
  expect(await world.send('chk_1')).toEqual({ outcome: 'idle', reason: 'elsewhere' });
  await world.finish('chk_1');
  expect(tally(await world.states('chk_1', 8))).toEqual({ sent: 7, failed: 1 });
  expect(Math.max(...persons.map(({ to }) => world.service.times(to)))).toBe(1);
});

test('a worker that dies while it sends a part leaves that part in doubt, and the others go out', async () => {
  const world = textsBench(store.redis);
  const persons = people(8);
  await world.chunk('chk_1', persons);
  world.service.bad.add(persons[0]?.to ?? '');
  await world.send('chk_1');
  world.advance(SETTLE_DELAY_MS);
  await world.look('chk_1');
  void world.send('chk_1', { fence: () => new Promise(() => undefined) });
  await expect.poll(() => world.stateOf('chk_1')).toBe('sending');
  world.advance(LEASE_MS + 1);
  expect(await world.look('chk_1')).toEqual({ outcome: 'unknown', reason: 'interrupted' });
  await world.finish('chk_1');
  expect(await world.states('chk_1', 8)).toEqual([
    ...Array.from({ length: 4 }, () => 'unknown'),
    ...Array.from({ length: 4 }, () => 'sent'),
  ]);
});

test('a part that waits for the same text to be over keeps no other part back', async () => {
  const world = textsBench(store.redis);
  const persons = people(4);
  await world.chunk('chk_0', persons.slice(0, 2));
  world.service.fate.push('lost');
  await world.send('chk_0');
  await world.chunk('chk_1', persons);
  world.service.bad.add(persons[3]?.to ?? '');
  await world.send('chk_1');
  world.advance(SETTLE_DELAY_MS);
  await world.look('chk_1');
  // The first two are still in doubt from before, and are the first part.
  for (let step = 0; step < 4; step += 1) await world.send('chk_1');
  expect(await world.states('chk_1', 4)).toEqual(['queued', 'queued', 'sent', 'failed']);
  await world.finish('chk_0');
  await world.finish('chk_1');
  expect(await world.states('chk_1', 4)).toEqual(['sent', 'sent', 'sent', 'failed']);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readEvidence } from '../../../src/operations/transition.ts';
import { LEASE_MS, not, ok } from '../../support/processor-world.ts';
import { type FreshRedis, freshRedis } from '../../support/fresh-redis.ts';
import { SETTLE_DELAY_MS, people, textsBench } from '../../support/texts-bench.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

const LIMIT_MS = 72 * 3_600_000;

/** Texts that were sent, whose answer was lost and whom statistics do not show yet: they are about to go out again. */
async function sentAgain(count: number, expiresInMs?: number) {
  const world = textsBench(store.redis, { onUnknown: 'resend' });
  const { service } = world;
  const known = service.statistics;
  const persons = people(count).map((person) => (expiresInMs === undefined ? person : { ...person, expiresInMs }));
  await world.slice('slc_1', persons);
  service.fate.push('answer lost');
  const lagging = async (_account: unknown, { numbers }: { readonly numbers: readonly string[] }) =>
    ok({ invalid: [] as string[], sent: new Map(numbers.map((to) => [to.replace(/\D/g, ''), []])) });
  Object.assign(service, { statistics: lagging });
  await world.send('slc_1');
  for (const _ of [1, 2]) {
    world.advance(SETTLE_DELAY_MS);
    await world.look('slc_1');
  }
  expect(await world.stateOf('slc_1')).toBe('queued');
  const told = async () => (await world.events()).map(({ type }) => type);
  return { ...world, told, persons, known };
}

describe('whoever may have got it is not reported as not sent to', () => {
  test('where their time is over while the account is held', async () => {
    const world = await sentAgain(1, 600_000);
    await world.context.accounts.hold('main', 'messaging', 'funds');
    world.advance(600_000);
    await world.send('slc_1');
    expect([await world.states('slc_1', 1), await world.told()]).toEqual([
      ['unknown'],
      ['account.held', 'message.unknown'],
    ]);
  });

  test('where the request was refused and statistics cannot be had', async () => {
    const world = await sentAgain(3);
    world.service.bad.add(world.persons[2]?.to ?? '');
    await world.send('slc_1');
    Object.assign(world.service, { statistics: async () => not('transient', 'server_error') });
    world.advance(LIMIT_MS);
    expect(await world.look('slc_1')).toEqual({ outcome: 'ended', reason: 'limit' });
    expect(await world.states('slc_1', 3)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  test('where the request was refused and statistics name them', async () => {
    const world = await sentAgain(3);
    world.service.bad.add(world.persons[2]?.to ?? '');
    await world.send('slc_1');
    Object.assign(world.service, { statistics: world.known, namesTheBad: true });
    world.service.book.splice(0);
    world.advance(SETTLE_DELAY_MS);
    await world.look('slc_1');
    expect(await world.states('slc_1', 3)).toEqual(['queued', 'queued', 'unknown']);
  });
});

describe('a request that somebody on the way did not let through', () => {
  const notLetThrough = async (count: number) => {
    const world = textsBench(store.redis);
    const { service, context } = world;
    await world.slice('slc_1', people(count));
    await world.slice('slc_2', people(60).slice(-3));
    const known = service.send;
    Object.assign(service, { send: async () => not('unknown', 'http_403') });
    const result = await world.send('slc_1');
    const holds = (await context.accounts.holdsOf('main')).map(({ area, reason }) => `${area}.${reason}`);
    return { ...world, known, result, holds };
  };

  const mayBeTried = () => store.redis.hset('account:main', 'probe:messaging.not_authorised', 0);

  test('leaves its recipients in doubt, and the account is held', async () => {
    const world = await notLetThrough(3);
    expect(world.result).toEqual({ outcome: 'unknown', reason: 'http_403' });
    expect(await world.states('slc_1', 3)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(world.holds).toEqual(['messaging.not_authorised']);
    expect(await world.send('slc_2')).toEqual({ outcome: 'waits', reason: 'account_held_not_authorised' });
    expect(await world.states('slc_2', 3)).toEqual(['queued', 'queued', 'queued']);
  });

  test('is followed by a single recipient, who tells whether they are let through again', async () => {
    const world = await notLetThrough(3);
    await mayBeTried();
    await world.send('slc_2');
    expect(await world.states('slc_2', 3)).toEqual(['unknown', 'queued', 'queued']);
    Object.assign(world.service, { send: world.known });
    await mayBeTried();
    await world.send('slc_2');
    expect(await world.states('slc_2', 3)).toEqual(['unknown', 'sent', 'sent']);
    expect(world.service.requests).toEqual([1, 1]);
    expect(await world.context.accounts.holdsOf('main')).toEqual([]);
  });
});

describe('a text that statistics list under a code that is no clear yes', () => {
  const listed = async (_account: unknown, { numbers }: { readonly numbers: readonly string[] }) => {
    const digits = numbers.map((to) => to.replace(/\D/g, ''));
    const nothing = digits.map((number) => [number, []] as const);
    const [first = ''] = digits;
    return ok({ invalid: [], sent: new Map(nothing), unclear: new Map([[first, ['Bonjour']]]) });
  };

  test('is not sent to again, and stays unknown at the limit', async () => {
    const world = textsBench(store.redis, { onUnknown: 'resend' });
    await world.slice('slc_1', people(1));
    world.service.fate.push('answer lost');
    Object.assign(world.service, { statistics: listed });
    await world.send('slc_1');
    for (const _ of [1, 2]) {
      world.advance(SETTLE_DELAY_MS);
      await world.look('slc_1');
    }
    expect(await world.stateOf('slc_1')).toBe('unknown');
    world.advance(LIMIT_MS);
    expect(await world.look('slc_1')).toEqual({ outcome: 'ended', reason: 'looked' });
    expect([world.service.requests, await world.states('slc_1', 1)]).toEqual([[1], ['unknown']]);
  });

  test('is left in doubt where the request was refused, and the others go out at once', async () => {
    const world = textsBench(store.redis);
    const persons = people(3);
    await world.slice('slc_1', persons);
    world.service.bad.add(persons[0]?.to ?? '');
    Object.assign(world.service, { statistics: listed });
    await world.send('slc_1');
    world.advance(SETTLE_DELAY_MS);
    await world.look('slc_1');
    await world.send('slc_1');
    expect([world.service.requests, await world.states('slc_1', 3)]).toEqual([
      [3, 2],
      ['unknown', 'sent', 'sent'],
    ]);
  });
});

test('a text that did not leave because its lease was over goes out once, by the attempt that doubted it', async () => {
  const world = textsBench(store.redis, { onUnknown: 'resend' });
  await world.slice('slc_1', people(1));
  const { send } = world.service;
  const froze = async () => {
    Object.assign(world.service, { send });
    world.advance(LEASE_MS);
    await world.look('slc_1');
    return not('transient', 'send_deadline', 'never');
  };
  Object.assign(world.service, { send: froze });
  await world.send('slc_1');
  expect(await world.stateOf('slc_1')).toBe('unknown');
  await world.finish('slc_1');
  expect([world.service.requests, await world.states('slc_1', 1)]).toEqual([[1], ['sent']]);
});

test('a text with a strange code is in doubt, is looked up, and the code stands in the evidence', async () => {
  const world = textsBench(store.redis);
  await world.slice('slc_1', people(1));
  const { send } = world.service;
  Object.assign(world.service, {
    send: async (...asked: Parameters<typeof send>) => {
      await send(...asked);
      return ok({ items: [{ index: 0, outcome: 'unknown', code: 'REJECTED', strange: true }] });
    },
  });
  expect(await world.send('slc_1')).toEqual({ outcome: 'unknown', reason: 'strange_code' });
  const { lines } = readEvidence({ evidence: (await world.slices.read('slc_1'))?.evidence ?? {} });
  expect(lines.at(-1)).toMatchObject({ operation: 'send', detail: 'strange code REJECTED' });
  await world.finish('slc_1');
  expect(await world.states('slc_1', 1)).toEqual(['sent']);
});

describe('a number that is missing in the statistics', () => {
  const silent = async () => ok({ invalid: [] as string[], sent: new Map() });

  test('is not sent to again on the strength of that, and stays unknown at the limit', async () => {
    const world = textsBench(store.redis, { onUnknown: 'resend' });
    await world.slice('slc_1', people(1));
    world.service.fate.push('answer lost');
    Object.assign(world.service, { statistics: silent });
    await world.send('slc_1');
    world.advance(SETTLE_DELAY_MS);
    await world.look('slc_1');
    world.advance(LIMIT_MS - SETTLE_DELAY_MS - 1);
    expect(await world.look('slc_1')).toEqual({ outcome: 'unknown', reason: 'statistics_silent' });
    world.advance(LIMIT_MS);
    expect(await world.look('slc_1')).toEqual({ outcome: 'ended', reason: 'looked' });
    expect([world.service.requests, await world.states('slc_1', 1)]).toEqual([[1], ['unknown']]);
  });

  test('is found when the statistics speak again', async () => {
    const world = textsBench(store.redis, { onUnknown: 'resend' });
    const { statistics } = world.service;
    await world.slice('slc_1', people(1));
    world.service.fate.push('answer lost');
    Object.assign(world.service, { statistics: silent });
    await world.send('slc_1');
    for (const _ of [1, 2, 3, 4]) {
      world.advance(20 * SETTLE_DELAY_MS);
      await world.look('slc_1');
    }
    Object.assign(world.service, { statistics });
    await world.finish('slc_1');
    expect([world.service.requests, await world.states('slc_1', 1)]).toEqual([[1], ['sent']]);
  });

  test('keeps the parts of a refused request back until the limit, and is refused then', async () => {
    const world = textsBench(store.redis);
    const [, bad = { to: '' }] = people(2);
    await world.slice('slc_1', people(2));
    world.service.bad.add(bad.to);
    Object.assign(world.service, { statistics: silent });
    await world.send('slc_1');
    world.advance(SETTLE_DELAY_MS);
    expect(await world.look('slc_1')).toEqual({ outcome: 'unknown', reason: 'statistics_silent' });
    world.advance(LIMIT_MS);
    expect(await world.look('slc_1')).toEqual({ outcome: 'ended', reason: 'looked' });
    expect([world.service.requests, await world.states('slc_1', 2)]).toEqual([[2], ['failed', 'failed']]);
  });
});

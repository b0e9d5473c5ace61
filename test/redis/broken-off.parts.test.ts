/** What stands after a script that a slot on its way to another node breaks off. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { HistoryDesk } from '../../src/operations/history.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { keys } from '../../src/operations/keys.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { Purge } from '../../src/operations/purge.ts';
import {
  countFailure,
  replayEvents,
  restoreCampaign,
  sealAudit,
  settleDeliveries,
} from '../../src/operations/scripts/generated/scripts.ts';
import { openCommands, waitUntilReady, closeConnection } from '../../src/redis/connections.ts';
import { slotOf } from '../../src/redis/slot.ts';
import { storeToken } from '../../src/upstream/scripts/generated/scripts.ts';
import { historyWorld } from '../history/history-world.ts';
import { startCluster, type TestCluster } from './clusters.ts';

const PREFIX = '{relais}';
const NOON = Date.parse('2026-11-01T12:00:00Z');
const DAY_MS = 86_400_000;

let cluster: TestCluster;
let redis: Redis;

beforeAll(async () => {
  cluster = await startCluster({ prefix: PREFIX, replicas: 0 });
  const nodes = cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  redis = openCommands({ url: 'redis://ignored', cluster: nodes }, { name: 'test', onError: () => undefined });
  await waitUntilReady(redis, 20_000);
}, 90_000);
afterAll(async () => {
  await closeConnection(redis);
  await cluster.stop();
});
beforeEach(async () => {
  await (await cluster.primary()).redis.flushall();
});

/** While the slot is on its way and every key is still there. */
async function leaving<T>(work: () => Promise<T>): Promise<T | Error> {
  const [from, to] = [await cluster.primary(), await cluster.another()];
  await from.redis.call('CLUSTER', 'SETSLOT', slotOf(PREFIX), 'MIGRATING', to.id);
  try {
    return await work().catch((error: Error) => error);
  } finally {
    await from.redis.call('CLUSTER', 'SETSLOT', slotOf(PREFIX), 'STABLE');
  }
}

async function all(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const key of (await (await cluster.primary()).redis.keys('*')).toSorted()) {
    const name = key.slice(PREFIX.length + 1);
    const type = await redis.type(name);
    found[name] =
      type === 'hash'
        ? await redis.hgetall(name)
        : type === 'zset'
          ? await redis.zrange(name, '0', '-1')
          : type === 'stream'
            ? await redis.xrange(name, '-', '+')
            : type === 'set'
              ? await redis.smembers(name)
              : type === 'list'
                ? await redis.lrange(name, 0, -1)
                : await redis.get(name);
  }
  return found;
}

/** All that a step of a payment touches is there, as in a house that has been at work for days. */
async function house() {
  const world = historyWorld(redis, NOON);
  await redis.hset(keys.counts('disbursement'), 'history:', '1');
  for (const id of ['dsb_a', 'dsb_b', 'dsb_c', 'dsb_d', 'dsb_e']) await world.accept(id);
  await world.go('dsb_e', 'created', 'submitting', 'pending', 'succeeded');
  for (const id of ['dsb_b', 'dsb_c', 'dsb_d']) await world.go(id, 'created');
  for (const id of ['dsb_c', 'dsb_d']) await world.go(id, 'submitting');
  await world.go('dsb_d', 'pending');
  await redis.hset(keys.closedDays, '1', 'x 1');
  await redis.hset(keys.heartbeat, 'counter', '1');
  for (const queue of ['status-poll', 'disbursement', 'disbursement-create', 'disbursement-submit'])
    await redis.zadd(keys.due(queue), 1, 'dsb_z');
  await redis.hset(keys.book, { offsets: '0:3600000', keep: 7 });
  return world;
}

test('a key that does not exist at the start is refused before anything is written', async () => {
  const world = await house();
  await redis.del(keys.closedDays);
  const before = await all();
  expect(String(await leaving(() => world.go('dsb_b', 'submitting')))).toContain('TRYAGAIN');
  expect(await all()).toEqual(before);
  expect(String(await leaving(() => world.accept('dsb_new')))).toContain('TRYAGAIN');
  expect(await all()).toEqual(before);
});

test('with every key there a step is made as ever', async () => {
  const world = await house();
  expect(await leaving(() => world.go('dsb_b', 'submitting'))).toBeUndefined();
});

test('the first step of a day leaves a book', async () => {
  const world = await house();
  const standing = await redis.hget(keys.book, 'disbursement|main|wallet-a-senegal|=open');
  expect(standing).toBe('4');
  world.turnTo(NOON + DAY_MS);
  const answer = await leaving(() => world.go('dsb_d', 'succeeded'));
  expect(answer).toBeUndefined();
  await world.go('dsb_c', 'pending');
  await world.go('dsb_c', 'succeeded');
  expect(await redis.hgetall(keys.book)).toMatchObject({
    'disbursement|main|wallet-a-senegal|=open': '2',
    keep: '7',
    offsets: '0:3600000',
  });
});

test('what became of deliveries is written down as a whole', async () => {
  const record = keys.record('end_1');
  await redis.hset(record, {
    state: 'enabled',
    lease: 'l',
    failingSince: 1,
    failures: 3,
    restUntil: 9,
    account: 'main',
    url: 'u',
  });
  const of = {
    record,
    deliveries: keys.deliveries('end_1'),
    tries: keys.deliveryTries('end_1'),
    due: keys.due('event-delivery'),
    undelivered: keys.undelivered('end_1'),
    log: keys.deliveryLog('end_1'),
    events: keys.events,
    counts: keys.counts('endpoint'),
  };
  await redis.zadd(of.deliveries, 1, '1-1', 1, '1-2');
  await redis.hset(of.tries, '1-1', 1);
  await redis.zadd(of.due, 1, 'end_1', 1, 'end_2');
  await redis.lpush(of.undelivered, 'x');
  await redis.lpush(of.log, 'x');
  await redis.xadd(of.events, '*', 'a', 'b');
  await redis.hset(of.counts, 'a', 1);
  const results = ['1-1', '1-2'].map(
    (place) => ({ place, outcome: 'delivered', waitMs: 0, asked: true, line: 'l' }) as const,
  );
  const answer = await leaving(() =>
    settleDeliveries(redis, { ...of, now: 100, id: 'end_1', lease: 'l', restMs: 1, disableAfterMs: 1_000, results }),
  );
  expect(answer).toMatchObject({ is: 'settled' });
});

test('the failure that ends a row holds the account', async () => {
  const account = keys.account('main');
  await redis.hset(account, 'row:payments.x', 2, 'rowAt:payments.x', 1);
  await redis.sadd(keys.heldAccounts, 'other');
  await redis.xadd(keys.events, '*', 'a', 'b');
  await redis.hset(keys.counts('account'), 'a', 1);
  const of = { account, held: keys.heldAccounts, events: keys.events, counts: keys.counts('account') };
  const answer = await leaving(() =>
    countFailure(redis, {
      ...of,
      now: 10,
      name: 'main',
      reason: 'payments.x',
      data: '{}',
      length: 3,
      windowMs: 1_000,
    }),
  );
  expect(answer).toBe(true);
});

test('events are told once more, all of them', async () => {
  const record = keys.record('end_1');
  await redis.hset(record, { state: 'disabled' });
  const of = {
    record,
    deliveries: keys.deliveries('end_1'),
    tries: keys.deliveryTries('end_1'),
    due: keys.due('event-delivery'),
    dispatch: keys.dispatch,
    audit: [keys.audit, keys.auditLast],
  };
  await redis.zadd(of.deliveries, 1, '1-0');
  await redis.hset(of.tries, '1-1', 1);
  await redis.zadd(of.due, 1, 'end_2');
  await redis.hset(of.dispatch, 'rev', 1);
  await redis.xadd(keys.audit, '*', 'a', 'b');
  await redis.set(keys.auditLast, '1-0 aa');
  const answer = await leaving(() =>
    replayEvents(redis, { ...of, now: 10, id: 'end_1', places: ['1-1', '1-2'], act: [] }),
  );
  expect(answer).toBe(true);
});

test('a bearer is stored', async () => {
  const of = { token: 't', lock: 'l', generation: 'g', pause: 'p', refusals: 'r' };
  await redis.hset('t', 'generation', 1, 'sealed', 'a', 'usable', 5);
  for (const key of ['l', 'g', 'p', 'r']) await redis.set(key, '1');
  const answer = await leaving(() =>
    storeToken(redis, { ...of, owner: '1', sealed: 's', usableMs: 1_000, generationKeptMs: 10_000 }),
  );
  expect(answer).toBe(2);
});

test('a campaign of a copy of Redis that turns out to be over is over in every respect', async () => {
  const [from, id] = [['running', 'held'], 'cmp_1'];
  const of = {
    campaign: keys.record(id),
    events: keys.events,
    counts: keys.counts('campaign'),
    due: keys.due('campaign'),
    parked: keys.parked(id),
    held: keys.state('campaign', 'held'),
    heartbeat: keys.heartbeat,
    history: keys.historyWaiting,
    left: from.map((state) => keys.state('campaign', state)),
  };
  await redis.hset(of.campaign, { id, state: 'running', account: 'main', name: 'a', slices: 1, fed: 1, settled: 1 });
  await redis.hset(of.counts, 'running', 1, 'history:', '1');
  for (const set of of.left) await redis.zadd(set, 1, id, 2, 'cmp_other');
  await redis.zadd(of.due, 1, id);
  await redis.sadd(of.parked, `${id}.aa-0`);
  await redis.hset(of.heartbeat, 'recovering', '1');
  await redis.zadd(of.history, 1, 'dsb_a');
  await redis.xadd(of.events, '*', 'a', 'b');
  const answer = await leaving(() =>
    restoreCampaign(redis, {
      ...of,
      now: 10,
      id,
      from,
      reason: 'restored',
      mayHaveBeenSent: true,
      since: 1,
      eventsLost: 1,
      revisionsLost: 1,
    }),
  );
  expect(answer).toBe(true);
  expect(await redis.hget(of.campaign, 'state')).toBe('finished');
  expect(await redis.hgetall(of.counts)).toMatchObject({ running: '0', finished: '1' });
  expect(await redis.zscore(of.history, id)).toBe('10');
  const types = (await redis.xrange(of.events, '-', '+')).map(([, words]) => words[words.indexOf('type') + 1]);
  expect(types.slice(1)).toEqual(['campaign.held', 'campaign.finished']);
  expect(await redis.exists(of.due, of.parked)).toBe(0);
});

test('the only seal of the audit is there, before one that reaches further and after', async () => {
  await redis.rpush('seals', 'one');
  const answer = await leaving(() =>
    sealAudit(redis, { seals: 'seals', before: 'one', seal: 'two', replaces: true }),
  );
  expect(answer).toBe(true);
  expect(await redis.lrange('seals', 0, -1)).toEqual(['two']);
});

/** So that some keys are at one node and some at the other. */
async function halfWay<T>(names: readonly string[], work: () => Promise<T>): Promise<T | Error> {
  const [from, to] = [await cluster.primary(), await cluster.another()];
  await to.redis.call('CLUSTER', 'SETSLOT', slotOf(PREFIX), 'IMPORTING', from.id);
  await from.redis.call('CLUSTER', 'SETSLOT', slotOf(PREFIX), 'MIGRATING', to.id);
  const full = names.map((name) => `${PREFIX}:${name}`);
  await from.redis.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...full);
  try {
    return await work().catch((error: Error) => error);
  } finally {
    await to.redis.call('CLUSTER', 'SETSLOT', slotOf(PREFIX), 'STABLE');
    await from.redis.call('CLUSTER', 'SETSLOT', slotOf(PREFIX), 'STABLE');
    await to.redis.flushall();
  }
}

test('nobody is told that a person is forgotten while some of what there is has gone ahead', async () => {
  const phone = '+221771000000';
  const one = { id: 'msg_a', fingerprint: 'a', to: phone, text: 'Bonjour' };
  await acceptMessages(redis, { id: 'slc_1', account: 'main', lane: 'normal', dueInMs: 0 }, [one]);
  const purge = new Purge(redis, { files: new KeptFiles({ redis, random: systemRandom }) });
  const person = { phone, reads: () => false };
  expect(await purge.page(person)).toMatchObject({ open: 1 });
  const answer = await halfWay([keys.record('msg_a'), keys.record('slc_1')], () => purge.page(person));
  expect(answer instanceof Error && answer.message).toContain('ASK');
});

test('nothing counts as looked through for history while some of it has gone ahead', async () => {
  await redis.hset(keys.record('dsb_a'), { kind: 'disbursement', state: 'succeeded' });
  await redis.hset(keys.history, 'pass', 1);
  await redis.zadd(keys.historyWaiting, 1, 'dsb_b');
  const desk = new HistoryDesk(redis, 'one');
  const answer = await halfWay([keys.record('dsb_a')], () => desk.sweep('store'));
  expect(answer instanceof Error && answer.message).toContain('ASK');
});

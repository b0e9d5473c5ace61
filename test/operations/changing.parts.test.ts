/** Changes that are asked for in one turn of the event loop: one script for those that are alike, an answer for each. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateOf } from '../../src/kinds/index.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { type DisbursementRecord, isUnreadable, readRecord } from '../../src/operations/record.ts';
import type { Change } from '../../src/operations/transition.ts';
import { isAway } from '../../src/redis/connections.ts';
import { disbursementOf } from '../conformance/under-test.ts';
import { type Dice, expectSameEffect, oneOf } from '../redis/same-effect.ts';
import { startServer } from '../redis/servers.ts';
import { type FreshRedis, freshRedis, storeOfThisFile } from '../support/fresh-redis.ts';
import { scriptsDuring } from '../support/scripts-during.ts';

const store = storeOfThisFile();
const NOW = 1_800_000_000_000;

const operationsOn = (redis: Redis, seed = 1): Operations =>
  new Operations({ redis, random: seededRandom(seed), now: () => NOW });

async function accepted(redis: Redis, operations: Operations, ids: readonly string[]): Promise<DisbursementRecord[]> {
  for (const id of ids) {
    const { fields } = disbursementOf(id);
    await operations.accept(disbursementOf(id, { fields: { ...fields, kind: 'disbursement' } }));
  }
  return recordsOf(redis, ids);
}

async function recordsOf(redis: Redis, ids: readonly string[]): Promise<DisbursementRecord[]> {
  const stored = await Promise.all(ids.map((id) => redis.hgetall(keys.record(id))));
  return stored.map((fields) => readRecord('disbursement', fields));
}

const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `dsb_${n}`);

const created: Change<'disbursement'> = { to: 'created', dueInMs: 1_000 };

describe('changes of one moment', () => {
  test('that are alike are made in one script, each with a revision and a mark of its own', async () => {
    const operations = operationsOn(store.redis);
    const records = await accepted(store.redis, operations, named(20));
    const { answer, scripts } = await scriptsDuring(store.redis, () =>
      Promise.all(records.map((record) => operations.transition(record, undefined, created))),
    );
    expect(scripts).toBe(1);
    const marks = answer.map((one) => (one.is === 'applied' ? one.op : one.is));
    expect(new Set(marks).size).toBe(20);
    expect((await recordsOf(store.redis, named(20))).map(({ fields }) => fields['op'])).toEqual(marks);
    expect(await store.redis.zcard(keys.state('disbursement', 'created'))).toBe(20);
    expect(await store.redis.zcard(keys.listed('disbursement', 'main', 'created'))).toBe(20);
    expect(await store.redis.exists(keys.state('disbursement', 'queued'))).toBe(0);
    expect(await store.redis.hget(keys.counts('disbursement'), 'created')).toBe('20');
    expect(await store.redis.zscore(keys.due('disbursement'), 'dsb_0')).toBe(String(NOW + 1_000));
  });

  test('more than fit into one script are shared out among several, and so are those that are not alike', async () => {
    const operations = operationsOn(store.redis);
    const records = await accepted(store.redis, operations, named(120));
    const change = (record: DisbursementRecord, n: number): Promise<unknown> =>
      operations.transition(record, undefined, n % 2 === 0 ? created : { to: 'held' });
    const { scripts } = await scriptsDuring(store.redis, () => Promise.all(records.map(change)));
    expect(scripts).toBe(4);
    expect(await store.redis.hget(keys.counts('disbursement'), 'created')).toBe('60');
    expect(await store.redis.hget(keys.counts('disbursement'), 'held')).toBe('60');
  });

  test('change nothing where Redis has no room for them, not even where they are due', async () => {
    // A server of its own: what is set here holds for all that share one.
    const server = await startServer();
    const { redis } = server;
    const operations = operationsOn(redis);
    const records = await accepted(redis, operations, named(2));
    const standing = () =>
      Promise.all([
        recordsOf(redis, named(2)),
        redis.zrange(keys.due('disbursement'), '0', '-1', 'WITHSCORES'),
        redis.zrange(keys.due('status-poll'), '0', '-1'),
        redis.zrange(keys.state('disbursement', 'queued'), '0', '-1'),
        redis.hgetall(keys.counts('disbursement')),
      ]);
    const before = await standing();
    const sends: Change<'disbursement'> = { to: 'submitting', dueInMs: 1_000, keepMs: 1_000, hasEffect: true };
    await redis.config('SET', 'maxmemory', '1mb');
    try {
      const answers = await Promise.allSettled(
        records.map((record) => operations.transition(record, undefined, sends)),
      );
      expect(answers.map((one) => one.status === 'rejected' && isAway(one.reason))).toEqual([true, true]);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
      expect(await standing()).toEqual(before);
      await server.stop();
    }
  });

  test('of which one belongs to no account leave the others whole', async () => {
    const operations = operationsOn(store.redis);
    const records = await accepted(store.redis, operations, ['dsb_torn', 'dsb_sound']);
    await store.redis.hdel(keys.record('dsb_torn'), 'account');
    const sends: Change<'disbursement'> = { to: 'succeeded' };
    const answers = await Promise.allSettled(
      records.map((record) =>
        operations.transition({ ...record, state: 'queued' }, undefined, { ...sends, asInHistory: { sequence: 1 } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await store.redis.zrange(keys.state('disbursement', 'queued'), '0', '-1')).toEqual(['dsb_torn']);
    expect(await store.redis.hmget(keys.counts('disbursement'), 'queued', 'succeeded')).toEqual(['1', '1']);
    expect(await store.redis.zrange(keys.due('disbursement'), '0', '-1')).toEqual(['dsb_torn']);
  });

  test('are each an effect that is counted', async () => {
    const operations = operationsOn(store.redis);
    const records = await accepted(store.redis, operations, named(3));
    const before = Number((await store.redis.hget(keys.heartbeat, 'counter')) ?? 0);
    const sends: Change<'disbursement'> = { to: 'submitting', hasEffect: true };
    const answers = await Promise.all(records.map((record) => operations.transition(record, undefined, sends)));
    expect(answers.map((one) => (one.is === 'applied' ? one.counter : one.is))).toEqual(
      [1, 2, 3].map((n) => before + n),
    );
    expect(Number(await store.redis.hget(keys.heartbeat, 'counter'))).toBe(before + 3);
  });

  test('of which one cannot be made are made all the same', async () => {
    const operations = operationsOn(store.redis);
    const ids = ['moved', 'leased', 'newer', 'damaged', 'torn', 'gone', 'same', 'sound'].map((name) => `dsb_${name}`);
    const records = await accepted(store.redis, operations, ids);
    const damage = (id: string, fields: Record<string, string>) => store.redis.hset(keys.record(id), fields);
    await damage('dsb_moved', { state: 'held' });
    await damage('dsb_leased', { lease: 'of somebody' });
    await damage('dsb_newer', { v: '99' });
    await damage('dsb_damaged', { rev: 'three' });
    await store.redis.del(keys.record('dsb_torn'), keys.record('dsb_gone'));
    await store.redis.set(keys.record('dsb_torn'), 'no record at all');
    await store.redis.set(keys.claim('main', 'token=same'), 'dsb_another');
    const answers = await Promise.allSettled(
      records.map((record) =>
        operations.transition(record, record.id === 'dsb_leased' ? 'mine' : undefined, {
          ...created,
          ...(record.id === 'dsb_same' ? { claims: 'token=same' } : {}),
        }),
      ),
    );
    const told = answers.map((one) => (one.status === 'fulfilled' ? one.value.is : String(one.reason.message)));
    expect(told).toEqual([
      'not yours',
      'not yours',
      expect.stringMatching(/version \(script transition\)$/),
      expect.stringMatching(/rev \(script transition\)$/),
      expect.stringContaining('WRONGTYPE'),
      'none',
      'claimed',
      'applied',
    ]);
    const unreadable = answers.flatMap((one) => (one.status === 'rejected' ? [isUnreadable(one.reason)] : []));
    expect(unreadable).toEqual([true, true, false]);
    expect(await store.redis.zrange(keys.state('disbursement', 'created'), '0', '-1')).toEqual(['dsb_sound']);
    expect(await store.redis.hget(keys.counts('disbursement'), 'created')).toBe('1');
  });

  test('of one record are made one after the other', async () => {
    const operations = operationsOn(store.redis);
    const [record] = await accepted(store.redis, operations, ['dsb_twice']);
    if (!record) throw new Error('it was accepted');
    const { answer, scripts } = await scriptsDuring(store.redis, () =>
      Promise.all([created, created].map((change) => operations.transition(record, undefined, change))),
    );
    expect(scripts).toBe(2);
    expect(answer.map(({ is }) => is)).toEqual(['applied', 'not yours']);
    expect(await store.redis.hget(keys.counts('disbursement'), 'created')).toBe('1');
  });
});

describe('made together, or one after the other', () => {
  let stores: FreshRedis[];
  beforeAll(async () => {
    stores = [await freshRedis(), await freshRedis()];
  });
  afterAll(async () => {
    for (const one of stores) await one.close();
  });

  interface Way {
    readonly operations: Operations;
    readonly all: <T>(runs: readonly (() => Promise<T>)[]) => Promise<unknown>;
  }

  async function oneByOne<T>(runs: readonly (() => Promise<T>)[]): Promise<unknown> {
    const settled: PromiseSettledResult<T>[] = [];
    for (const run of runs) settled.push(...(await Promise.allSettled([run()])));
    return told(settled);
  }

  const told = <T>(settled: readonly PromiseSettledResult<T>[]): unknown =>
    settled.map((one) =>
      one.status === 'fulfilled'
        ? one.value
        : String(one.reason.message).replace(
            /(script: \w+,|user_script:\d+:|\(script \w+\)|on @user_script:\d+\.)/g,
            '',
          ),
    );

  /** What of a change is left to the dice, the same for both. */
  function changeBy(
    roll: Dice,
  ): (to: string) => (record: DisbursementRecord) => [string | undefined, Change<'disbursement'>] {
    const maybe = <T>(value: T, one = 2): T | undefined => (roll(one) === 0 ? value : undefined);
    const [lease, due, keep, forgets] = [roll(4), maybe(roll(9_000)), maybe(5_000, 3), roll(2) === 0];
    // Each has a name to be found by, so that all of them ask in the order in which they were told to.
    const token = `t${roll(1_000_000)}`;
    const transactionId = maybe(`x${roll(12)}`);
    const [isTold, isSaid, sends] = [roll(2) === 0, roll(3), maybe(roll(3))];
    const [unlessHeld, hasEffect, nudgeAfterMs] = [maybe('payments.stopped', 3), roll(3) === 0, maybe(700)];
    return (to) => (record) => {
      const said = { operation: 'status', code: 'ok', httpStatus: 200 };
      const change: Change<'disbursement'> = {
        to: to as Change<'disbursement'>['to'],
        dueInMs: due,
        keepMs: keep,
        event: isTold
          ? { type: `disbursement.${to}`, data: { id: record.id, state: to, reference: record.reference } }
          : undefined,
        evidence: isSaid === 0 ? undefined : isSaid === 1 ? said : [said, { ...said, operation: 'submit', send: 1 }],
        set: {
          tries: 3,
          reason: '',
          token: `${token}-${record.id}`,
          '@tokenAt': 5,
          ...(transactionId ? { transactionId } : {}),
          ...(sends === undefined ? {} : { sends }),
        },
        claims: transactionId && `transactionId=${transactionId}`,
        unlessHeld,
        hasEffect,
        nudgeAfterMs,
        forgetsCallback: forgets,
      };
      return [lease === 0 ? 'nobody’s' : record.fields['lease'], change];
    };
  }

  const IDS = named(30);

  function next(roll: Dice): (way: Way, redis: Redis) => Promise<unknown> {
    const what = roll(10);
    const some = IDS.filter(() => roll(3) > 0);
    if (what === 0)
      return ({ all, operations }) =>
        all(some.map((id) => () => operations.acquire('disbursement', id, 'status-poll', 4_000)));
    if (what === 1) {
      const posted = { redacted: 'posted', agreesWith: roll(2) ? ['succeeded'] : [] };
      const heard = { operation: 'callback', code: 'success' };
      return ({ all, operations }) =>
        all(some.map((id) => () => operations.nudge('disbursement', id, heard, 10, posted)));
    }
    if (what === 2) {
      const [key, field, value] = oneOf(roll, [
        [keys.account('main'), 'held:payments.stopped', '{}'],
        [keys.heartbeat, 'recovering', '1'],
        [keys.counts('disbursement'), 'history:', '1'],
        [keys.counts('disbursement'), 'pending', 'many'],
        [keys.record(oneOf(roll, IDS)), 'rev', 'x'],
        [keys.record(oneOf(roll, IDS)), 'en', 'x'],
      ] as const);
      const isUndone = roll(2) === 0 && !key.startsWith('op:');
      return async (_way, redis) => [
        key,
        field,
        await (isUndone ? redis.hdel(key, field) : redis.hset(key, field, value)),
      ];
    }
    const [which, where, by] = [roll(1_000), roll(1_000), changeBy(roll)];
    return async ({ operations, all }, redis) => {
      const stored = await Promise.all(some.map((id) => redis.hgetall(keys.record(id))));
      const readable = stored.filter(({ rev, en }) => rev !== 'x' && en !== 'x');
      const states = [...new Set(readable.map(({ state = '' }) => state))].toSorted();
      const from = states[which % states.length] ?? 'queued';
      const arrows = [from, ...(stateOf('disbursement', from).to ?? [])];
      const change = by(arrows[where % arrows.length] ?? from);
      const records = readable.filter(({ state }) => state === from).map((one) => readRecord('disbursement', one));
      return ['changed', await all(records.map((record) => () => operations.transition(record, ...change(record))))];
    };
  }

  test.each([1, 2, 3])('comes to the same, whatever stands in the way of some (seed %i)', async (seed) => {
    const [apart, together] = stores;
    if (!apart || !together) throw new Error('two stores');
    for (const { redis } of stores) {
      await redis.flushdb();
      await redis.set(keys.nameKey, 'a key of the test');
      await accepted(redis, operationsOn(redis), IDS);
    }
    const ways = [
      oneByOne,
      async <T>(runs: readonly (() => Promise<T>)[]) => told(await Promise.allSettled(runs.map((run) => run()))),
    ];
    const wayOn = ({ redis }: FreshRedis, all = oneByOne) => ({
      redis,
      way: { operations: operationsOn(redis, seed), all },
    });
    const seen = await expectSameEffect<Way>({
      seed,
      steps: 150,
      one: wayOn(apart, ways[0]),
      other: wayOn(together, ways[1]),
      next,
    });
    const changed = [...seen]
      .filter(([name]) => name.includes('"changed"'))
      .reduce((sum, [, count]) => sum + count, 0);
    expect(changed).toBeGreaterThan(20);
  });
});

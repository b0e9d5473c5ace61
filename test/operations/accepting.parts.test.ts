/** Requests that are asked for in one turn of the event loop: one script for those that are alike, a verdict for each. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import type { AcceptedAt, NewOperation } from '../../src/operations/accepting.ts';
import { Audit, type Act, AuditSeals } from '../../src/operations/audit.ts';
import { keys } from '../../src/operations/keys.ts';
import { dayAt } from '../../src/kinds/limits.ts';
import { Operations } from '../../src/operations/operations.ts';
import { isUnreadable } from '../../src/operations/record.ts';
import { disbursementOf } from '../conformance/under-test.ts';
import { type Dice, expectSameEffect, oneOf } from '../redis/same-effect.ts';
import { type FreshRedis, freshRedis, storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const NOW = 1_800_000_000_000;

const operationsOn = (redis: Redis): Operations => new Operations({ redis, random: seededRandom(1), now: () => NOW });

/** The scripts that Redis was asked for meanwhile, but for the key of the names. */
async function scriptsDuring<T>(run: () => Promise<T>): Promise<{ answer: T; scripts: number }> {
  const { redis } = store;
  const calls: unknown[] = [];
  const evalsha = redis.evalsha.bind(redis) as (...words: unknown[]) => Promise<unknown>;
  Object.assign(redis, { evalsha: (...words: unknown[]) => (calls.push(words[0]), evalsha(...words)) });
  try {
    return { answer: await run(), scripts: calls.length };
  } finally {
    Reflect.deleteProperty(redis, 'evalsha');
  }
}

const act: Act = {
  by: 'payroll',
  person: 'awa',
  role: 'enqueue',
  door: 'api',
  requestId: 'r1',
  act: 'create disbursement',
  target: '',
};

const outcomeOf = (one: PromiseSettledResult<AcceptedAt>): unknown =>
  one.status === 'fulfilled' ? one.value.outcome : String(one.reason.message);

describe('requests of one moment', () => {
  test('that are alike are one script, each with a record, a place, a due time and a line of the audit', async () => {
    const { redis } = store;
    const operations = operationsOn(redis);
    // The key of the names is made once for a connection.
    await operations.accept(disbursementOf('dsb_first', { act }));
    const asked = Array.from({ length: 20 }, (_, n) => disbursementOf(`dsb_${n}`, { act, reference: `r-${n}` }));
    const { answer, scripts } = await scriptsDuring(() => Promise.all(asked.map((one) => operations.accept(one))));
    expect(scripts).toBe(1);
    expect(new Set(answer.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
    const records = await Promise.all(asked.map(({ id }) => redis.hgetall(keys.record(id))));
    expect(records.map(({ id, reference, disburseId }) => [id, reference, disburseId])).toEqual(
      asked.map(({ id, reference }) => [id, reference, `d-${id}`]),
    );
    expect(await redis.zcard(keys.due('disbursement'))).toBe(21);
    expect(await redis.zcard(keys.state('disbursement', 'queued'))).toBe(21);
    expect(await redis.hget(keys.counts('disbursement'), 'xof:queued')).toBe('10500');
    expect(await redis.hget(keys.book, 'disbursement|main|wave-senegal|acceptedXof')).toBe('10500');
    const lines = await redis.xrange(keys.audit, '-', '+');
    expect(lines.map(([, words]) => words[words.indexOf('target') + 1])).toEqual([
      'dsb_first',
      ...asked.map(({ id }) => id),
    ]);
    const seals = new AuditSeals(redis, new Audit(redis), []);
    expect((await seals.verify(NOW)).fault).toBeUndefined();
  });

  test('are told apart as if each had come after the others: retries, and other requests under one name', async () => {
    const operations = operationsOn(store.redis);
    const named = (id: string, reference: string, more: Partial<NewOperation<'disbursement'>> = {}) =>
      disbursementOf(id, { reference, idOfReference: `dsb_of_${reference}`, ...more });
    const { answer, scripts } = await scriptsDuring(() =>
      Promise.allSettled(
        [
          disbursementOf('dsb_a'),
          disbursementOf('dsb_a'),
          disbursementOf('dsb_a', { fingerprint: 'another' }),
          named('dsb_b', 'salary'),
          named('dsb_c', 'salary'),
          named('dsb_of_salary', 'salary', { fingerprint: 'of the reference itself' }),
          named('dsb_of_rent', 'rent'),
          named('dsb_d', 'rent'),
        ].map((one) => operations.accept(one)),
      ),
    );
    expect(answer.map(outcomeOf)).toEqual([
      'accepted',
      'duplicate',
      'conflict',
      'accepted',
      'conflict',
      'conflict',
      'accepted',
      'conflict',
    ]);
    expect(await store.redis.hget(keys.counts('disbursement'), 'queued')).toBe('3');
    expect(scripts).toBeLessThan(1 + 8);
  });

  test('together pass no limit that they would not pass one by one', async () => {
    const { redis } = store;
    const operations = operationsOn(redis);
    await redis.hset(keys.limits, { MAX_PER_DAY: 1_600, MAX_PER_BENEFICIARY_DAY: 1_000 });
    const to = (id: string, beneficiary: string) => disbursementOf(id, { beneficiary });
    const asked = ['awa', 'awa', 'awa', 'koffi', 'koffi'].map((beneficiary, n) => to(`dsb_${n}`, beneficiary));
    const answers = await Promise.all(asked.map((one) => operations.accept(one)));
    expect(answers.map((one) => (one.outcome === 'limited' ? one.limit : one.outcome))).toEqual([
      'accepted',
      'accepted',
      'MAX_PER_BENEFICIARY_DAY',
      'accepted',
      'MAX_PER_DAY',
    ]);
    expect(await redis.hget(keys.acceptedOn('main', dayAt(NOW).day), 'all')).toBe('1500');
  });

  test('of which one pays the same again are one payment and one refusal', async () => {
    await store.redis.hset(keys.limits, { DUPLICATE_WINDOW: 60_000 });
    const operations = operationsOn(store.redis);
    const asked = [{}, {}, { meantAgain: true }].map((more, n) =>
      disbursementOf(`dsb_${n}`, { beneficiary: 'awa', ...more }),
    );
    const answers = await Promise.all(asked.map((one) => operations.accept(one)));
    expect(answers).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'limited', detail: 'dsb_0' },
      { outcome: 'accepted' },
    ]);
  });

  test('of which one cannot be judged are accepted all the same', async () => {
    const { redis } = store;
    const operations = operationsOn(redis);
    await redis.hset(keys.limits, { MAX_PER_BENEFICIARY_DAY: 10_000 });
    const spent = keys.acceptedOn('main', dayAt(NOW).day);
    await operations.accept(disbursementOf('dsb_before', { beneficiary: 'damaged' }));
    const [damaged = ''] = (await redis.hkeys(spent)).filter((name) => name !== 'all');
    await redis.hset(spent, damaged, 'much');
    await redis.set(keys.record('dsb_torn'), 'no record at all');
    await redis.hset(keys.record('dsb_half'), { id: 'dsb_half', fp: 'fp', account: 'main' });
    const asked = [
      disbursementOf('dsb_1', { beneficiary: 'awa' }),
      disbursementOf('dsb_2', { beneficiary: 'damaged' }),
      disbursementOf('dsb_torn', { beneficiary: 'awa' }),
      disbursementOf('dsb_half', { beneficiary: 'awa', fingerprint: 'fp' }),
      disbursementOf('dsb_3', { beneficiary: 'awa' }),
    ];
    const answers = await Promise.allSettled(asked.map((one) => operations.accept(one)));
    expect(answers.map(outcomeOf)).toEqual([
      'accepted',
      expect.stringMatching(/UNREADABLE the sum of the day \(script accept\)$/),
      expect.stringContaining('WRONGTYPE'),
      expect.stringMatching(/UNREADABLE state \(script accept\)$/),
      'accepted',
    ]);
    expect(answers.flatMap((one) => (one.status === 'rejected' ? [isUnreadable(one.reason)] : []))).toEqual([
      true,
      false,
      true,
    ]);
    expect(await redis.hget(spent, damaged)).toBe('much');
  });

  test('more than fit into one script are shared out, and so are those that are not alike', async () => {
    const operations = operationsOn(store.redis);
    await operations.accept(disbursementOf('dsb_first'));
    const asked = Array.from({ length: 120 }, (_, n) =>
      disbursementOf(`dsb_${n}`, { account: n % 2 === 0 ? 'main' : 'other' }),
    );
    const { scripts } = await scriptsDuring(() => Promise.all(asked.map((one) => operations.accept(one))));
    expect(scripts).toBe(4);
    expect(await store.redis.hget(keys.counts('disbursement'), 'queued')).toBe('121');
  });
});

describe('asked for together, or one after the other', () => {
  let stores: FreshRedis[];
  beforeAll(async () => {
    stores = [await freshRedis(), await freshRedis()];
  });
  afterAll(async () => {
    for (const one of stores) await one.close();
  });

  interface Way {
    readonly operations: Pick<Operations, 'accept'>;
    readonly all: <T>(runs: readonly (() => Promise<T>)[]) => Promise<PromiseSettledResult<T>[]>;
  }

  async function oneByOne<T>(runs: readonly (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
    const settled: PromiseSettledResult<T>[] = [];
    for (const run of runs) settled.push(...(await Promise.allSettled([run()])));
    return settled;
  }

  const told = (settled: readonly PromiseSettledResult<unknown>[]): unknown =>
    settled.map((one) =>
      one.status === 'fulfilled'
        ? one.value
        : String(one.reason.message).replace(/(ERR |script: \w+,|user_script:\d+:|on @user_script:\d+\.)/g, ''),
    );

  function operationBy(roll: Dice, account: string): NewOperation<'disbursement'> {
    const maybe = <T>(value: T, one = 2): T | undefined => (roll(one) === 0 ? value : undefined);
    const [name, key] = [`n${roll(25)}`, maybe(`k${roll(25)}`, 3)];
    const reference = maybe(name) ?? (key === undefined ? name : undefined);
    const [amount, to, again] = [100 * (1 + roll(12)), `payee ${roll(4)}`, roll(4) === 0];
    const notBefore = maybe(NOW + roll(9_000), 3);
    const approval = maybe(oneOf(roll, ['given', 'impossible'] as const), 3);
    const withdrawMode = oneOf(roll, ['wave-senegal', 'wallet-a-benin']);
    const more = disbursementOf(key ?? `of-${reference}`, {
      fingerprint: `print-of-${amount}-${roll(2)}`,
      xof: amount,
      account,
      beneficiary: to,
      meantAgain: again,
      // A name to be found by, so that all of them ask in the order in which they were told to.
      fields: { amount, accountAlias: to, withdrawMode, disburseId: `d${roll(1_000)}`, by: `key ${roll(2)}` },
    });
    return {
      ...more,
      ...(notBefore === undefined ? {} : { notBefore }),
      ...(approval === undefined ? {} : { approval }),
      ...(reference === undefined ? {} : { reference, idOfReference: `of-${reference}` }),
      phone: maybe(`SN +2217700000${roll(9)}`, 3),
      act: maybe({
        ...act,
        requestId: `r${roll(3)}`,
        sign: (words: readonly string[]) => `m${words.join('').length}`,
      }),
    };
  }

  const LIMITS = ['MAX_DISBURSEMENT', 'MAX_PER_DAY', 'MAX_PER_BENEFICIARY_DAY', 'APPROVAL_ABOVE', 'DUPLICATE_WINDOW'];

  function next(roll: Dice): (way: Way, redis: Redis) => Promise<unknown> {
    const dies = roll(12);
    if (dies === 0) {
      const [limit, value] = [oneOf(roll, LIMITS), oneOf(roll, ['off', '500', '900', '6000', '40000', 'many'])];
      // A window is none that may be over before the last step.
      const isShort = limit === 'DUPLICATE_WINDOW' && Number(value) > 0;
      return (_way, redis) => redis.hset(keys.limits, limit, isShort ? '600000' : value);
    }
    if (dies === 1) {
      const [field, value] = [oneOf(roll, ['all', 'all', 'x']), oneOf(roll, ['0', '12', 'damaged'])];
      return (_way, redis) => redis.hset(keys.acceptedOn('main', dayAt(NOW).day), field, value);
    }
    if (dies === 2) {
      return (_way, redis) => redis.del(keys.limits, keys.acceptedOn('main', dayAt(NOW).day));
    }
    if (dies === 3) {
      const id = `of-n${roll(25)}`;
      return (_way, redis) => redis.del(keys.record(id));
    }
    if (dies === 4) {
      const recovering = roll(3) === 0;
      return (_way, redis) =>
        recovering ? redis.hset(keys.heartbeat, 'recovering', 'why') : redis.hdel(keys.heartbeat, 'recovering');
    }
    // Alike: those of several accounts have their lines in the audit in another order.
    const account = oneOf(roll, ['main', 'main', 'other']);
    const asked = Array.from({ length: 1 + roll(9) }, () => operationBy(roll, account));
    return async ({ operations, all }) => told(await all(asked.map((one) => () => operations.accept(one))));
  }

  test.each([1, 2])('comes to the same, seed %i', async (seed) => {
    const [one, other] = stores;
    if (!one || !other) throw new Error('there are two');
    for (const { redis } of stores) {
      await redis.flushdb();
      // So that both have the same key of the names.
      await redis.set(keys.nameKey, '0123456789abcdef0123456789abcdef');
    }
    const seen = await expectSameEffect<Way>({
      seed,
      steps: 80,
      one: { redis: one.redis, way: { operations: operationsOn(one.redis), all: oneByOne } },
      other: {
        redis: other.redis,
        way: { operations: operationsOn(other.redis), all: (runs) => Promise.allSettled(runs.map((run) => run())) },
      },
      // Places in a stream are by the clock of Redis.
      blur: /\d{13}-\d+/g,
      next,
    });
    expect(seen.size).toBeGreaterThan(3);
  });
});

/** Leases that are asked for in one turn of the event loop: one script, and an answer for each. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { isUnreadable } from '../../src/operations/record.ts';
import { disbursementOf } from '../conformance/under-test.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { scriptsDuring } from '../support/scripts-during.ts';

const store = storeOfThisFile();
const LEASE_MS = 10_000;

function operationsOf(seed = 1) {
  return new Operations({ redis: store.redis, random: seededRandom(seed), standingsOf: ['main'] });
}

async function accepted(operations: Operations, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `dsb_${n}`);
  for (const id of ids)
    await operations.accept(disbursementOf(id, { fields: { ...disbursementOf(id).fields, kind: 'disbursement' } }));
  return ids;
}

const acquire = (operations: Operations, id: string) =>
  operations.acquire('disbursement', id, 'disbursement', LEASE_MS);

test('attempts that begin together take their leases in one script, each its own', async () => {
  const operations = operationsOf();
  const ids = await accepted(operations, 20);
  const { answer, scripts } = await scriptsDuring(store.redis, () =>
    Promise.all(ids.map((id) => acquire(operations, id))),
  );
  expect(scripts).toBe(1);
  const leases = answer.map((one) => (one.is === 'acquired' ? one.lease : one.is));
  expect(new Set(leases).size).toBe(20);
  expect(await Promise.all(ids.map((id) => store.redis.hget(keys.record(id), 'lease')))).toEqual(leases);
  const ends = await Promise.all(ids.map((id) => store.redis.hget(keys.record(id), 'until')));
  expect(await Promise.all(ids.map((id) => store.redis.zscore(keys.due('disbursement'), id)))).toEqual(ends);
});

test('more than fit into one script are shared out among several', async () => {
  const operations = operationsOf();
  const ids = await accepted(operations, 120);
  const { answer, scripts } = await scriptsDuring(store.redis, () =>
    Promise.all(ids.map((id) => acquire(operations, id))),
  );
  expect(answer.every(({ is }) => is === 'acquired')).toBe(true);
  expect(scripts).toBe(3);
});

test('what stands in the way of one stands in the way of none of the others', async () => {
  const operations = operationsOf();
  const [held = '', over = '', newer = '', sound = ''] = await accepted(operations, 4);
  await acquire(operationsOf(2), held);
  await store.redis.hset(keys.record(over), 'state', 'rejected');
  await store.redis.hset(keys.record(newer), 'v', '99');
  const answers = await Promise.all([held, over, newer, 'dsb_gone', sound].map((id) => acquire(operations, id)));
  expect(answers.map(({ is }) => is)).toEqual(['leased', 'final', 'other version', 'none', 'acquired']);
});

test('one that cannot be read fails alone, in the words of the script', async () => {
  const operations = operationsOf();
  const [damaged = '', another = '', sound = ''] = await accepted(operations, 3);
  await store.redis.hset(keys.record(damaged), { lease: 'of somebody', until: 'tomorrow' });
  await store.redis.del(keys.record(another));
  await store.redis.set(keys.record(another), 'no record at all');
  const [first, second, third] = await Promise.allSettled(
    [damaged, another, sound].map((id) => acquire(operations, id)),
  );
  expect(first).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/until .*acquire/) } });
  expect(first?.status === 'rejected' && isUnreadable(first.reason)).toBe(true);
  expect(second).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('WRONGTYPE') } });
  expect(third).toMatchObject({ status: 'fulfilled', value: { is: 'acquired' } });
});

test('the same one asked for twice is given once', async () => {
  const operations = operationsOf();
  const [id = ''] = await accepted(operations, 1);
  const answers = await Promise.all([acquire(operations, id), acquire(operations, id)]);
  expect(answers.map(({ is }) => is)).toEqual(['acquired', 'leased']);
});

test('what stands in the way of the account is told to each', async () => {
  const operations = operationsOf();
  const ids = await accepted(operations, 3);
  await store.redis.hset(keys.account('main'), 'held:payments.funds', 1);
  const answers = await Promise.all(ids.map((id) => acquire(operations, id)));
  const holds = answers.map((one) => (one.is === 'acquired' ? one.standing?.holds.map(({ reason }) => reason) : []));
  expect(holds).toEqual([['funds'], ['funds'], ['funds']]);
});

/** A name that a record has already is in the index, or was taken out of it: it is not written once more. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { disbursementOf } from '../conformance/under-test.ts';
import { keysLike, storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();

test('what upstream says again of an operation is not named again, and what it says anew is', async () => {
  const operations = new Operations({ redis: store.redis, random: seededRandom(1) });
  await operations.accept(disbursementOf('dsb_1'));
  const held = async () => {
    const acquired = await operations.acquire('disbursement', 'dsb_1', 'disbursement', 10_000);
    if (acquired.is !== 'acquired') throw new Error(acquired.is);
    return acquired;
  };
  const first = await held();
  await operations.transition(first.record, first.lease, { to: 'created', set: { token: 'one' } });
  const buckets = await keysLike(store.redis, keys.names('*'));
  await store.redis.del(...buckets);

  const second = await held();
  await operations.transition(second.record, second.lease, { to: 'created', set: { token: 'one' } });
  expect(await keysLike(store.redis, keys.names('*'))).toEqual([]);
  const third = await held();
  await operations.transition(third.record, third.lease, { to: 'created', set: { token: 'two' } });
  expect(await keysLike(store.redis, keys.names('*'))).toHaveLength(1);
});

/** Callbacks that come in one turn of the event loop: one script, and an answer for each. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { disbursementOf } from '../conformance/under-test.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { scriptsDuring } from '../support/scripts-during.ts';

const store = storeOfThisFile();
const HEARD = { operation: 'callback', code: 'success' } as const;
const posted = (id: string) => ({ redacted: `posted of ${id}`, agreesWith: ['succeeded'] });

/** Accepted and asked about: a look is due in an hour. */
async function pending(count: number): Promise<{ operations: Operations; ids: string[] }> {
  const operations = new Operations({ redis: store.redis, random: seededRandom(1) });
  const ids = Array.from({ length: count }, (_, n) => `dsb_${n}`);
  for (const id of ids) {
    await operations.accept(disbursementOf(id));
    await store.redis.hset(keys.record(id), 'state', 'pending');
    await store.redis.zadd(keys.due('status-poll'), Date.now() + 3_600_000, id);
  }
  return { operations, ids };
}

const nudge = (operations: Operations, id: string, kind: 'disbursement' | 'invoice' = 'disbursement') =>
  operations.nudge(kind, id, HEARD, 5_000, posted(id));

test('those that come together are noted in one script, each for itself', async () => {
  const { operations, ids } = await pending(20);
  const { answer, scripts } = await scriptsDuring(store.redis, () =>
    Promise.all(ids.map((id) => nudge(operations, id))),
  );
  expect(scripts).toBe(1);
  expect(answer.map(({ is }) => is)).toEqual(ids.map(() => 'look'));
  for (const [at, id] of ids.entries()) {
    expect(await store.redis.get(keys.callback(id))).toBe(`posted of ${id}`);
    expect(await store.redis.hgetall(keys.record(id))).toMatchObject(answer[at]?.written ?? { none: 'was written' });
  }
});

test('more than fit into one script are shared out, and so are those of another kind', async () => {
  const { operations, ids } = await pending(60);
  const { scripts } = await scriptsDuring(store.redis, () =>
    Promise.all([...ids.map((id) => nudge(operations, id)), nudge(operations, 'inv_gone', 'invoice')]),
  );
  expect(scripts).toBe(3);
});

test('the same one twice is looked at once, and both are kept as evidence', async () => {
  const { operations } = await pending(1);
  const answers = await Promise.all(['dsb_0', 'dsb_0'].map((id) => nudge(operations, id)));
  expect(answers.map(({ is }) => is)).toEqual(['look', 'noted']);
  expect(await store.redis.hget(keys.record('dsb_0'), 'en')).toBe('2');
});

test('what cannot be noted stops none of the others', async () => {
  const { operations } = await pending(4);
  await store.redis.hset(keys.record('dsb_1'), 'v', '99');
  await store.redis.del(keys.record('dsb_2'));
  await store.redis.set(keys.record('dsb_2'), 'no hash');
  const asked = ['dsb_0', 'dsb_1', 'dsb_2', 'dsb_gone', 'dsb_3'].map((id) => nudge(operations, id));
  const told = (await Promise.allSettled(asked)).map((one) =>
    one.status === 'fulfilled' ? one.value.is : String(one.reason),
  );
  expect(told).toEqual(['look', 'noted', expect.stringMatching(/WRONGTYPE.*\(script nudge\)$/), 'none', 'look']);
});

/** A Redis that was put back: what upstream answers without a name says nothing of whose it is. */
import { expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { Restored } from '../../src/operations/restored.ts';
import { restoreAll } from '../../src/processors/recovery/desk.ts';
import { processorWorld, ok } from '../support/processor-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const HOUR = 3_600_000;

test.for([
  ['gives the payment no transaction', {}, undefined],
  ['that names it gives it its transaction', { token: 't1', disburseId: 'd1' }, 'TX-9'],
] as const)('an answer %s', async ([, names, transactionId]) => {
  const { operations, queries, answer, context } = processorWorld(store.redis, {
    policy: { pollMs: [1_000] },
  });
  const fields = { amount: 5_000, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: 'd1' };
  const of = { kind: 'disbursement', id: 'dsb_1', account: 'main', state: 'submitting', fingerprint: 'f' } as const;
  await operations.accept({ ...of, xof: 5_000, dueInMs: 0, fields: { ...fields, token: 't1' } });
  answer('disbursementStatus', ok({ status: 'pending', transactionId: 'TX-9', ...names }));
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  const at = context.clock.now();
  const turn = { lost: { since: 1, from: at - HOUR, at }, untilMono: context.clock.monotonic() + HOUR };
  expect(await restoreAll({ restored: new Restored(store.redis), context }, turn)).toBe(true);
  expect(await queries.read('disbursement', 'dsb_1')).toMatchObject({ state: 'pending' });
  expect((await queries.read('disbursement', 'dsb_1'))?.transactionId).toBe(transactionId);
});

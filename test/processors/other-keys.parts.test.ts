/** An operation accepted for one set of keys never begins with another, unless that replaced it. */
import { expect, test } from 'vitest';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { openBench } from '../support/benches.ts';

const bench = openBench();

async function acceptedFor(keys: string | undefined) {
  const world = bench.world({});
  const own = {
    amount: 500,
    accountAlias: '771234567',
    withdrawMode: 'wallet-a-senegal',
    disburseId: 'd-1',
    by: 'us',
  };
  await world.operations.accept({
    kind: 'disbursement',
    state: 'queued',
    id: 'op_1',
    account: 'main',
    fingerprint: 'fp',
    fields: { ...own, ...(keys ? { acceptedFor: keys } : {}) },
  });
  const account = world.context.account('main');
  if (account === undefined) throw new Error('the bench has no account');
  return {
    calls: () => world.calls.length,
    begin: (before?: readonly string[]) =>
      payDisbursement('op_1', { ...world.context, account: () => ({ ...account, before: new Set(before) }) }),
  };
}

test('processes with other keys skip it, and replacement keys continue it', async () => {
  const world = await acceptedFor('keys-0');
  expect(await world.begin()).toEqual({ outcome: 'waits', reason: 'accepted_for_other_keys' });
  expect(await world.begin(['keys-9'])).toEqual({ outcome: 'waits', reason: 'accepted_for_other_keys' });
  expect(world.calls()).toBe(0);
  expect(await world.begin(['keys-9', 'keys-0'])).toMatchObject({ outcome: 'retries' });
  expect(world.calls()).toBeGreaterThan(0);
});

test.for([['keys-1'], [undefined]])('accepted for %s, it is begun with keys-1', async ([keys]) => {
  const world = await acceptedFor(keys);
  expect(await world.begin()).toMatchObject({ outcome: 'retries' });
  expect(world.calls()).toBeGreaterThan(0);
});

/** Disbursements whose creation gets an undocumented answer. */
import { describe, expect, test } from 'vitest';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { not, ok } from '../support/processor-world.ts';
import { openBench } from '../support/benches.ts';

const bench = openBench();
const strange = not('refused', 'unlisted_code');
const aTime = expect.any(Number) as number;
const HELD = [{ account: 'main', area: 'payments', reason: 'not_understood', since: aTime, probedAt: aTime }];

/** Each disbursement has one of its own. */
const tokens = (count: number) => Array.from({ length: count }, (_, at) => ok({ token: `tok-${at + 1}` }));

async function queue(count: number) {
  const world = bench.world({ policy: { quietMs: 60_000, pollMs: [900_000], resubmit: true } });
  const ids = Array.from({ length: count }, (_, index) => `dsb_${index + 1}`);
  for (const id of ids) {
    await world.operations.accept({
      kind: 'disbursement',
      state: 'queued',
      id,
      account: 'main',
      fingerprint: 'fp',
      xof: 100,
      dueInMs: 0,
      fields: { amount: 100, accountAlias: '77', withdrawMode: 'wallet-a-senegal', disburseId: id },
    });
  }
  const advance = (id = 'dsb_1') => payDisbursement(id, world.context);
  const states = async () =>
    Promise.all(ids.map(async (id) => (await world.queries.read('disbursement', id))?.state));
  const holds = () => world.context.accounts.holdsOf('main');
  world.answer('submitDisbursement', ok({ status: 'pending' }));
  return { ...world, ids, run: advance, states, holds };
}

describe('an unreadable provider', () => {
  test.for(['unlisted_code', 'rejected'])('holds the account after three, and ends nothing (%s)', async (code) => {
    const world = await queue(5);
    world.answer('createDisbursement', not('refused', code));
    for (const id of world.ids) await world.run(id);
    expect(world.calls).toHaveLength(3);
    expect([await world.holds(), await world.states()]).toEqual([
      HELD,
      ['queued', 'queued', 'held', 'queued', 'queued'],
    ]);
    const types = (await world.events()).map(({ type }) => type);
    expect(types).toEqual(['account.held', 'disbursement.held']);
  });

  test('is tried by one per interval, however often, and is not reported again', async () => {
    const world = await queue(5);
    world.answer('createDisbursement', strange);
    for (let round = 0; round < 8; round += 1) {
      for (const id of world.ids) await world.run(id);
      await world.mayTry('payments.not_understood');
    }
    expect(world.calls).toHaveLength(3 + 7);
    expect(await world.holds()).toEqual(HELD);
    expect(await world.states()).not.toContain('rejected');
  });

  test('is asked by all again when one of them gets its token', async () => {
    const world = await queue(4);
    world.answer('createDisbursement', strange, strange, strange, ...tokens(9));
    for (const id of world.ids) await world.run(id);
    await world.mayTry('payments.not_understood');
    for (const id of world.ids) await world.run(id);
    expect([await world.holds(), await world.states()]).toEqual([[], ['pending', 'pending', 'pending', 'pending']]);
  });

  test('is tried by all again after an operator’s release', async () => {
    const world = await queue(4);
    world.answer('createDisbursement', strange, strange, strange, ...tokens(9));
    for (const id of world.ids) await world.run(id);
    await world.context.accounts.release('main', 'payments', 'not_understood');
    for (const id of world.ids) await world.run(id);
    expect(await world.states()).toEqual(['pending', 'pending', 'pending', 'pending']);
  });
});

describe('a disbursement that alone is answered so', () => {
  test('is refused when it has been answered so three times', async () => {
    const world = await queue(1);
    world.answer('createDisbursement', strange);
    expect(await world.run()).toEqual({ outcome: 'retries', reason: 'unlisted_code' });
    expect(await world.run()).toEqual({ outcome: 'retries', reason: 'unlisted_code' });
    expect(await world.run()).toEqual({ outcome: 'ended', reason: 'unlisted_code' });
    expect([await world.states(), await world.holds()]).toEqual([['rejected'], []]);
  });

  test('holds no others, for any number, if the others are readable', async () => {
    const world = await queue(12);
    for (const [index, id] of world.ids.entries()) {
      world.answer('createDisbursement', index % 3 === 2 ? ok({ token: `tok-${index}` }) : strange);
      await world.run(id);
    }
    expect(await world.holds()).toEqual([]);
  });

  test('a refusal that the interface has is final at once', async () => {
    const world = await queue(1);
    world.answer('createDisbursement', not('refused', '1001'));
    expect(await world.run()).toEqual({ outcome: 'ended', reason: '1001' });
  });
});

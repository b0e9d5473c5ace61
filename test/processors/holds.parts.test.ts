import { momentOf } from '../../src/lib/clock.ts';
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../src/processors/context.ts';
import { NO_EVIDENCE } from '../../src/operations/record.ts';
import { readEvidence } from '../../src/operations/transition.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { lookAtDisbursement } from '../../src/processors/disbursement/look.ts';
import { LEASE_MS, not, ok } from '../support/processor-world.ts';
import { openBench } from '../support/benches.ts';

const bench = openBench();

/** A disbursement that nothing has been tried for. */
async function queued(policy: Partial<Policy> = {}, more: Readonly<Record<string, number>> = {}) {
  const usual = { quietMs: 60_000, pollMs: [900_000], resubmit: true };
  const world = bench.world({ policy: { ...usual, ...policy } });
  await world.operations.accept({
    kind: 'disbursement',
    state: 'queued',
    id: 'dsb_1',
    account: 'main',
    fingerprint: 'fp',
    xof: 100,
    dueInMs: 0,
    fields: { amount: 100, accountAlias: '77', withdrawMode: 'wallet-a-senegal', disburseId: 'dsb_1' },
  });
  if (Object.keys(more).length > 0) await world.alter('dsb_1', more);
  return world;
}

test('a token is asked for with half of the lease to leave in, and so is the submit', async () => {
  const world = await queued();
  const sendBy = { since: momentOf(world.context.clock), ms: LEASE_MS / 2 };
  world.answer('createDisbursement', ok({ token: 'tok' }));
  world.answer('submitDisbursement', ok({ status: 'pending' }));
  await payDisbursement('dsb_1', world.context);
  expect(world.calls).toMatchObject([{ sendBy }, { sendBy }]);
});

test('a token is written down in the same step as the intent to use it', async () => {
  const world = await queued();
  world.answer('createDisbursement', ok({ token: 'tok' }));
  world.answer('submitDisbursement', not('unknown', 'timeout', 'maybe'));
  await payDisbursement('dsb_1', world.context);
  const record = await world.queries.read('disbursement', 'dsb_1');
  // Accepted, intended, settled.
  expect(record).toMatchObject({ rev: 3, state: 'unknown', token: 'tok', sends: 1 });
  const { lines } = readEvidence({ evidence: record?.evidence ?? NO_EVIDENCE });
  expect(lines.map(({ operation, code }) => `${operation} ${code}`)).toEqual([
    'create ok',
    'submit intended',
    'submit timeout',
  ]);
});

test('a token stays if an operator stops the account before the intent is written', async () => {
  const world = await queued();
  world.answer('createDisbursement', ok({ token: 'tok' }));
  let admitted = 0;
  Object.assign(world.context.upstream, {
    admit: async () => {
      admitted += 1;
      if (admitted === 2) await world.context.accounts.hold('main', 'payments', 'stopped');
      return { admitted: true };
    },
  });
  expect(await payDisbursement('dsb_1', world.context)).toEqual({ outcome: 'waits', reason: 'account_stopped' });
  const record = await world.queries.read('disbursement', 'dsb_1');
  expect(record).toMatchObject({ state: 'created', token: 'tok', sends: 0 });
  expect(world.calls.map(({ name }) => name)).toEqual(['createDisbursement']);
});

describe('a disbursement that had its token before the account was held', () => {
  async function created() {
    const world = await queued({ pollMs: [2_000] });
    const { context } = world;
    world.answer('createDisbursement', ok({ token: 'tok' }));
    world.noTurnAt(2);
    await payDisbursement('dsb_1', context);
    expect((await world.queries.read('disbursement', 'dsb_1'))?.state).toBe('created');
    await world.context.accounts.hold('main', 'payments', 'maintenance');
    await world.mayTry('payments.maintenance');
    return { ...world, run: () => payDisbursement('dsb_1', context) };
  }

  test('ends the hold when its submit is taken', async () => {
    const world = await created();
    world.answer('submitDisbursement', ok({ status: 'pending' }));
    expect(await world.run()).toEqual({ outcome: 'advanced', reason: 'submitted' });
    expect(await world.context.accounts.holdsOf('main')).toEqual([]);
  });

  test('leaves it unchanged if the result of the submit is unknown', async () => {
    const world = await created();
    world.answer('submitDisbursement', not('unknown', 'timeout', 'maybe'));
    expect(await world.run()).toEqual({ outcome: 'unknown', reason: 'timeout' });
    expect(await world.context.accounts.holdsOf('main')).toHaveLength(1);
  });
});

describe('a disbursement whose service cannot be reached', () => {
  async function dueAfter(code: string, tries: number): Promise<number> {
    const world = await queued({}, { tries });
    world.answer('createDisbursement', not('transient', code, 'never'));
    expect(await payDisbursement('dsb_1', world.context)).toEqual({ outcome: 'retries', reason: code });
    const due = await world.dueAt('disbursement', 'dsb_1');
    return Number(due) - ((await world.queries.read('disbursement', 'dsb_1'))?.updatedAt ?? 0);
  }

  test('waits no longer than a hold for the next try, however often it has tried', async () => {
    expect(await dueAfter('unreachable', 7)).toBe(30_000);
  });

  test('waits for minutes if the provider was reached, and failed', async () => {
    expect(await dueAfter('server_error', 7)).toBe(900_000);
  });

  test('is asked for again at once the first time', async () => {
    expect(await dueAfter('unreachable', 0)).toBe(1_000);
  });

  test('retains the time of its send through a night without the provider and three days of checks', async () => {
    const world = await queued();
    const evidence = async () =>
      readEvidence({ evidence: (await world.queries.read('disbursement', 'dsb_1'))?.evidence ?? NO_EVIDENCE });
    const advance = async (times: number, ms: number, one: typeof payDisbursement): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await one('dsb_1', world.context);
        world.advance(ms);
      }
    };
    world.answer('createDisbursement', not('transient', 'unreachable', 'never'));
    await advance(30, 30_000, payDisbursement);
    const { lines, dropped } = await evidence();
    expect([lines.length, dropped], 'the same again is not written down again').toEqual([5, 0]);

    world.answer('createDisbursement', not('transient', 'cut'));
    await advance(20, 900_000, payDisbursement);
    const sentAt = Date.UTC(2026, 0, 1) + 30 * 30_000 + 20 * 900_000;
    world.answer('createDisbursement', ok({ token: 'tok' }));
    world.answer('submitDisbursement', not('unknown', 'no_answer', 'maybe'));
    await advance(1, 900_000, payDisbursement);
    world.answer('disbursementStatus', ok({ status: 'pending' }));
    await advance(100, 900_000, lookAtDisbursement);
    expect((await evidence()).lines).toContainEqual({
      at: sentAt,
      operation: 'submit',
      code: 'intended',
      detail: 'send 1',
    });
  });
});

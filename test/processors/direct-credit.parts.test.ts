import { momentOf } from '../../src/lib/clock.ts';
import { describe, expect, test } from 'vitest';
import { advanceDirectCredit } from '../../src/processors/disbursement/direct-credit.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { TRANSACTION_COLLISION } from '../../src/processors/intent.ts';
import { NO_EVIDENCE } from '../../src/operations/record.ts';
import { readEvidence } from '../../src/operations/transition.ts';
import type { Verdict } from '../../src/provider/verdict.ts';
import { LEASE_MS, not, ok } from '../support/processor-world.ts';
import { openBench } from '../support/benches.ts';

const bench = openBench();

async function accepted(changes: Partial<ProcessorContext> = {}) {
  const world = bench.world(changes);
  for (const id of ['dcr_1', 'dcr_2']) {
    await world.operations.accept({
      kind: 'direct_credit',
      id,
      account: 'main',
      state: 'queued',
      fingerprint: 'fp',
      xof: 10_000,
      dueInMs: 0,
      fields: { amount: 10_000, accountAlias: '771234567' },
    });
  }
  const state = async () => (await world.queries.read('direct_credit', 'dcr_1'))?.state;
  return { ...world, run: () => advanceDirectCredit('dcr_1', world.context), state };
}

const credited = ok({ transactionId: 'tx-1' });

test('it is sent once, with half of the lease to leave in', async () => {
  const world = await accepted();
  world.answer('directCredit', credited);
  expect(await world.run()).toEqual({ outcome: 'ended', reason: 'succeeded' });
  expect(world.calls).toEqual([
    {
      name: 'directCredit',
      request: { accountAlias: '771234567', amount: 10_000 },
      sendBy: { since: momentOf(world.context.clock), ms: LEASE_MS / 2 },
    },
  ]);
  expect(await world.run()).toEqual({ outcome: 'idle', reason: 'final' });
});

describe('an attempt that finds `sending`', () => {
  const interrupted = async () => {
    const world = await accepted();
    const dies = (): never => {
      throw new Error('killed');
    };
    const killed = { ...world.context, upstream: { ...world.context.upstream, payments: { directCredit: dies } } };
    await expect(advanceDirectCredit('dcr_1', killed as unknown as ProcessorContext)).rejects.toThrow('killed');
    expect(await world.state()).toBe('sending');
    return world;
  };

  test('waits while the one before it may still be sending', async () => {
    const world = await interrupted();
    expect(await world.run()).toEqual({ outcome: 'idle', reason: 'leased' });
  });

  test('requests a review, and sends nothing', async () => {
    const world = await interrupted();
    world.advance(LEASE_MS + 1);
    world.answer('directCredit', credited);
    expect(await world.run()).toEqual({ outcome: 'needs_review', reason: 'interrupted' });
    expect(world.calls).toEqual([]);
    expect(await world.events()).toMatchObject([{ type: 'direct_credit.needs_review' }]);
  });
});

describe('nothing is sent', () => {
  test('while an operator has stopped the account', async () => {
    const world = await accepted();
    await world.context.accounts.hold('main', 'payments', 'stopped');
    expect(await world.run()).toEqual({ outcome: 'waits', reason: 'account_stopped' });
    expect(world.calls).toEqual([]);
  });

  test('when an operator stops the account after the check', async () => {
    const world = await accepted();
    world.answer('directCredit', credited);
    Object.assign(world.context.upstream, {
      admit: async () => {
        await world.context.accounts.hold('main', 'payments', 'stopped');
        return { admitted: true };
      },
    });
    expect(await world.run()).toEqual({ outcome: 'waits', reason: 'account_stopped' });
    expect([world.calls, await world.state()]).toEqual([[], 'queued']);
  });

  test('when it could not be sent for three days', async () => {
    const world = await accepted();
    world.advance(72 * 3_600_000);
    expect(await world.run()).toEqual({ outcome: 'ended', reason: 'not_sent_in_time' });
    expect([world.calls, await world.state()]).toEqual([[], 'rejected']);
  });
});

test('one that was not a trial may have been executed: it needs review, and the others wait', async () => {
  const world = await accepted();
  world.answer('directCredit', not('unknown', 'http_403'));
  expect(await world.run()).toMatchObject({ outcome: 'needs_review', reason: 'http_403' });
  expect(await world.context.accounts.holdsOf('main')).toMatchObject([
    { area: 'direct_credit', reason: 'not_authorised' },
  ]);
});

test('one that is answered with the transaction of another is not called made', async () => {
  const world = await accepted();
  world.answer('directCredit', credited);
  await world.run();
  expect(await advanceDirectCredit('dcr_2', world.context)).toEqual({
    outcome: 'needs_review',
    reason: 'transaction_collision',
  });
  const second = await world.queries.read('direct_credit', 'dcr_2');
  expect(second).toMatchObject({ state: 'needs_review', reason: 'transaction_collision' });
  expect(second?.transactionId).toBeUndefined();
  expect(JSON.stringify(second?.evidence)).toContain('named|transactionId||tx-1');
  expect((await world.events()).map(({ type }) => type)).toEqual([
    'direct_credit.succeeded',
    'direct_credit.needs_review',
  ]);
});

describe('an answer that Redis is away for', () => {
  /** The intent is written, and of the next writes the first is lost: on its way there, or on its way back. */
  const answeredWhileAway = async (verdict: Verdict<unknown>, lost: 'the write' | 'its answer') => {
    const world = await accepted();
    world.answer('directCredit', verdict);
    const { operations } = world.context;
    const transition = operations.transition.bind(operations);
    let writes = 0;
    const away: typeof transition = async (...asked) => {
      writes += 1;
      if (writes !== 2) return transition(...asked);
      if (lost === 'its answer') await transition(...asked);
      throw new Error('read ECONNRESET');
    };
    Object.assign(operations, { transition: away });
    await expect(world.run()).rejects.toThrow('ECONNRESET');
    Object.assign(operations, { transition });
    return world;
  };
  const words = async ({ queries }: Awaited<ReturnType<typeof accepted>>) =>
    readEvidence({ evidence: (await queries.read('direct_credit', 'dcr_1'))?.evidence ?? NO_EVIDENCE }).lines.map(
      ({ code }) => code,
    );

  test.for(['the write', 'its answer'] as const)(
    'is written down when Redis is back, once, where %s was lost',
    async (lost) => {
      const world = await answeredWhileAway(credited, lost);
      expect(await world.queries.read('direct_credit', 'dcr_1')).toMatchObject({
        state: 'succeeded',
        transactionId: 'tx-1',
      });
      expect((await world.events()).map(({ type }) => type)).toEqual(['direct_credit.succeeded']);
      expect(await words(world)).toEqual(['intended', 'ok']);
    },
  );

  test('and the proof that nothing left returns it to the queue', async () => {
    const world = await answeredWhileAway(not('transient', 'unreachable', 'never'), 'the write');
    expect(await world.state()).toBe('queued');
    world.advance(60_000);
    world.answer('directCredit', credited);
    expect(await world.run()).toEqual({ outcome: 'ended', reason: 'succeeded' });
  });
});

test('one that was refused with its keys waits for them, also where Redis is away when the account is to be held', async () => {
  const world = await accepted();
  Object.assign(world.context.accounts, { hold: () => Promise.reject(new Error('read ECONNRESET')) });
  world.answer('directCredit', not('config', '401'));
  await expect(world.run()).rejects.toThrow('ECONNRESET');
  expect(await world.queries.read('direct_credit', 'dcr_1')).toMatchObject({
    state: 'held',
    reason: 'not_authorised',
  });
});

describe('an answer that comes after another attempt has given it up', () => {
  /** While the request is out, its lease ends and another attempt finds `sending`. */
  const answeredLate = async (
    verdict: typeof credited,
    meanwhile: (world: Awaited<ReturnType<typeof accepted>>) => Promise<void> = async () => {},
  ) => {
    const world = await accepted();
    const late = async () => {
      world.advance(LEASE_MS + 1);
      expect(await world.run()).toEqual({ outcome: 'needs_review', reason: 'interrupted' });
      await meanwhile(world);
      return verdict;
    };
    const slow = { ...world.context, upstream: { ...world.context.upstream, payments: { directCredit: late } } };
    const settlement = await advanceDirectCredit('dcr_1', slow as unknown as ProcessorContext);
    return { world, settlement, record: await world.queries.read('direct_credit', 'dcr_1') };
  };

  test('settles the review when it is a success', async () => {
    const { world, settlement, record } = await answeredLate(credited);
    expect(settlement).toEqual({ outcome: 'ended', reason: 'succeeded_late' });
    expect(record).toMatchObject({ state: 'succeeded', transactionId: 'tx-1' });
    expect(record?.reason).toBeUndefined();
    expect(await world.events()).toMatchObject([
      { type: 'direct_credit.needs_review' },
      { type: 'direct_credit.succeeded', data: { transactionId: 'tx-1', late: true } },
    ]);
  });

  test('is stored as evidence after a user’s decision, and reported as lost', async () => {
    const decides = (world: Awaited<ReturnType<typeof accepted>>) => world.alter('dcr_1', { state: 'failed' });
    const { settlement, record } = await answeredLate(credited, decides);
    expect(settlement).toEqual({ outcome: 'lost', reason: 'not yours' });
    expect(record?.state).toBe('failed');
    expect(JSON.stringify(record?.evidence)).toContain('named|transactionId||tx-1');
  });

  test('stays in review if its transaction belongs to another operation', async () => {
    const another = async (world: Awaited<ReturnType<typeof accepted>>): Promise<void> => {
      world.answer('directCredit', credited);
      expect(await advanceDirectCredit('dcr_2', world.context)).toMatchObject({ outcome: 'ended' });
    };
    const { record, world } = await answeredLate(credited, another);
    expect(record).toMatchObject({ state: 'needs_review', reason: TRANSACTION_COLLISION });
    expect(record?.transactionId).toBeUndefined();
    expect(await world.events()).toHaveLength(2);
  });

  test('settles nothing when it is no success', async () => {
    const { settlement, record } = await answeredLate(not('refused', '1001'));
    expect([settlement.outcome, record?.state]).toEqual(['lost', 'needs_review']);
    expect(JSON.stringify(record?.evidence)).toContain('credit|1001');
  });
});

describe('a hold', () => {
  test('that begins while a request is under way is not released by its success', async () => {
    const world = await accepted();
    const meanwhile = async () => {
      await world.context.accounts.hold('main', 'direct_credit', 'funds');
      return credited;
    };
    const slow = {
      ...world.context,
      upstream: { ...world.context.upstream, payments: { directCredit: meanwhile } },
    };
    await advanceDirectCredit('dcr_1', slow as unknown as ProcessorContext);
    expect(await world.context.accounts.holdsOf('main')).toMatchObject([{ area: 'direct_credit', reason: 'funds' }]);
  });

  test('is released by the one that was let through to try', async () => {
    const world = await accepted();
    await world.context.accounts.hold('main', 'direct_credit', 'funds');
    world.answer('directCredit', credited);
    const patient = { ...world.context, policy: { ...world.context.policy, holdRecheckMs: 0 } };
    expect(await advanceDirectCredit('dcr_1', patient)).toMatchObject({ outcome: 'ended' });
    expect(await world.context.accounts.holdsOf('main')).toEqual([]);
  });
});

const words: readonly (readonly [ReturnType<typeof not>, string])[] = [
  [not('transient', 'unreachable', 'never'), 'queued'],
  [not('transient', 'send_deadline', 'never'), 'queued'],
  [not('transient', 'throttled', 'answered'), 'needs_review'],
  [not('unknown', 'no_answer', 'maybe'), 'needs_review'],
  [not('unknown', 'server_error', 'answered'), 'needs_review'],
  [not('unknown', 'unlisted_code', 'answered'), 'needs_review'],
  [not('refused', 'rejected', 'answered'), 'rejected'],
  [not('config', '401', 'answered'), 'held'],
];
test.for(words)('an answer of %j leaves it %s', async ([verdict, state]) => {
  const world = await accepted();
  world.answer('directCredit', verdict);
  await world.run();
  expect(await world.state()).toBe(state);
});

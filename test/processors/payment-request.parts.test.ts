import { describe, expect, test } from 'vitest';
import { advancePaymentRequest } from '../../src/processors/collect/payment-request.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { LEASE_MS, not, ok } from '../support/processor-world.ts';
import { openBench } from '../support/benches.ts';

const DAY = 86_400_000;
const bench = openBench();

async function accepted(changes: Partial<ProcessorContext> = {}) {
  const world = bench.world(changes);
  for (const id of ['prq_1', 'prq_2']) {
    await world.operations.accept({
      kind: 'payment_request',
      id,
      account: 'main',
      state: 'creating',
      fingerprint: 'fp',
      dueInMs: 0,
      fields: { askedAmount: 5_000, feesPaidBy: 'customer', notify: 0, phone: '+221771234567' },
    });
  }
  const read = () => world.queries.read('payment_request', 'prq_1');
  return { ...world, run: () => advancePaymentRequest('prq_1', world.context), read };
}

const made = ok({ referenceNumber: 'PR-1', url: 'https://pay.example/PR-1' });

async function published() {
  const world = await accepted();
  world.answer('createPaymentRequest', made);
  await world.run();
  world.advance(60_000);
  return world;
}

test('a creation that died in the middle is never sent again', async () => {
  const world = await accepted();
  const dies = (): never => {
    throw new Error('killed');
  };
  const killed = {
    ...world.context,
    upstream: { ...world.context.upstream, payments: { createPaymentRequest: dies } },
  };
  await expect(advancePaymentRequest('prq_1', killed as unknown as ProcessorContext)).rejects.toThrow('killed');
  world.advance(LEASE_MS + 1);
  world.answer('createPaymentRequest', made);
  expect(await world.run()).toEqual({ outcome: 'needs_review', reason: 'interrupted' });
  expect(world.calls).toEqual([]);
});

test('a creation that never left may be sent again', async () => {
  const world = await accepted();
  world.answer('createPaymentRequest', not('transient', 'unreachable', 'never'), made);
  expect(await world.run()).toMatchObject({ outcome: 'retries', reason: 'unreachable' });
  world.advance(60_000);
  expect(await world.run()).toEqual({ outcome: 'advanced', reason: 'created' });
  expect(await world.read()).toMatchObject({ state: 'pending', referenceNumber: 'PR-1' });
});

test('its creation is written when Redis is back', async () => {
  const world = await accepted();
  world.answer('createPaymentRequest', made);
  const { operations } = world.context;
  const transition = operations.transition.bind(operations);
  let writes = 0;
  const away: typeof transition = async (...asked) => {
    writes += 1;
    if (writes === 2) throw new Error('read ECONNRESET');
    return transition(...asked);
  };
  Object.assign(operations, { transition: away });
  await expect(world.run()).rejects.toThrow('ECONNRESET');
  expect(await world.read()).toMatchObject({ state: 'pending', referenceNumber: 'PR-1' });
});

test('one payment ends one request: a number of another request is checked only there', async () => {
  const world = await published();
  expect(await advancePaymentRequest('prq_2', world.context)).toEqual({
    outcome: 'needs_review',
    reason: 'token_collision',
  });
  const second = await world.queries.read('payment_request', 'prq_2');
  expect([second?.referenceNumber, second?.url]).toEqual([undefined, undefined]);
  expect(JSON.stringify(second?.evidence)).toContain('named|referenceNumber||PR-1');
});

test('its recipient is erased when it is created', async () => {
  const world = await published();
  expect(JSON.stringify(await world.read())).not.toContain('771234567');
});

test('a number that arrives after its expiry is stored as evidence, and reported as lost', async () => {
  const world = await accepted();
  const late = async () => {
    world.advance(LEASE_MS + 1);
    await world.run();
    return made;
  };
  const slow = {
    ...world.context,
    upstream: { ...world.context.upstream, payments: { createPaymentRequest: late } },
  };
  expect(await advancePaymentRequest('prq_1', slow as unknown as ProcessorContext)).toEqual({
    outcome: 'lost',
    reason: 'not yours',
  });
  const record = await world.read();
  expect(record?.state).toBe('needs_review');
  expect(JSON.stringify(record?.evidence)).toContain('named|referenceNumber||PR-1');
});

describe('one that has failed', () => {
  const failed = async () => {
    const world = await published();
    world.answer('paymentRequestStatus', ok({ status: 'failed' }));
    expect(await world.run()).toMatchObject({ outcome: 'ended', reason: 'failed' });
    const dueAt = () => world.dueAt('status-poll', 'prq_1');
    expect(Number(await dueAt()) - world.context.clock.now()).toBe(DAY);
    return { ...world, dueAt };
  };
  const aDayAgo = async () => {
    const world = await failed();
    world.advance(DAY);
    return world;
  };

  test('is checked once more, a day later: a customer who retries may have paid', async () => {
    const world = await aDayAgo();
    world.answer('paymentRequestStatus', ok({ status: 'completed' }));
    expect(await world.run()).toMatchObject({ outcome: 'ended', reason: 'completed_late' });
    expect((await world.read())?.state).toBe('completed');
    expect((await world.events()).map(({ type, data }) => [type, data['late']])).toEqual([
      ['payment_request.failed', undefined],
      ['payment_request.completed', true],
    ]);
    expect(await world.dueAt()).toBeNull();
  });

  test('is checked a day later even after a requested check, with or without an answer', async () => {
    const world = await failed();
    const promised = await world.dueAt();
    const meanwhile = [
      ok({ status: 'failed' }),
      not('transient', 'server_error'),
      not('refused', '4004'),
      ok({ status: 'failed' }),
    ];
    for (const answer of meanwhile) {
      world.answer('paymentRequestStatus', answer);
      world.advance(300_000);
      await world.run();
      expect(await world.dueAt()).toBe(promised);
    }
    world.advance(Number(promised) - world.context.clock.now());
    world.answer('paymentRequestStatus', ok({ status: 'completed' }));
    expect(await world.run()).toMatchObject({ outcome: 'ended', reason: 'completed_late' });
  });

  test('and is still so is not asked about again', async () => {
    const world = await aDayAgo();
    expect(await world.run()).toMatchObject({ reason: 'nothing_new' });
    expect([(await world.read())?.state, await world.dueAt()]).toEqual(['failed', null]);
    expect(await world.events()).toHaveLength(1);
  });

  test('is asked about again where no answer came', async () => {
    const world = await aDayAgo();
    world.answer('paymentRequestStatus', not('transient', 'server_error'), ok({ status: 'completed' }));
    expect(await world.run()).toMatchObject({ outcome: 'retries' });
    world.advance(Number(await world.dueAt()) - world.context.clock.now());
    await world.run();
    expect((await world.read())?.state).toBe('completed');
  });

  test('is not asked about for ever where nothing answers', async () => {
    const world = await aDayAgo();
    world.answer('paymentRequestStatus', not('transient', 'server_error'));
    for (let looks = 0; (await world.dueAt()) !== null && looks < 100; looks += 1) {
      world.advance(Math.max(0, Number(await world.dueAt()) - world.context.clock.now()));
      await world.run();
    }
    expect([(await world.read())?.state, await world.dueAt()]).toEqual(['failed', null]);
  });
});

describe('looking', () => {
  test('continues for thirty days, and then an operator decides', async () => {
    const world = await published();
    world.answer('paymentRequestStatus', ok({ status: 'pending' }));
    for (let days = 0; days < 200 && (await world.read())?.state === 'pending'; days += 1) {
      await world.run();
      world.advance(6 * 3_600_000);
    }
    expect(await world.read()).toMatchObject({ state: 'needs_review', reason: 'poll_exhausted' });
    expect(await world.dueAt('status-poll', 'prq_1')).toBeNull();
  });

  test('a check whose result came too late to write does not end it', async () => {
    const world = await published();
    const late = async () => {
      await world.alter('prq_1', { lease: 'of another' });
      return ok({ status: 'completed' });
    };
    const slow = {
      ...world.context,
      upstream: { ...world.context.upstream, payments: { paymentRequestStatus: late } },
    };
    expect(await advancePaymentRequest('prq_1', slow as unknown as ProcessorContext)).toMatchObject({
      outcome: 'lost',
    });
    expect((await world.read())?.state).toBe('pending');
  });

  test('a late status settles an expired one', async () => {
    const world = await published();
    world.answer('paymentRequestStatus', ok({ status: 'pending' }), ok({ status: 'completed' }));
    world.advance(30 * DAY);
    expect(await world.run()).toMatchObject({ outcome: 'needs_review' });
    expect(await world.run()).toMatchObject({ outcome: 'ended', reason: 'completed' });
    expect(await world.events()).toMatchObject([{}, { type: 'payment_request.completed', data: { late: true } }]);
  });

  test('one that the provider does not know has not failed', async () => {
    const world = await published();
    world.answer('paymentRequestStatus', not('transient', '4004'));
    await world.run();
    expect((await world.read())?.state).toBe('pending');
    world.advance(30 * DAY);
    expect(await world.run()).toMatchObject({ outcome: 'needs_review', reason: 'not_found' });
  });
});

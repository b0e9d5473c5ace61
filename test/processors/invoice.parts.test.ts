import { momentOf } from '../../src/lib/clock.ts';
import { describe, expect, test } from 'vitest';
import { advanceInvoice } from '../../src/processors/collect/invoice.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { LEASE_MS, not, ok } from '../support/processor-world.ts';
import { openBench, storedLines } from '../support/benches.ts';

const HOUR = 3_600_000;
const bench = openBench();

async function accepted(changes: Partial<ProcessorContext> = {}) {
  const world = bench.world(changes);
  for (const id of ['inv_1', 'inv_2']) {
    await world.operations.accept({
      kind: 'invoice',
      id,
      account: 'main',
      state: 'creating',
      fingerprint: 'fp',
      dueInMs: 0,
      fields: { totalAmount: 15_000, request: JSON.stringify({ totalAmount: 15_000, store: { name: 'x' } }) },
    });
  }
  const read = () => world.queries.read('invoice', 'inv_1');
  const dueAt = () => world.dueAt('invoice-confirm', 'inv_1');
  return { ...world, run: () => advanceInvoice('inv_1', world.context), read, dueAt, dueOf: world.dueAt };
}

const made = ok({ token: 'tok-1', url: 'https://pay.example/tok-1' });
const says = (status: string, more: object = {}) =>
  ok({ status, totalAmount: 15_000, token: 'tok-1', mode: 'live', ...more });

async function published(changes: Partial<ProcessorContext> = {}) {
  const world = await accepted(changes);
  world.answer('createInvoice', made);
  await world.run();
  world.advance(10_000);
  return world;
}

describe('creating', () => {
  test('is asked for with half of the lease to leave in', async () => {
    const world = await accepted();
    world.answer('createInvoice', made);
    await world.run();
    expect(world.calls).toMatchObject([{ sendBy: { since: momentOf(world.context.clock), ms: LEASE_MS / 2 } }]);
  });

  test('two concurrent attempts publish one address, and the other is stored as evidence', async () => {
    const world = await accepted();
    world.answer('createInvoice', made);
    // A process that was frozen: while it creates, its lease ends and another one publishes.
    const slow = {
      ...world.context,
      upstream: {
        ...world.context.upstream,
        payments: {
          createInvoice: async () => {
            world.advance(LEASE_MS + 1);
            await world.run();
            return ok({ token: 'tok-2', url: 'https://pay.example/tok-2' });
          },
        },
      },
    } as unknown as ProcessorContext;
    expect(await advanceInvoice('inv_1', slow)).toEqual({ outcome: 'lost', reason: 'not yours' });
    const record = await world.read();
    expect(record).toMatchObject({ state: 'pending', token: 'tok-1' });
    expect(JSON.stringify(record?.evidence)).toContain('named|token||tok-2');
  });

  test('one payment ends one invoice: a token of another invoice is never published', async () => {
    const world = await published();
    expect(await advanceInvoice('inv_2', world.context)).toEqual({
      outcome: 'needs_review',
      reason: 'token_collision',
    });
    world.answer('confirmInvoice', says('completed'));
    await world.run();
    await advanceInvoice('inv_2', world.context);
    expect((await world.read())?.state).toBe('completed');
    const second = await world.queries.read('invoice', 'inv_2');
    expect([second?.state, second?.token, second?.url]).toEqual(['needs_review', undefined, undefined]);
    expect(JSON.stringify(second?.evidence)).toContain('named|token||tok-1');
    expect(await world.dueOf('invoice-confirm', 'inv_2')).toBeNull();
  });

  test('the same token again, after the answer with it was lost, is its own', async () => {
    const world = await accepted();
    world.answer('createInvoice', made);
    await world.alter('inv_1', { lease: 'of another', until: 1 });
    const late = async () => {
      await world.alter('inv_1', { lease: 'of another' });
      return made;
    };
    const { upstream } = world.context;
    const payments = { ...upstream.payments, createInvoice: late };
    const slow = { ...world.context, upstream: { ...upstream, payments } };
    expect(await advanceInvoice('inv_1', slow)).toMatchObject({ outcome: 'lost' });
    world.advance(LEASE_MS + 1);
    expect(await world.run()).toMatchObject({ outcome: 'advanced', reason: 'created' });
  });

  test('an invoice that could not be created within an hour expires', async () => {
    const world = await accepted();
    world.answer('createInvoice', not('transient', 'unreachable', 'never'));
    expect(await world.run()).toMatchObject({ outcome: 'retries', reason: 'unreachable' });
    world.advance(HOUR + 1);
    expect(await world.run()).toEqual({ outcome: 'ended', reason: 'not_created_in_time' });
    expect(world.calls).toHaveLength(1);
    expect(await world.events()).toMatchObject([{ type: 'invoice.failed', data: { reason: 'not_created_in_time' } }]);
  });

  test('keys that differ from those it was begun with never end it', async () => {
    const world = await published();
    const account = world.context.account('main');
    const other = {
      ...world.context,
      account: () => ({ ...account, fingerprint: 'keys-2' }),
    } as unknown as ProcessorContext;
    expect(await advanceInvoice('inv_1', other)).toEqual({ outcome: 'waits', reason: 'other_keys_or_mode' });
    expect(world.calls.filter(({ name }) => name === 'confirmInvoice')).toEqual([]);
  });
});

describe('looking', () => {
  test('continues for 25 hours, and then needs review', async () => {
    const world = await published();
    world.answer('confirmInvoice', says('pending'));
    let looks = 0;
    for (; (await world.read())?.state === 'pending'; looks += 1) {
      await world.run();
      world.advance(900_000);
    }
    expect(looks).toBeGreaterThan(90);
    expect(await world.read()).toMatchObject({ state: 'needs_review', reason: 'poll_exhausted' });
  });

  test('an invoice that the provider does not know is checked, and then needs review', async () => {
    const world = await published();
    world.answer('confirmInvoice', not('transient', '4004'));
    expect(await world.run()).toMatchObject({ outcome: 'retries' });
    expect((await world.read())?.state).toBe('pending');
    world.advance(25 * HOUR);
    expect(await world.run()).toMatchObject({ outcome: 'needs_review', reason: 'not_found' });
  });

  test.for([
    ['amount_mismatch', { totalAmount: 14_999 }, ['named|amount||14999']],
    ['amount_mismatch', { totalWithoutFees: 14_700 }, ['named|total_amount_without_fees||14700']],
    ['mismatch_token', { token: 'tok-9' }, ['named|token||tok-9']],
    ['mismatch_mode', { mode: 'test' }, ['named|mode||test']],
    ['mismatch_token', { token: 'tok-9', totalAmount: 9 }, ['named|amount||9', 'named|token||tok-9']],
  ] as const)('a review for %s shows the provider’s values', async ([reason, more, lines]) => {
    const world = await published();
    world.answer('confirmInvoice', says('completed', more));
    expect(await world.run()).toMatchObject({ outcome: 'needs_review', reason });
    // Once, however often it is looked at after that.
    await world.run();
    const named = storedLines(await world.read()).filter((line) => /[| ]named[|]/.test(line));
    expect(named.map((line) => line.slice(line.indexOf('named|')))).toEqual(lines);
  });

  test('a receipt is stored and returned whole', async () => {
    const world = await published();
    const receiptUrl = `https://pay.example/${'r'.repeat(780)}`;
    world.answer('confirmInvoice', says('completed', { receiptUrl }));
    await world.run();
    expect(await world.read()).toMatchObject({ state: 'completed', receiptUrl });
    expect(await world.events()).toMatchObject([{ data: { receiptUrl } }]);
  });

  test('a partial payment is shown to an operator, even if it is found after the review began', async () => {
    const world = await published();
    world.advance(26 * HOUR);
    world.answer('confirmInvoice', says('pending'), says('completed', { totalAmount: 14_999 }));
    expect(await world.run()).toMatchObject({ outcome: 'needs_review', reason: 'poll_exhausted' });
    await world.run();
    await world.run();
    expect(JSON.stringify((await world.read())?.evidence).split('named|amount||14999')).toHaveLength(2);
  });

  test('that goes to review during a callback is checked again five seconds later', async () => {
    const world = await published();
    world.advance(26 * HOUR);
    const { payments } = world.context.upstream;
    const confirmInvoice = async () => {
      const said = { operation: 'callback', code: 'completed' };
      await world.operations.nudge('invoice', 'inv_1', said, 5_000);
      return says('pending');
    };
    const upstream = { ...world.context.upstream, payments: { ...payments, confirmInvoice } };
    const context = { ...world.context, upstream } as unknown as ProcessorContext;
    expect(await advanceInvoice('inv_1', context)).toMatchObject({
      outcome: 'needs_review',
      reason: 'poll_exhausted',
    });
    expect(Number(await world.dueAt()) - world.context.clock.now()).toBe(5_000);
  });

  test('a failed one is checked once more, at the end of its lifetime', async () => {
    const world = await published();
    const since = (await world.read())?.publishedAt ?? 0;
    world.answer('confirmInvoice', says('failed', { failReason: 'Declined' }));
    await world.run();
    expect(await world.read()).toMatchObject({ state: 'failed', failure: 'Declined' });
    expect(Number(await world.dueAt())).toBe(since + 25 * HOUR);
    world.advance(25 * HOUR);
    expect(await world.run()).toMatchObject({ reason: 'nothing_new' });
    expect(await world.dueAt()).toBeNull();
  });

  test('a callback to a finished one triggers a check', async () => {
    const world = await published();
    world.answer('confirmInvoice', says('cancelled'), says('completed'));
    world.advance(30 * HOUR);
    await world.run();
    expect([(await world.read())?.state, await world.dueAt()]).toEqual(['cancelled', null]);
    const hinted = await world.operations.nudge(
      'invoice',
      'inv_1',
      { operation: 'callback', code: 'completed' },
      5_000,
    );
    expect(hinted).toMatchObject({ is: 'look' });
    expect(await world.run()).toMatchObject({ outcome: 'ended', reason: 'completed_late' });
    expect((await world.events()).map(({ type, data }) => [type, data['reason'], data['late']])).toEqual([
      ['invoice.cancelled', 'expired', undefined],
      ['invoice.completed', undefined, true],
    ]);
    expect(await world.run()).toEqual({ outcome: 'idle', reason: 'final' });
  });

  describe('one that is over', () => {
    const over = async () => {
      const world = await published();
      world.answer('confirmInvoice', says('cancelled'));
      world.advance(30 * HOUR);
      await world.run();
      expect([(await world.read())?.state, await world.dueAt()]).toEqual(['cancelled', null]);
      const nudge = (code: string, detail?: string) =>
        world.operations.nudge('invoice', 'inv_1', { operation: 'callback', code, detail }, 5_000);
      /** Until nothing is due. */
      const looksUntil = async (enough: number): Promise<number> => {
        let looks = 0;
        for (let due = await world.dueAt(); due !== null && looks < enough; due = await world.dueAt()) {
          world.advance(Math.max(0, due - world.context.clock.now()));
          await world.run();
          looks += 1;
        }
        return looks;
      };
      return { ...world, nudge, looksUntil };
    };

    test('is checked again if its last check got no answer', async () => {
      const world = await published();
      world.answer('confirmInvoice', says('failed'));
      await world.run();
      world.advance(25 * HOUR);
      world.answer('confirmInvoice', not('transient', 'server_error'), says('completed'));
      expect(await world.run()).toMatchObject({ outcome: 'retries', reason: 'server_error' });
      expect(Number(await world.dueAt()) - world.context.clock.now()).toBe(10_000);
      world.advance(10_000);
      expect(await world.run()).toMatchObject({ outcome: 'ended', reason: 'completed_late' });
    });

    test('is checked again if a check after a callback got no answer', async () => {
      const world = await over();
      await world.nudge('completed');
      world.answer('confirmInvoice', not('transient', 'no_answer', 'maybe'), says('completed'));
      await world.run();
      expect(await world.looksUntil(1)).toBe(1);
      expect((await world.read())?.state).toBe('completed');
    });

    test('is asked about for a day where nothing answers, and then no more', async () => {
      const world = await over();
      await world.nudge('cancelled');
      world.answer('confirmInvoice', not('transient', 'no_answer', 'maybe'));
      const since = world.context.clock.now();
      const looks = await world.looksUntil(1_000);
      expect(await world.dueAt()).toBeNull();
      expect(world.context.clock.now() - since).toBeGreaterThanOrEqual(24 * HOUR);
      expect(looks).toBeLessThan(150);
    });

    test('is not checked again if the provider does not know it', async () => {
      const world = await over();
      await world.nudge('cancelled');
      world.answer('confirmInvoice', not('transient', '4004'));
      await world.run();
      expect(await world.dueAt()).toBeNull();
    });

    test('that a callback reports as paid is checked until an answer cannot be outdated', async () => {
      const world = await over();
      await world.nudge('completed', 'hash_right');
      const old = Array.from({ length: 5 }, () => says('cancelled'));
      world.answer('confirmInvoice', ...old, says('completed'));
      expect(await world.looksUntil(100)).toBe(6);
      expect((await world.read())?.state).toBe('completed');
    });

    test('that the provider reports as partly paid goes to review, and is reported', async () => {
      const world = await over();
      await world.nudge('completed', 'hash_right');
      world.answer('confirmInvoice', says('completed', { totalAmount: 14_000 }));
      await world.run();
      expect(await world.read()).toMatchObject({ state: 'needs_review', reason: 'amount_mismatch' });
      expect((await world.events()).map(({ type, data }) => [type, data['reason']])).toEqual([
        ['invoice.cancelled', 'expired'],
        ['invoice.needs_review', 'amount_mismatch'],
      ]);
    });

    test('without a report of a payment is checked once', async () => {
      const world = await over();
      await world.nudge('cancelled');
      expect(await world.looksUntil(100)).toBe(1);
      // The author of that record does not have our key.
      await world.nudge('completed', 'hash_wrong');
      expect(await world.looksUntil(100)).toBe(1);
    });
  });

  test('one that could not be checked at the end of its lifetime is not called unknown to the provider', async () => {
    const world = await published();
    world.answer('confirmInvoice', not('transient', 'server_error'));
    world.advance(25 * HOUR);
    expect(await world.run()).toMatchObject({ outcome: 'needs_review', reason: 'poll_exhausted' });
  });

  test('a check whose result came too late to write does not end it', async () => {
    const world = await published();
    const late = async () => {
      await world.alter('inv_1', { lease: 'of another' });
      return says('completed');
    };
    const { upstream } = world.context;
    const payments = { ...upstream.payments, confirmInvoice: late };
    const slow = { ...world.context, upstream: { ...upstream, payments } };
    expect(await advanceInvoice('inv_1', slow)).toMatchObject({ outcome: 'lost' });
    expect((await world.read())?.state).toBe('pending');
  });

  test('a refusal of our keys is no word about the invoice', async () => {
    const world = await published();
    world.answer('confirmInvoice', not('config', '401'));
    expect(await world.run()).toMatchObject({ outcome: 'retries', reason: '401' });
    expect((await world.read())?.state).toBe('pending');
  });
});

/** What an attempt learns after another has taken its record is not lost, and never reported as done. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readEvidence } from '../../src/operations/transition.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { lookAtDisbursement } from '../../src/processors/disbursement/look.ts';
import { resolveDisbursement } from '../../src/processors/disbursement/resolve.ts';
import type { Payments } from '../../src/upstream/payments/ask.ts';
import { LEASE_MS, processorWorld, not, ok } from '../support/processor-world.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

async function world() {
  const made = processorWorld(store.redis, {
    policy: { quietMs: 60_000, pollMs: [2_000], resubmit: true },
  });
  await made.operations.accept({
    kind: 'disbursement',
    state: 'queued',
    id: 'dsb_1',
    account: 'main',
    fingerprint: 'fp',
    xof: 100,
    dueInMs: 0,
    fields: { amount: 100, accountAlias: '77', withdrawMode: 'wallet-a-senegal', disburseId: 'dsb_1' },
  });
  made.answer('createDisbursement', ok({ token: 'tok' }));
  const { payments } = made.context.upstream;
  return {
    ...made,
    /** While this is asked, the lease ends and another attempt changes the record. */
    takenDuring: (name: keyof Payments): void => {
      const ask = payments[name] as (...asked: unknown[]) => Promise<unknown>;
      const taken = async (...asked: unknown[]): Promise<unknown> => {
        made.advance(LEASE_MS + 1);
        const queue = name === 'createDisbursement' ? 'disbursement' : 'status-poll';
        const other = await made.operations.acquire('disbursement', 'dsb_1', queue, LEASE_MS);
        expect(other.is).toBe('acquired');
        return ask(...asked);
      };
      const proxied = new Proxy(payments, {
        get: (target, asked) => (asked === name ? taken : Reflect.get(target, asked)),
      });
      Object.assign(made.context.upstream, { payments: proxied });
    },
    said: async (): Promise<string[]> => {
      const record = await made.queries.read('disbursement', 'dsb_1');
      return readEvidence({ evidence: record?.evidence ?? {} }).lines.map(({ operation, code, detail }) =>
        [operation, code, detail].filter((word) => word !== undefined).join(' '),
      );
    },
  };
}

describe('a disbursement whose record another attempt has taken', () => {
  test('is lost to the submit, which leaves behind what it was told', async () => {
    const { context, takenDuring, answer, said } = await world();
    takenDuring('submitDisbursement');
    answer('submitDisbursement', ok({ status: 'pending', transactionId: 'TX-77', providerRef: 'PR-5' }));
    expect(await payDisbursement('dsb_1', context)).toEqual({ outcome: 'lost', reason: 'not yours' });
    expect(await said()).toEqual([
      'create ok',
      'submit intended send 1',
      'submit ok pending',
      'named transactionId TX-77',
      'named providerRef PR-5',
    ]);
  });

  test('is lost to a submit that nobody knows the end of', async () => {
    const { context, takenDuring, answer } = await world();
    takenDuring('submitDisbursement');
    answer('submitDisbursement', not('unknown', 'no_answer', 'maybe'));
    expect(await payDisbursement('dsb_1', context)).toEqual({ outcome: 'lost', reason: 'not yours' });
  });

  test('is lost to the look, which leaves behind what it was told', async () => {
    const { context, takenDuring, answer, said, advance } = await world();
    answer('submitDisbursement', ok({ status: 'pending' }));
    await payDisbursement('dsb_1', context);
    advance(LEASE_MS);
    takenDuring('disbursementStatus');
    answer('disbursementStatus', ok({ status: 'success', token: 'tok', amount: 100, transactionId: 'TX-78' }));
    expect(await lookAtDisbursement('dsb_1', context)).toEqual({ outcome: 'lost', reason: 'not yours' });
    expect((await said()).slice(-2)).toEqual(['status ok success', 'named transactionId TX-78']);
  });

  test('is lost to one that is refused, held, or gets a token', async () => {
    for (const verdict of [not('refused', '1001'), not('config', '401'), ok({ token: 'tok-2' })]) {
      await store.redis.flushdb();
      const { context, takenDuring, answer, said } = await world();
      answer('createDisbursement', verdict);
      takenDuring('createDisbursement');
      expect(await payDisbursement('dsb_1', context)).toEqual({ outcome: 'lost', reason: 'not yours' });
      expect(await said()).not.toEqual([]);
    }
  });

  test('is not resolved by a person whose lease has ended meanwhile', async () => {
    const { context, takenDuring, answer, advance, operations } = await world();
    answer('submitDisbursement', ok({ status: 'pending' }));
    await payDisbursement('dsb_1', context);
    const held = await operations.acquire('disbursement', 'dsb_1', 'status-poll', LEASE_MS);
    if (held.is !== 'acquired') throw new Error(held.is);
    await operations.transition(held.record, held.lease, { to: 'needs_review', set: { reason: 'x' }, dueInMs: 1 });
    advance(600_000);
    takenDuring('disbursementStatus');
    answer('disbursementStatus', ok({ status: 'created', token: 'tok', amount: 100 }));
    const word = { outcome: 'succeeded', note: 'seen', by: 'awa' } as const;
    expect(await resolveDisbursement('dsb_1', word, context)).toMatchObject({ is: 'not now' });
    expect(await resolveDisbursement('dsb_1', { ...word, outcome: 'resubmit' }, context)).toMatchObject({
      is: 'not now',
    });
  });
});

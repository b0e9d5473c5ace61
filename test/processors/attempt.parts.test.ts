import { describe, expect, test } from 'vitest';
import { NO_EVIDENCE } from '../../src/operations/record.ts';
import { readEvidence } from '../../src/operations/transition.ts';
import type { QueueName } from '../../src/kinds/due-queues.ts';
import type { ProcessorContext, AttemptResult } from '../../src/processors/context.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { advanceInvoice } from '../../src/processors/collect/invoice.ts';
import { advancePaymentRequest } from '../../src/processors/collect/payment-request.ts';
import type { Payments } from '../../src/provider/payments/ask.ts';
import { type ProcessorWorld, not } from '../support/processor-world.ts';
import { openBench } from '../support/benches.ts';

const RECHECK_MS = 30_000;
const bench = openBench();

const usual = { id: 'op_1', account: 'main', fingerprint: 'fp', dueInMs: 0 } as const;

interface Begun {
  readonly kind: 'disbursement' | 'invoice' | 'payment_request';
  readonly queue: QueueName;
  readonly asks: keyof Payments;
  readonly accept: (operations: ProcessorWorld['operations']) => Promise<unknown>;
  readonly advance: (context: ProcessorContext) => Promise<AttemptResult>;
}

const disbursement: Begun = {
  kind: 'disbursement',
  queue: 'disbursement',
  asks: 'createDisbursement',
  accept: (operations) => {
    const fields = { amount: 100, accountAlias: '77', withdrawMode: 'wallet-a-senegal', disburseId: 'op_1' };
    return operations.accept({ ...usual, kind: 'disbursement', state: 'queued', fields });
  },
  advance: (context) => payDisbursement('op_1', context),
};
const invoice: Begun = {
  kind: 'invoice',
  queue: 'invoice-confirm',
  asks: 'createInvoice',
  accept: (operations) => {
    const fields = { totalAmount: 15_000, request: JSON.stringify({ totalAmount: 15_000, store: { name: 'x' } }) };
    return operations.accept({ ...usual, kind: 'invoice', state: 'creating', fields });
  },
  advance: (context) => advanceInvoice('op_1', context),
};
const paymentRequest: Begun = {
  kind: 'payment_request',
  queue: 'status-poll',
  asks: 'createPaymentRequest',
  accept: (operations) => {
    const fields = { askedAmount: 5_000, feesPaidBy: 'customer', notify: 0, phone: '+221771234567' };
    return operations.accept({ ...usual, kind: 'payment_request', state: 'creating', fields });
  },
  advance: (context) => advancePaymentRequest('op_1', context),
};

async function accepted({ kind, queue, asks, accept, advance }: Begun) {
  const world = bench.world({ policy: { holdRecheckMs: RECHECK_MS } });
  await accept(world.operations);
  return {
    ...world,
    asks,
    /** One try, and how long it is until the next, ms. */
    async run(): Promise<number> {
      expect(await advance(world.context)).toMatchObject({ outcome: 'retries' });
      return Number(await world.dueAt(queue, 'op_1')) - world.context.clock.now();
    },
    async written() {
      const record = await world.queries.read(kind, 'op_1');
      const answers = readEvidence({ evidence: record?.evidence ?? NO_EVIDENCE }).lines.filter(
        ({ code }) => code === 'unreachable',
      );
      return { tries: record?.tries, answers: answers.length };
    },
  };
}

describe.each([disbursement, invoice, paymentRequest])('a $kind without effect at the provider', (begun) => {
  test('keeps tries and evidence through a long outage, and is tried as often as holds are re-read', async () => {
    const world = await accepted(begun);
    world.answer(world.asks, not('transient', 'unreachable', 'never'));
    while ((await world.run()) < RECHECK_MS) world.advance(RECHECK_MS);
    const before = await world.written();
    for (let time = 0; time < 10; time += 1) {
      world.advance(RECHECK_MS);
      expect(await world.run()).toBe(RECHECK_MS);
    }
    expect(await world.written()).toEqual(before);
    expect(before.answers).toBe(before.tries);
  });

  test('waits as long as the provider requests if that is longer', async () => {
    const world = await accepted(begun);
    const refused = not('transient', 'throttled', 'never');
    world.answer(world.asks, { ...refused, retryAfterMs: 900_000 }, { ...refused, retryAfterMs: 1 });
    expect(await world.run()).toBe(900_000);
    world.advance(900_000);
    expect(await world.run()).toBeGreaterThan(1_000);
  });
});

describe('a payment', () => {
  const open = { recovering: () => undefined, raise: async () => true, isUnwitnessed: false, isSuspended: false };

  test.for([
    ['the clock of PostgreSQL was set', 'clock_set', { isSuspended: true }, true],
    ['the ledger is recovering', 'recovering', { recovering: () => ({ since: 0, because: 'copy' }) }, true],
    ['no witness knows the ledger and it is sent once', 'unwitnessed', { isUnwitnessed: true }, false],
  ] as const)('does not leave while %s', async ([, reason, closed, resubmit]) => {
    const life = { ...open, ...closed };
    const world = bench.world({ policy: { resubmit }, life });
    await disbursement.accept(world.operations);
    world.answer('createDisbursement', not('transient', 'unreachable', 'never'));
    expect(await disbursement.advance(world.context)).toEqual({ outcome: 'waits', reason });
    expect(world.calls).toEqual([]);
    Object.assign(life, open);
    world.advance(3_600_000);
    await disbursement.advance(world.context);
    expect(world.calls.map(({ name }) => name)).toEqual(['createDisbursement']);
  });
});

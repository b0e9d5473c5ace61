import { describe, expect, test } from 'vitest';
import { packEventData, readEventData } from '../../src/operations/transition.ts';

const ID = 'dsb_zdcyefff301b69xq223thmvh90';
const paid = {
  id: ID,
  state: 'succeeded',
  reference: 'order "7", d’été',
  amount: 500,
  withdrawMode: 'wallet-a-senegal',
  disburseId: 'f7e406570d9c8042c305767702b288b9',
  transactionId: 'TX9EF8C79CC5A9',
  providerRef: undefined,
};

/** What the stream keeps of it, and what a reader makes of that. */
function told(type: string, data: Readonly<Record<string, unknown>>, op = ID) {
  const packed = packEventData(op, { type, data });
  return { packed, read: JSON.stringify(readEventData({ op, type, data: packed })), meant: JSON.stringify(data) };
}

describe('what an event carries', () => {
  test.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['one that ended well', 'disbursement.succeeded', paid],
    ['one that says more', 'disbursement.failed', { ...paid, state: 'failed', late: true }],
    [
      'one that tells a reason',
      'disbursement.held',
      { ...paid, state: 'held', transactionId: undefined, reason: 'funds' },
    ],
    [
      'one without a reference',
      'disbursement.succeeded',
      { ...paid, reference: undefined, transactionId: undefined },
    ],
    [
      'one with everything',
      'disbursement.succeeded',
      { ...paid, providerRef: 'P1', resolvedBy: 'checker', late: false },
    ],
  ])('%s is kept as a list of values and read as it was meant', (_, type, data) => {
    const { packed, read, meant } = told(type, data);
    expect(packed).toMatch(/^1\[/);
    expect(read).toBe(meant);
  });

  test('a list is less than half of the JSON', () => {
    const { packed, meant } = told('disbursement.succeeded', paid);
    expect(packed.length).toBeLessThan(meant.length / 2);
  });

  test.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['of another kind', 'message.sent', { id: ID, state: 'sent' }],
    ['of a disbursement with another id', 'disbursement.succeeded', { ...paid, id: 'dsb_other' }],
    ['whose state is not that of its type', 'disbursement.succeeded', { ...paid, state: 'failed' }],
    ['with its names in another order', 'disbursement.succeeded', { amount: 1, id: ID, state: 'succeeded' }],
    ['with a null', 'disbursement.succeeded', { ...paid, reference: null }],
  ])('one %s is kept as JSON', (_, type, data) => {
    const { packed, read, meant } = told(type, data);
    expect(packed).toBe(meant);
    expect(read).toBe(meant);
  });

  test('one that was written before there were lists reads the same', () => {
    const data = JSON.stringify(paid);
    expect(JSON.stringify(readEventData({ op: ID, type: 'disbursement.succeeded', data }))).toBe(data);
  });

  test('whoever expects an object fails on a list, and takes it for nothing else', () => {
    const { packed } = told('disbursement.succeeded', paid);
    expect(() => JSON.parse(packed) as unknown).toThrow(SyntaxError);
  });
});

import { describe, expect, test } from 'vitest';
import type { InvoiceRecord } from '../../src/operations/record.ts';
import { INVOICE_LIMIT_MS, type InvoiceAnswer, judgeInvoice } from '../../src/processors/collect/invoice.ts';

const HOUR = 3_600_000;
const record = { state: 'pending', totalAmount: 15_000, token: 'tok-1', publishedAt: 0, createdAt: 0, tries: 0 };
const judge = (changes: Partial<InvoiceRecord>, answer: Partial<InvoiceAnswer>, at = 60_000) =>
  judgeInvoice(
    { ...record, ...changes } as InvoiceRecord,
    { status: 'completed', totalAmount: 15_000, token: 'tok-1', mode: 'live', ...answer },
    { at, mode: 'live', pollMs: [10_000, 30_000, 900_000] },
  );

describe('completed', () => {
  test('for the billed amount', () => expect(judge({}, {})).toEqual({ is: 'completed', late: false }));
  test('for more than was billed, with the amount', () =>
    expect(judge({}, { totalAmount: 15_300 })).toEqual({ is: 'completed', late: false, amountPaid: 15_300 }));
  test('with fees on top of the billed amount', () =>
    expect(judge({}, { totalAmount: 15_300, totalWithoutFees: 15_000 })).toMatchObject({ is: 'completed' }));
  test('never for less than was billed', () =>
    expect(judge({}, { totalAmount: 14_999 })).toEqual({ is: 'review', because: 'amount_mismatch' }));
  test('never for less without the fees', () =>
    expect(judge({}, { totalAmount: 15_000, totalWithoutFees: 14_700 })).toEqual({
      is: 'review',
      because: 'amount_mismatch',
    }));
  test('never for an unreadable amount', () =>
    expect(judge({}, { totalAmount: undefined })).toEqual({ is: 'review', because: 'unreadable_amount' }));
  test.for(['cancelled', 'failed'] as const)('after %s for less, it needs review: there was a payment', (state) => {
    expect(judge({ state }, { totalAmount: 14_999 })).toEqual({ is: 'review', because: 'amount_mismatch' });
    expect(judge({ state }, { totalAmount: undefined })).toEqual({ is: 'review', because: 'unreadable_amount' });
    // The user who decided has seen that.
    const decided = { state, resolvedBy: 'checker' };
    expect(judge(decided, { totalAmount: 14_999 })).toEqual({ is: 'over', because: 'amount_mismatch' });
  });
  test('after needs_review for less, it is not reported again', () =>
    expect(judge({ state: 'needs_review' }, { totalAmount: 1 })).toEqual({ is: 'over', because: 'amount_mismatch' }));
  test.for(['cancelled', 'failed', 'needs_review'] as const)('after %s, as late', (state) =>
    expect(judge({ state }, {})).toEqual({ is: 'completed', late: true }),
  );
});

describe('an answer about something else', () => {
  const others: readonly (readonly [Partial<InvoiceAnswer>, string])[] = [
    [{ token: 'tok-2' }, 'mismatch_token'],
    [{ mode: 'test' }, 'mismatch_mode'],
    [{ mode: 'test', status: 'pending' }, 'mismatch_mode'],
  ];
  test.for(others)('%o needs review', ([answer, because]) =>
    expect(judge({}, answer)).toEqual({ is: 'review', because }),
  );
  test.for(others)('%o does not change a finished invoice', ([answer, because]) =>
    expect(judge({ state: 'failed' }, answer)).toEqual({ is: 'over', because }),
  );
});

describe('not paid', () => {
  test('pending is checked again, later each time', () => {
    expect(judge({}, { status: 'pending' })).toEqual({ is: 'look again', dueInMs: 10_000, because: 'pending' });
    expect(judge({ tries: 7 }, { status: 'pending' })).toMatchObject({ dueInMs: 900_000 });
  });
  test('the last check is at the end of the 25 hours, never after it', () => {
    expect(judge({ tries: 7 }, { status: 'pending' }, INVOICE_LIMIT_MS - 5_000)).toMatchObject({ dueInMs: 5_000 });
    expect(judge({}, { status: 'pending' }, INVOICE_LIMIT_MS)).toEqual({ is: 'review', because: 'poll_exhausted' });
  });
  test('an unknown status ends nothing', () =>
    expect(judge({}, { status: 'refunded' })).toMatchObject({ is: 'look again', because: 'status_refunded' }));
  test('cancelled within a day, for an unknown reason', () =>
    expect(judge({}, { status: 'cancelled' }, 2 * HOUR)).toEqual({ is: 'cancelled' }));
  test('cancelled after a day, it has expired', () =>
    expect(judge({}, { status: 'cancelled' }, 24 * HOUR)).toEqual({ is: 'cancelled', reason: 'expired' }));
  test('failed', () => expect(judge({}, { status: 'failed' })).toEqual({ is: 'failed' }));
  test('one final status does not replace another', () => {
    expect(judge({ state: 'failed' }, { status: 'cancelled' })).toEqual({ is: 'over', because: 'status_cancelled' });
    expect(judge({ state: 'cancelled' }, { status: 'cancelled' })).toEqual({ is: 'over', because: 'nothing_new' });
    expect(judge({ state: 'failed' }, { status: 'pending' })).toEqual({ is: 'over', because: 'status_pending' });
  });
});

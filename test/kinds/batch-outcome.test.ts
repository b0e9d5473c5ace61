import { expect, test } from 'vitest';
import { outcomeOf, outcomesOf } from '../../src/kinds/batch-outcome.ts';
import { statesOf } from '../../src/kinds/index.ts';

test('each state of a row shows whether its recipient was paid', () => {
  const all = [...statesOf('disbursement'), 'waiting', 'elsewhere', 'expired'].map((state) => [
    state,
    outcomeOf(state),
  ]);
  expect(Object.fromEntries(all)).toEqual({
    awaiting_approval: 'open',
    queued: 'open',
    held: 'open',
    created: 'open',
    submitting: 'open',
    unknown: 'uncertain',
    pending: 'open',
    needs_review: 'uncertain',
    succeeded: 'paid',
    failed: 'notPaid',
    reversed: 'notPaid',
    rejected: 'notPaid',
    cancelled: 'notPaid',
    waiting: 'open',
    elsewhere: 'elsewhere',
    expired: 'notPaid',
  });
});

test('outcomes add up to the states', () => {
  const states = {
    succeeded: { count: 197, xof: 45_013_500 },
    failed: { count: 2, xof: 600_000 },
    rejected: { count: 1, xof: 64_000 },
  };
  const nothing = { count: 0, xof: 0 };
  expect(outcomesOf(states)).toEqual({
    paid: { count: 197, xof: 45_013_500 },
    notPaid: { count: 3, xof: 664_000 },
    uncertain: nothing,
    open: nothing,
    elsewhere: nothing,
  });
});

import { recountOf } from '../../src/kinds/index.ts';
import { expect, test } from 'vitest';

test.for([
  ['awaiting_approval', 'cancelled', -1],
  ['queued', 'rejected', -1],
  ['pending', 'failed', -1],
  ['succeeded', 'reversed', -1],
  ['needs_review', 'failed', -1],
  ['failed', 'succeeded', 1],
  ['failed', 'needs_review', 1],
  ['pending', 'needs_review', 0],
  ['needs_review', 'succeeded', 0],
  ['created', 'submitting', 0],
] as const)('from %s to %s a sum of the day changes by %i', ([from, to, sign]) => {
  expect(recountOf('disbursement', from, to)).toBe(sign);
});

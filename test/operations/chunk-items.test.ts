import { expect, test } from 'vitest';
import { orDoubt, packAgain, unpackAgain } from '../../src/operations/chunk-items.ts';

test('how often somebody was sent to again stays one digit each, however often it was', () => {
  expect(unpackAgain(packAgain([12, 0, 1, 9]), 4)).toEqual([9, 0, 1, 9]);
});

test('only who was sent to before is in doubt instead of not sent to', () => {
  const states = ['failed', 'failed', 'expired', 'skipped', 'sent', 'queued'] as const;
  expect(orDoubt(states, { again: '101111', count: 6 })).toEqual([
    'unknown',
    'failed',
    'unknown',
    'unknown',
    'sent',
    'queued',
  ]);
});

import { expect, test } from 'vitest';
import { daysUntilFull } from '../../src/operations/balances.ts';

test('the memory of Redis is full in so many days as it grows, and none are told where it does not', () => {
  const [oldest, newest] = [
    { at: 0, used: 100, max: 1_000 },
    { at: 86_400_000, used: 200, max: 1_000 },
  ];
  expect(daysUntilFull({ oldest, newest }, 0.85)).toBe(6.5);
  expect(daysUntilFull({ oldest, newest: { ...newest, used: 900 } }, 0.85)).toBe(0);
  expect(daysUntilFull({ oldest, newest: { ...newest, used: 90 } }, 0.85)).toBeNull();
  expect(daysUntilFull({ oldest, newest: { ...newest, max: 0 } }, 0.85)).toBeNull();
  expect(daysUntilFull({ oldest, newest: { ...newest, at: 60_000 } }, 0.85)).toBeNull();
  expect(daysUntilFull(undefined, 0.85)).toBeNull();
});

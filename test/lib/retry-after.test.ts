import { expect, test } from 'vitest';
import { readRetryAfter } from '../../src/lib/clock.ts';

const NOW = Date.UTC(2026, 10, 28, 5, 0, 0);

test.for([
  ['30', 30_000],
  [' 30 ', 30_000],
  ['0', 0],
  ['30.5', 31_000],
  ['0.2', 1_000],
  ['1e3', undefined],
  ['-5', undefined],
  ['', undefined],
  ['soon', undefined],
  ['30 s', undefined],
  ['30, 60', undefined],
  ['Infinity', undefined],
  ['2026', 2_026_000],
  ['2026-11', undefined],
  ['Sat, 28 Nov 2026 05:01:00 GMT', 60_000],
  ['Saturday, 28-Nov-26 05:01:00 GMT', 60_000],
  ['Sat Nov 28 05:01:00 2026', 60_000],
  ['2026-11-28T05:01:00Z', 60_000],
  ['Sat, 28 Nov 2026 05:01:00', 60_000],
  ['Sat, 28 Nov 2026 04:00:00 GMT', undefined],
] as const)('Retry-After: %s', ([text, ms]) => {
  expect(readRetryAfter(text, NOW)).toBe(ms);
});

import { expect, test } from 'vitest';
import { runsOf } from '../../console/parts/runs.ts';

test('equal neighbours are combined, and others keep their position', () => {
  const runs = runsOf(['asked', 'pending', 'pending', 'pending', 'asked', 'pending'], (one) => one);
  expect(runs.map(({ all: [first], all }) => [first, all.length])).toEqual([
    ['asked', 1],
    ['pending', 3],
    ['asked', 1],
    ['pending', 1],
  ]);
  expect(runsOf([], String)).toEqual([]);
});

import { expect, test } from 'vitest';
import { examineSlices } from './slice-invariants.ts';
import { sliceMutants } from './slice-mutants.ts';
import { SliceWorld } from './slice-world.ts';

const MOST_WORLDS = 400;

test.for(sliceMutants)('without $without a promise breaks', { timeout: 120_000 }, async ({ options, breaks }) => {
  let violations = '';
  for (let seed = 1; seed <= MOST_WORLDS && !breaks.test(violations); seed += 1) {
    const world = new SliceWorld({ ...options, seed });
    await world.live();
    violations = examineSlices(world).violations.join('\n');
  }
  expect(violations).toMatch(breaks);
});

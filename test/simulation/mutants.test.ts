import { expect, test } from 'vitest';
import { DEEP } from './depth.ts';
import { mutants, wild } from './mutants.ts';
import { simulate } from './run.ts';

/** Four times an ordinary run: what breaks most rarely, a write under a lost lease, is seen in one world of a hundred. */
const DISBURSEMENTS = 2_000;

test.runIf(DEEP)('with every guard nothing breaks, however wild it gets', { timeout: 600_000 }, async () => {
  expect(await simulate({ ...wild, seed: 1, disbursements: 2_000 })).toMatchObject({ violations: [] });
});

test.runIf(DEEP).for(mutants)(
  'without $without a promise breaks',
  { timeout: 120_000 },
  async ({ options, breaks }) => {
    const { violations } = await simulate({ ...options, seed: 1, disbursements: DISBURSEMENTS, untilBroken: true });
    expect(violations.join('\n')).toMatch(breaks);
  },
);

import { expect, test } from 'vitest';
import { DEFAULT_TROUBLES, type Troubles } from './chance.ts';
import { examine } from './invariants.ts';
import { PER_WORLD, World } from './world.ts';

const calm = Object.fromEntries(Object.keys(DEFAULT_TROUBLES).map((name) => [name, 0])) as unknown as Troubles;
const HOUR_MS = 3_600_000;

test.for(['strict', 'resubmit'] as const)(
  'replicas that are away for an hour send nobody to review (%s)',
  async (mode) => {
    const backAt = 1_800_000_000_000 + HOUR_MS;
    const world = new World({
      seed: 1,
      disbursements: PER_WORLD,
      mode,
      durability: 'fenced',
      promises: { uniqueId: false, singleUse: false },
      troubles: calm,
      tamper: (context, { timeline }) => ({
        ...context,
        fence: async () => timeline.now > backAt && context.fence(),
      }),
    });
    await world.live();
    expect(world.sends.filter(({ leftAt }) => leftAt < backAt)).toEqual([]);
    const { states, violations } = examine(world);
    expect(states['needs_review']).toBeUndefined();
    expect(violations).toEqual([]);
  },
);

/**
 * The real processors of slices, over a store that forgets, a service that loses answers, and processes that die or
 * stand still at any await. `RELAIS_SEED=<seed> npx vitest run test/simulation/slices` replays one world.
 */
import { expect, test } from 'vitest';
import { DEEP, REPLAY } from './depth.ts';
import { examineSlices } from './slice-invariants.ts';
import { SliceWorld, type SliceWorldOptions } from './slice-world.ts';

interface Setting extends Omit<SliceWorldOptions, 'seed'> {
  readonly title: string;
}

/** What may happen late, or be told late, may be sent again by a policy that sends again. */
const prompt = { statusStale: 0, submitFault: 0.1 };

const settings: readonly Setting[] = [
  { title: 'every answered write is kept', onUnknown: 'hold', durability: 'each' },
  { title: 'Redis rolls back to the last fence', onUnknown: 'hold', durability: 'fenced' },
  { title: 'nothing goes wrong', onUnknown: 'hold', durability: 'each', troubles: calm() },
  {
    title: 'processes die and stand still',
    onUnknown: 'hold',
    durability: 'fenced',
    troubles: { kill: 0.01, freeze: 0.02 },
  },
  { title: 'single messages', singles: true, onUnknown: 'hold', durability: 'fenced' },
  {
    title: 'single messages go out again',
    singles: true,
    onUnknown: 'resend',
    durability: 'fenced',
    troubles: prompt,
  },
  { title: 'who is in doubt goes out again', onUnknown: 'resend', durability: 'fenced', troubles: prompt },
];

function calm() {
  const none = {
    kill: 0,
    freeze: 0,
    repeat: 0,
    disconnect: 0,
    rollback: 0,
    wakeLost: 0,
    wakeTwice: 0,
    createFault: 0,
  };
  return { ...none, submitFault: 0, statusFault: 0, statusStale: 0, statusNameless: 0, standsStillBeforeSend: 0 };
}

const WORLDS = DEEP ? 1_000 : 30;
const first = REPLAY || 1;

test.for(settings)('$title: every promise holds', { timeout: 900_000 }, async ({ title, ...options }) => {
  const violations: string[] = [];
  const all: Record<string, number> = {};
  for (let seed = first; seed < first + (REPLAY ? 1 : WORLDS); seed += 1) {
    const world = new SliceWorld({ ...options, seed });
    await world.live();
    const examined = examineSlices(world);
    violations.push(...examined.violations.map((violation) => `seed ${seed}: ${violation}`));
    for (const counts of [examined.states, world.counts]) {
      for (const [name, count] of Object.entries(counts)) all[name] = (all[name] ?? 0) + count;
    }
  }
  console.info(title, all);
  expect(violations.slice(0, 20)).toEqual([]);
});

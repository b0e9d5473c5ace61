/**
 * The real processors, over a store that forgets, a network that lies and processes that die at any await.
 *
 * A failure prints the seed of the world in which it happened: `RELAIS_SEED=<seed> npx vitest run test/simulation`
 * replays that world and no other.
 */
import { expect, test } from 'vitest';
import { DEEP, REPLAY } from './depth.ts';
import { examine } from './invariants.ts';
import { type Figures, type RunOptions, simulate } from './run.ts';
import { PER_WORLD, World } from './world.ts';

interface Setting extends Omit<RunOptions, 'seed' | 'disbursements'> {
  readonly title: string;
  readonly seeds: readonly number[];
}

const both = { uniqueId: true, singleUse: true };
const neither = { uniqueId: false, singleUse: false };
const onlyUnique = { uniqueId: true, singleUse: false };
const onlySingleUse = { uniqueId: false, singleUse: true };

const settings: readonly Setting[] = [
  {
    title: 'resubmit, upstream keeps both promises',
    mode: 'resubmit',
    durability: 'each',
    promises: both,
    seeds: [1, 2],
  },
  {
    title: 'resubmit, only the id is unique',
    mode: 'resubmit',
    durability: 'each',
    promises: onlyUnique,
    seeds: [3],
  },
  {
    title: 'resubmit, only the token is single-use',
    mode: 'resubmit',
    durability: 'each',
    promises: onlySingleUse,
    seeds: [4],
  },
  {
    title: 'resubmit, an id is used up in vain',
    mode: 'resubmit',
    durability: 'each',
    promises: both,
    burnsIds: true,
    seeds: [5],
  },
  {
    title: 'resubmit, Redis rolls back to the last fence',
    mode: 'resubmit',
    durability: 'fenced',
    promises: onlyUnique,
    seeds: [6],
  },
  {
    title: 'resubmit, upstream contradicts itself',
    mode: 'resubmit',
    durability: 'each',
    promises: both,
    troubles: { lies: 0.2, reverses: 0.1 },
    seeds: [7, 8],
  },
  {
    title: 'resubmit, answers name nobody, and tokens are given twice',
    mode: 'resubmit',
    durability: 'each',
    promises: both,
    troubles: { statusNameless: 0.1, statusOfNobody: 0.05, statusOfAnother: 0.02, tokenTwice: 0.02 },
    seeds: [9],
  },
  {
    title: 'resubmit, all of it, and Redis rolls back to the last fence',
    mode: 'resubmit',
    durability: 'fenced',
    promises: onlyUnique,
    troubles: { lies: 0.1, reverses: 0.1, statusNameless: 0.05, statusOfNobody: 0.02, tokenTwice: 0.01 },
    seeds: [10],
  },
  {
    title: 'strict, upstream promises nothing and contradicts itself',
    mode: 'strict',
    durability: 'each',
    promises: neither,
    troubles: { lies: 0.2, reverses: 0.1, statusNameless: 0.05, tokenTwice: 0.01 },
    seeds: [3],
  },
  {
    title: 'resubmit, what is due is handed out to whoever asks',
    mode: 'resubmit',
    durability: 'each',
    promises: both,
    guards: { afterTaking: 'still due' },
    seeds: [11],
  },
  { title: 'strict, upstream promises nothing', mode: 'strict', durability: 'each', promises: neither, seeds: [1] },
  {
    title: 'strict, Redis rolls back to the last fence',
    mode: 'strict',
    durability: 'fenced',
    promises: neither,
    seeds: [2],
  },
];

const DISBURSEMENTS = DEEP ? 10_000 : 500;
const DEEP_SEEDS = [1, 2, 3, 4, 5];

const runs = settings.flatMap((setting) => (DEEP ? DEEP_SEEDS : setting.seeds).map((seed) => ({ ...setting, seed })));

test.runIf(REPLAY === 0).for(runs)('$title: every promise holds (seed $seed)', { timeout: 600_000 }, async (run) => {
  const { title, seeds: _, ...options } = run;
  const figures = await simulate({ ...options, disbursements: DISBURSEMENTS });
  console.info(summary(title, run.seed, figures));
  expect(figures.violations).toEqual([]);
});

test.runIf(REPLAY === 0)(
  'without either promise, sending again pays twice: the simulation can see it',
  { timeout: 60_000 },
  async () => {
    const options = { mode: 'resubmit', durability: 'each', promises: neither, seed: 1 } as const;
    const { violations } = await simulate({ ...options, disbursements: 5_000, untilBroken: true });
    expect(violations.join('\n')).toMatch(/P1|P3|P4/);
  },
);

test.runIf(REPLAY === 0)('the same seed is the same story', { timeout: 60_000 }, async () => {
  const options = { mode: 'resubmit', durability: 'fenced', promises: both, seed: 9, disbursements: 50 } as const;
  expect(await simulate(options)).toEqual(await simulate(options));
});

test.runIf(REPLAY > 0).for(settings)('$title: the world of RELAIS_SEED', async (setting) => {
  const world = new World({ ...setting, seed: REPLAY, disbursements: PER_WORLD });
  await world.live();
  expect(examine(world).violations).toEqual([]);
});

function summary(title: string, seed: number, figures: Figures): string {
  const { counts, paidTwice, lost, misreported, reviewRate } = figures;
  const of = (name: string): string => `${counts[name] ?? 0} ${name}`;
  const ends = ['succeeded', 'failed', 'rejected', 'cancelled', 'needs_review'].map(of).join(', ');
  const met = ['killed', 'stood still', 'rolled back'].map(of).join(', ');
  const broken = `${paidTwice} paid twice, ${lost} lost, ${misreported} misreported`;
  return `${title}, seed ${seed}: ${broken}; ${ends} (${(reviewRate * 100).toFixed(1)} % to review); met ${met}`;
}

/**
 * The real processors over a model of the ledger, with lost answers, a provider that contradicts itself, and
 * processes that die or pause at any await.
 *
 * A failure prints the seed of its world: `RELAIS_SEED=<seed> npx vitest run --project unit test/simulation` runs
 * only that world in every setting. `RELAIS_DEEP=1` runs twenty times as many.
 */
import { expect, test } from 'vitest';
import { DEEP } from '../support/deep.ts';
import { mutants } from './mutants.ts';
import { type PaymentsOptions, PaymentsWorld } from './payments.ts';
import { broken } from './promises.ts';

type Setting = Omit<PaymentsOptions, 'seed'>;

const both = { uniqueId: true, singleUse: true };
const neither = { uniqueId: false, singleUse: false };

const settings: Readonly<Record<string, Setting>> = {
  'the provider refuses a used id and a used token': { mode: 'resubmit', promises: both },
  'only a used id': { mode: 'resubmit', promises: { uniqueId: true, singleUse: false } },
  'only a used token': { mode: 'resubmit', promises: { uniqueId: false, singleUse: true } },
  'processes stand still, and most requests fail': {
    mode: 'resubmit',
    promises: both,
    faults: { freeze: 0.1, provider: 0.6, standsStillBeforeSend: 0 },
  },
  'PostgreSQL loses its connections': {
    mode: 'resubmit',
    promises: both,
    faults: { away: 0.05, answerLost: 0.1, kill: 0.03 },
  },
  'the provider contradicts itself': { mode: 'resubmit', promises: both, faults: { lies: 0.2, reverses: 0.1 } },
  'answers name no payment, or another, and tokens are given twice': {
    mode: 'resubmit',
    promises: both,
    faults: { nameless: 0.1, ofAnother: 0.02, tokenTwice: 0.02 },
  },
  'strict, and the provider refuses nothing': { mode: 'strict', promises: neither },
  'strict, and the provider contradicts itself': {
    mode: 'strict',
    promises: neither,
    faults: { lies: 0.2, reverses: 0.1, nameless: 0.05, tokenTwice: 0.01 },
  },
};

const WORLDS = DEEP ? 4_000 : 200;
/** Maximum worlds until a mutant must be detected. */
const MUTANT_WORLDS = 100;
const REPLAY = Number(process.env['RELAIS_SEED'] ?? 0);
const seedsOf = (nth: number): number[] =>
  REPLAY > 0 ? [REPLAY] : Array.from({ length: WORLDS }, (_, index) => nth * 100_000 + index + 1);

async function lived(
  options: PaymentsOptions,
): Promise<{ readonly world: PaymentsWorld; readonly found: readonly string[] }> {
  const world = new PaymentsWorld(options);
  await world.live();
  return { world, found: broken(world).map((how) => `seed ${options.seed}: ${how}`) };
}

test.for(Object.entries(settings).map(([title, setting], nth) => ({ title, setting, nth })))(
  'payments keep every promise: $title',
  async ({ setting, nth }) => {
    const all: string[] = [];
    for (const seed of seedsOf(nth)) all.push(...(await lived({ ...setting, seed })).found);
    expect(all).toEqual([]);
  },
);

test.for(mutants)('without $without a promise breaks', async ({ options, breaks }) => {
  for (let seed = 1; seed <= MUTANT_WORLDS; seed += 1) {
    const { found } = await lived({ ...options, seed });
    if (found.some((how) => breaks.test(how))) return;
  }
  expect.unreachable(`no promise broke in ${MUTANT_WORLDS} worlds`);
});

test('one seed makes one world', async () => {
  const options = { mode: 'resubmit', promises: both, seed: 9 } as const;
  const [first, second] = [await lived(options), await lived(options)];
  expect(second.world.ledger.rows).toEqual(first.world.ledger.rows);
  expect(second.world.counts).toEqual(first.world.counts);
});

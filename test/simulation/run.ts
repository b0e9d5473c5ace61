/** Many small worlds under one seed, and what became of them. */
import { type Verdicts, examine } from './invariants.ts';
import { PER_WORLD, World, type WorldOptions } from './world.ts';

export interface RunOptions extends Omit<WorldOptions, 'disbursements' | 'seed'> {
  readonly seed: number;
  readonly disbursements: number;
  /** Ends the run with the first world in which something is wrong. */
  readonly untilBroken?: boolean;
}

export interface Figures {
  readonly violations: readonly string[];
  /** Final states, outcomes of attempts and troubles met. */
  readonly counts: Readonly<Record<string, number>>;
  readonly paidTwice: number;
  readonly misreported: number;
  readonly lost: number;
  readonly reviewRate: number;
}

/** The seed of a world is the run's seed and its own number: `replay` of one is a run of one. */
const WORLDS_PER_SEED = 100_000;

export async function simulate({
  seed,
  disbursements,
  untilBroken = false,
  ...options
}: RunOptions): Promise<Figures> {
  const counts: Record<string, number> = {};
  const all: Verdicts[] = [];
  const violations: string[] = [];
  for (let index = 0; index * PER_WORLD < disbursements; index += 1) {
    const world = new World({ ...options, seed: seed * WORLDS_PER_SEED + index, disbursements: PER_WORLD });
    await world.live();
    const verdicts = examine(world);
    all.push(verdicts);
    for (const more of [verdicts.states, world.counts]) addTo(counts, more);
    violations.push(...verdicts.violations.map((violation) => `seed ${world.options.seed}: ${violation}`));
    if (untilBroken && violations.length > 0) break;
  }
  const sum = (of: 'paidTwice' | 'misreported' | 'lost'): number => all.reduce((total, one) => total + one[of], 0);
  const reviewed = all.reduce((total, { states }) => total + (states['needs_review'] ?? 0), 0);
  return {
    violations,
    counts,
    paidTwice: sum('paidTwice'),
    misreported: sum('misreported'),
    lost: sum('lost'),
    reviewRate: reviewed / (all.length * PER_WORLD),
  };
}

function addTo(counts: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
}

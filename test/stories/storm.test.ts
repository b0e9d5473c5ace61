import { afterAll, expect, test } from 'vitest';
import { killEveryone } from '../storm/child.ts';
import type { Mode } from '../storm/options.ts';
import type { Phase } from '../storm/phases.ts';
import { broken, describeOutcome } from '../storm/report.ts';
import { runStorm } from '../storm/storm.ts';
import { scenarioNames } from '../storm/scenarios.ts';
import { DEEP } from '../support/deep.ts';

const seeds = DEEP ? [1, 2, 3, 4, 5] : [1];
const modes: readonly Mode[] = ['resubmit', 'strict'];
const [disbursements, texts] = DEEP ? [10_000, 20_000] : [500, 2_000];
const scenarios = new Set(scenarioNames);
// Far more than one needs: other stories run concurrently, and a machine may be slow. Each wait within it has its own
// time-out.
const LIMIT_MS = DEEP ? 1_800_000 : 600_000;

/** A storm that reaches its limit has reported its progress. */
const tell = ({ name, ms }: Phase): void => void process.stdout.write(`  ${name}: ${Math.round(ms / 1_000)} s\n`);

// A storm that a failed expectation or a time-out ends early leaves no process behind.
afterAll(killEveryone);

for (const mode of modes) {
  for (const seed of seeds) {
    test(
      `${disbursements} disbursements and ${texts} SMS keep every guarantee in a storm (${mode}, seed ${seed})`,
      async () => {
        const outcome = await runStorm({ disbursements, texts, seed, mode, scenarios, tell });
        const told = describeOutcome(outcome);
        process.stdout.write(`seed ${seed}, mode ${mode}\n${told}\n`);
        expect(broken(outcome), told).toBe(false);
      },
      LIMIT_MS,
    );
  }
}

/** `script/storm`: one storm after the other, each with a full report; exit code 1 after a broken guarantee. */
import { killEveryone } from './child.ts';
import { nowMs } from './clock.ts';
import { type Mode, readOptions, type StormOptions, USAGE } from './options.ts';
import type { Phase } from './phases.ts';
import { broken, describeOutcome } from './report.ts';
import { runStorm } from './storm.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
process.once('exit', killEveryone);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function runOne(options: StormOptions, mode: Mode, seed: number): Promise<boolean> {
  try {
    const tell = ({ name, ms }: Phase): void =>
      say(`  ${Math.round(nowMs() / 1_000)} s: ${name}, ${Math.round(ms / 100) / 10} s`);
    const outcome = await runStorm({ ...options, mode, seed, tell });
    say(describeOutcome(outcome));
    if (options.keep) say(`kept: ${outcome.dir}`);
    return !broken(outcome);
  } catch (error) {
    // The next seed may still give a result.
    say(`✗     the storm could not be told to its end: ${error instanceof Error ? error.stack : String(error)}`);
    return false;
  }
}

async function runAll(options: StormOptions): Promise<boolean> {
  let allWell = true;
  for (const mode of options.modes) {
    for (let seed = options.seed; seed < options.seed + options.seeds; seed += 1) {
      say(`\nseed ${seed}, mode ${mode}, ${options.disbursements} disbursements, ${options.texts} texts`);
      if (!(await runOne(options, mode, seed))) allWell = false;
    }
  }
  return allWell;
}

try {
  const options = readOptions(process.argv.slice(2));
  process.exit((await runAll(options)) ? 0 : 1);
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  process.stderr.write(`${error.message}\n${USAGE}\n`);
  process.exit(2);
}

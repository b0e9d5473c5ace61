/** `script/bench`: works in sequence, on this machine. Figures are compared within one run, never between two. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultProgram } from '../storm/plan.ts';
import { endEveryone } from './programs.ts';
import { tableOf } from './report.ts';
import { openStage } from './stage.ts';
import { type Result, type Size, type WorkName, works } from './works.ts';

const FULL: Size = { rounds: 5, payments: 3_000, recipients: 100_000, requests: 10_000 };
const QUICK: Size = { rounds: 1, payments: 500, recipients: 10_000, requests: 1_000 };
const PAGE = join(import.meta.dirname, '../../docs/dev/performance.md');
const MEASURED = '## Measured';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
process.once('exit', endEveryone);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
const names = positionals.length === 0 ? Object.keys(works) : positionals;
const unknown = names.filter((name) => !(name in works));
if (unknown.length > 0) {
  process.stderr.write(`no work is named ${unknown.join(', ')}; there are: ${Object.keys(works).join(', ')}\n`);
  process.exit(2);
}
const size = { ...(values.quick ? QUICK : FULL), ...(values.rounds && { rounds: Number(values.rounds) }) };
const load = (loadavg()[0] ?? 0).toFixed(1);
const stage = await openStage(defaultProgram);
const results: Result[] = [];
try {
  for (const name of names as readonly WorkName[]) {
    const result = await works[name](stage, size);
    results.push(result);
    say(tableOf(result));
  }
} finally {
  await stage.close();
}
if (values.write) writePage();

function writePage(): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}, load before ${load}`;
  const about = `Commit ${commit}, ${size.rounds} rounds, median (lowest to highest). ${machine}. The provider is the simulator, without latency.`;
  const page = readFileSync(PAGE, 'utf8');
  const [head = page] = page.split(MEASURED);
  writeFileSync(PAGE, `${head}${MEASURED}\n\n${about}\n\n${results.map(tableOf).join('\n')}`);
}

/** `script/bench`: row after row, on the machine it runs on; nothing of it is compared with another run. */
import { USAGE, type BenchOptions, type RowName, readOptions } from './options.ts';
import { endEveryone } from './programs.ts';
import { machineOf } from './report/machine.ts';
import { type Report, tableOf, writePage } from './report/page.ts';
import type { Row, RowMaker } from './rows.ts';
import { backlogRows } from './rows/backlog.ts';
import { campaignRows } from './rows/campaign.ts';
import { commandRows } from './rows/commands.ts';
import { ceilingRows } from './rows/ceiling.ts';
import { disbursementRows } from './rows/disbursements.ts';
import { doorRows } from './rows/doors.ts';
import { flatnessRows } from './rows/flatness.ts';
import { historyRows } from './rows/history.ts';
import { latencyRows, scaleRows } from './rows/latency.ts';
import { listRows } from './rows/lists.ts';
import { otpRows } from './rows/otp.ts';
import { readingRows } from './rows/reading.ts';
import { recoveryRows } from './rows/recovery.ts';
import { openStage } from './stage.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
process.once('exit', endEveryone);

const makers: Readonly<Record<RowName, RowMaker>> = {
  ceiling: ceilingRows,
  campaign: campaignRows,
  disbursements: disbursementRows,
  latency: latencyRows,
  scale: scaleRows,
  recovery: recoveryRows,
  doors: doorRows,
  backlog: backlogRows,
  otp: otpRows,
  reading: readingRows,
  lists: listRows,
  history: historyRows,
  flatness: flatnessRows,
  commands: commandRows,
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** A row that broke off is told as such, and the others are measured all the same. */
async function run(options: BenchOptions): Promise<boolean> {
  // Asked first: it tells how busy the machine was with other things.
  const machine = await machineOf();
  const stage = await openStage(options.program);
  const rows: Row[] = [];
  const broken: string[] = [];
  const started = performance.now();
  try {
    for (const name of options.rows) {
      try {
        const made = await makers[name](stage, options);
        rows.push(...made);
        say(tableOf(made));
      } catch (error) {
        broken.push(name);
        say(`✗ ${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
      }
    }
  } finally {
    await stage.close();
  }
  const minutes = (performance.now() - started) / 60_000;
  const command = ['script/bench', ...process.argv.slice(2)].join(' ');
  const report: Report = { rows, machine, command, minutes, broken };
  say(`${minutes.toFixed(1)} minutes${broken.length > 0 ? `; broke off: ${broken.join(', ')}` : ''}`);
  if (options.write) await writePage(report);
  return broken.length === 0;
}

try {
  process.exit((await run(readOptions(process.argv.slice(2)))) ? 0 : 1);
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  process.stderr.write(`${error.message}\n${USAGE}\n`);
  process.exit(2);
}

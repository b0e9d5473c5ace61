import { type Command, Option } from 'commander';
import { type SkipReason, skipReasons } from '../campaigns/check/reasons.ts';
import { renderReport } from '../campaigns/check/report.ts';
import type { CheckSummary } from '../campaigns/check/summary.ts';
import { WrongUsage } from './failure.ts';
import { country, listOf, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from './output.ts';
import { checkFile } from './recipients-file.ts';
import type { Shell } from './shell.ts';

interface CheckFlags {
  readonly text?: string;
  readonly country?: string;
  readonly repair?: readonly ('CI' | 'BJ')[];
  readonly leaveOut?: readonly SkipReason[];
  readonly csv?: string;
  readonly json?: true;
}

/** Rows that are skipped only because nobody said what to do with them, and the flag that says it. */
const DECISIONS = {
  no_country: { rows: 'have no country code', flag: '--country SN', does: 'reads them as numbers of that country' },
  old_numbering: { rows: 'are from before 2021 or 2024', flag: '--repair CI,BJ', does: 'renews them' },
} as const satisfies Partial<Record<SkipReason, { rows: string; flag: string; does: string }>>;

interface Decision {
  readonly reason: keyof typeof DECISIONS;
  readonly rows: number;
  /** Either decides it. */
  readonly flags: readonly [string, string];
}

export function addCheck(group: Command, shell: Shell): void {
  const command = group
    .command('check')
    .description('See what is wrong with a file and what it costs, before anything is sent')
    .argument('<file>', 'CSV or JSON lines, with a column of numbers')
    .option('--text <text>', 'the text with its {{variables}}: counts segments and finds empty values')
    .option('--country <code>', 'country of the numbers without a country code', country)
    .option('--repair <countries>', 'renew old numbers of CI, BJ', listOf(['CI', 'BJ'] as const))
    .addOption(
      new Option('--leave-out <reasons>', 'rows skipped for these reasons are meant to be skipped').argParser(
        listOf(Object.keys(skipReasons) as SkipReason[]),
      ),
    )
    .option('--csv <file>', 'write the skipped rows there')
    .option('--json', 'print the report as JSON')
    .action(shell.action((file: string, flags: CheckFlags) => check(file, flags, shell)));
  withExample(command, "relais campaign check people.csv --text 'Bonjour {{prenom}}' --country SN --csv skipped.csv");
}

async function check(file: string, flags: CheckFlags, { output }: Shell): Promise<ExitCode> {
  const { csv, json, leaveOut = [], text, repair } = flags;
  if (csv === file) throw new WrongUsage('--csv would overwrite the file itself.');
  const options = {
    ...(text !== undefined && { text }),
    ...(flags.country !== undefined && { country: flags.country }),
    ...(repair !== undefined && { repair }),
  };
  const summary = await checkFile(file, options, csv);
  const decisions = decisionsIn(summary, leaveOut);
  if (json) await output.json({ ...summary, decisions });
  else {
    await output.line(renderReport(summary));
    if (decisions.length > 0) await output.line(`\n${renderDecisions(decisions)}`);
  }
  if (csv !== undefined) await output.note(`${grouped(summary.skipped)} skipped rows are in ${csv}`);
  if (summary.recipients === 0) await output.note('Nobody would get a text.');
  return decisions.length === 0 && summary.recipients > 0 ? 0 : 1;
}

function decisionsIn(
  { reasons }: Pick<CheckSummary, 'reasons'>,
  leaveOut: readonly SkipReason[],
): readonly Decision[] {
  const open = (Object.keys(DECISIONS) as (keyof typeof DECISIONS)[]).filter((reason) => !leaveOut.includes(reason));
  return open.flatMap((reason) => {
    const rows = reasons[reason]?.count ?? 0;
    return rows === 0 ? [] : [{ reason, rows, flags: [DECISIONS[reason].flag, `--leave-out ${reason}`] as const }];
  });
}

function renderDecisions(decisions: readonly Decision[]): string {
  const lines = decisions.map(({ reason, rows, flags: [decide, leave] }) => {
    const { rows: are, does } = DECISIONS[reason];
    return `  ${grouped(rows)} numbers ${are}: ${decide} ${does}, ${leave} leaves them out`;
  });
  return ['To decide before the start', ...lines].join('\n');
}

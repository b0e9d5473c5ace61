import { type Command, Option } from 'commander';
import { renderReport, type CheckSummary } from '../campaigns/check/report.ts';
import { money } from '../messages/figures.ts';
import { refuseOverwriting } from './asking.ts';
import { checkThere } from './campaign-check-there.ts';
import { type Decision, decisionsIn, renderDecisions } from './check-decisions.ts';
import { WrongUsage } from './failure.ts';
import { atLeastOne, country, withExample } from './flags.ts';
import { type ExitCode, isStandardInput } from './io.ts';
import { grouped } from '../messages/counts.ts';
import { pricesFor } from './prices-file.ts';
import { checkFile, type FileFlags, readingOf, stopLinkOf, withFileFlags } from './recipients-file.ts';
import { sourceOf } from './recipients-source.ts';
import type { Shell } from './shell.ts';
import { testNumbers, testSend } from './test-send.ts';

interface CheckFlags extends FileFlags {
  readonly campaign?: string;
  readonly text?: string;
  readonly country?: string;
  readonly replaceCostly?: true;
  readonly prices?: string;
  readonly preview?: number;
  readonly testSend?: readonly string[];
  readonly from?: string;
  readonly account?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function addCheck(group: Command, shell: Shell): void {
  const made = group
    .command('check')
    .description('Check a recipient file and its cost. Nothing is sent')
    .argument('<file>', 'CSV, .xlsx, .ods or JSON lines, with a column of phone numbers; - reads standard input')
    .addOption(
      new Option(
        '--campaign <id>',
        'check as an upload to this campaign: with its text, its recipients and the opt-outs',
      ).conflicts(['text', 'country', 'replaceCostly', 'prices', 'csv']),
    )
    .option('--text <text>', 'the text with its {{variables}}: counts segments and finds empty values')
    .option('--country <code>', 'country of phone numbers without a country code', country);
  const command = withFileFlags(made)
    .option('--replace-costly', 'count with ê ç œ ’ « » … replaced by cheaper look-alikes')
    .option('--prices <file>', 'JSON file of XOF per segment and country: {"SN": 20}; default: SMS_PRICES_FILE')
    .option(
      '--preview <n>',
      'show the first n SMS, the longest and the most expensive, as they would be sent',
      atLeastOne,
    )
    .option('--test-send <numbers>', 'send the first SMS to these phone numbers, after a question', testNumbers)
    .option('--from <sender>', 'sender ID of the test SMS')
    .option('--account <name>', 'account that sends the test SMS')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the report as JSON')
    .action(shell.action((file: string, flags: CheckFlags) => check(file, flags, shell)));
  withExample(
    command,
    "relais campaign check people.csv --text 'Bonjour {{prenom}}' --country SN --prices prices.json --preview 3",
  );
}

async function check(file: string, flags: CheckFlags, shell: Shell): Promise<ExitCode> {
  await requireSense(file, flags, shell);
  const { csv, json, leaveOut, asWritten, testSend: numbers } = flags;
  const summary = await summaryOf(file, flags, shell);
  const decisions = decisionsIn(summary, { leaveOut, asWritten, countryIsFixed: flags.campaign !== undefined });
  if (json) await shell.output.json({ ...summary, decisions });
  else await shell.output.prose(renderReport(summary, shell.language));
  const verdict = await conclude({ summary, decisions, quiet: json ?? false }, shell);
  await tellSkipped(summary, csv, shell);
  if (!numbers) return verdict;
  const { from, account, yes } = flags;
  const tried = await testSend(summary, { numbers, from, account, yes }, shell);
  return verdict === 0 ? tried : verdict;
}

async function summaryOf(file: string, flags: CheckFlags, shell: Shell): Promise<CheckSummary> {
  const { campaign } = flags;
  if (campaign !== undefined) return checkThere(file, { ...flags, campaign, preview: previewOf(flags) }, shell);
  return checkFile(sourceOf(file, shell), await optionsOf(flags, shell), {
    csv: flags.csv,
    language: shell.language,
  });
}

/** Reports impossible options before a file of a million rows is read. */
async function requireSense(file: string, flags: CheckFlags, shell: Shell): Promise<void> {
  const { io, words } = shell;
  const { usage } = words.commands;
  const { campaign, csv, text, preview, testSend: numbers, yes } = flags;
  await refuseOverwriting(file, csv, shell);
  for (const [flag, value] of Object.entries({ '--preview': preview, '--test-send': numbers })) {
    const shows = text !== undefined || campaign !== undefined;
    if (value !== undefined && !shows) throw new WrongUsage(usage.needsText(flag));
  }
  if (numbers && isStandardInput(file) && io.isTerminal && !yes) {
    throw new WrongUsage(usage.testAsks);
  }
}

function previewOf({ preview, testSend: numbers }: CheckFlags): number | undefined {
  return preview ?? (numbers ? 1 : undefined);
}

async function optionsOf(flags: CheckFlags, shell: Shell) {
  const { text, country: code, replaceCostly } = flags;
  const prices = await pricesFor(flags.prices, shell);
  const shown = previewOf(flags);
  return {
    ...(text !== undefined && { text }),
    ...(code !== undefined && { country: code }),
    ...readingOf(flags),
    ...stopLinkOf(shell.io),
    ...(replaceCostly && { replaceCostly }),
    ...(prices && { prices }),
    ...(shown !== undefined && { preview: shown }),
  };
}

async function tellSkipped(
  { skipped }: CheckSummary,
  csv: string | undefined,
  { output, words: { file } }: Shell,
): Promise<void> {
  if (csv !== undefined) await output.note(`\n${file.rowsAreIn(grouped(skipped), csv)}`);
  else if (skipped > 0) await output.note(`\n${file.allSkipped}`);
}

interface Conclusion {
  readonly summary: CheckSummary;
  readonly decisions: readonly Decision[];
  readonly quiet: boolean;
}

/** No decision may be open, and there must be recipients. */
async function conclude({ summary, decisions, quiet }: Conclusion, shell: Shell): Promise<ExitCode> {
  const { output, words, language } = shell;
  const { segmentsSaved = 0, estimatedXofSaved: xof } = summary.segments?.costly ?? {};
  const price = xof === undefined ? '' : words.file.about(money(xof, words.figures));
  if (segmentsSaved > 0 && !quiet) await output.prose(`\n${words.file.cheaper(grouped(segmentsSaved), price)}`);
  if (decisions.length > 0 && !quiet) await output.prose(`\n${renderDecisions(decisions, language)}`);
  if (summary.recipients === 0) await output.note(`\n${words.file.nobody}`);
  return decisions.length === 0 && summary.recipients > 0 ? 0 : 1;
}

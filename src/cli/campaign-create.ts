import { type Command, Option } from 'commander';
import { renderReport, type CheckSummary } from '../campaigns/check/report.ts';
import { canonicalJson, fingerprint } from '../lib/ids.ts';
import { money } from '../messages/figures.ts';
import { refuseOverwriting } from './asking.ts';
import { type FirstPaceFlags, withFirstPace, withoutOff } from './campaign-pace.ts';
import type { JsonObject } from './client.ts';
import { type Decision, decisionsIn, renderDecisions } from './check-decisions.ts';
import { CommandFailed, WrongUsage } from './failure.ts';
import { atLeastOne, country, withExample } from './flags.ts';
import { type ExitCode, isStandardInput } from './io.ts';
import { grouped } from '../messages/counts.ts';
import { pricesFor } from './prices-file.ts';
import {
  checkFile,
  contentTypeOf,
  type FileFlags,
  queryOf,
  readingOf,
  stopLinkOf,
  withFileFlags,
} from './recipients-file.ts';
import { type RecipientsSource, withRereadable } from './recipients-source.ts';
import type { Words } from '../messages/languages.ts';
import { Refused } from './refusal.ts';
import type { Shell } from './shell.ts';
import { testNumbers, testSend } from './test-send.ts';

interface CampaignFlags extends FirstPaceFlags {
  readonly name: string;
  readonly text: string;
  readonly reference?: string;
  readonly from?: string;
  readonly country?: string;
  readonly account?: string;
  readonly replaceCostly?: true;
  readonly onUnknown?: 'hold' | 'resend';
}

/** Options that are used here and are no part of the campaign in the API. */
interface DoingFlags extends FileFlags {
  readonly prices?: string;
  readonly preview?: number;
  readonly testSend?: readonly string[];
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

type CreateFlags = CampaignFlags & DoingFlags;

export function addCreate(group: Command, shell: Shell): void {
  const made = group
    .command('create')
    .description('Create a campaign and upload its recipients. Nothing is sent before its start')
    .argument('[file]', 'CSV, .xlsx, .ods or JSON lines, with a column of phone numbers; - reads standard input')
    .requiredOption('--name <name>', 'name of the campaign, for people')
    .requiredOption('--text <text>', 'the text; its {{variables}} are columns of the file')
    .option('--reference <text>', 'your own reference: the same reference never creates a second campaign')
    .option('--from <sender>', 'sender ID; default: the one of the messaging account')
    .option('--country <code>', 'country of phone numbers without a country code', country)
    .option('--account <name>', 'account that sends the SMS')
    .addOption(
      new Option(
        '--on-unknown <what>',
        'what to do with recipients in doubt: keep them in doubt, or send to them again',
      ).choices(['hold', 'resend']),
    );
  const command = withFileFlags(withFirstPace(made))
    .option('--replace-costly', 'send with ê ç œ ’ « » … replaced by cheaper look-alikes')
    .option('--prices <file>', 'JSON file of XOF per segment and country: {"SN": 20}; default: SMS_PRICES_FILE')
    .option(
      '--preview <n>',
      'show the first n SMS, the longest and the most expensive, as they will be sent',
      atLeastOne,
    )
    .option('--test-send <numbers>', 'send the first SMS to these phone numbers, after a question', testNumbers)
    .option('--dry-run', 'create and upload nothing: only show the planned SMS and their cost')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print campaign and upload as JSON')
    .action(shell.action((file: string | undefined, flags: CreateFlags) => create(file, flags, shell)));
  withExample(command, "relais campaign create --name Rappel --text 'Bonjour {{prenom}}' --country SN people.csv");
}

async function create(file: string | undefined, flags: CreateFlags, shell: Shell): Promise<ExitCode> {
  await requireSense(file, flags, shell);
  if (file === undefined) return createOf(undefined, flags, shell);
  // Checked first, so that an unusable file leaves no empty campaign.
  return withRereadable(file, shell, async (source) => {
    const summary = await checkFile(source, await optionsOf(flags, shell), {
      csv: flags.csv,
      language: shell.language,
    });
    const decisions = decisionsIn(summary, flags);
    if (flags.dryRun) return sayOnly({ summary, decisions }, flags, shell);
    if (!(await decided(decisions, { file, flags }, shell))) return 1;
    if (summary.recipients === 0) return ofNobody(summary, flags, shell);
    return createOf({ source, summary }, flags, shell);
  });
}

/**
 * Asks for the open decisions of the check. Without a terminal the flags must decide: \`--yes\` confirms the command,
 * not the treatment of people who would get nothing.
 */
async function decided(
  decisions: readonly Decision[],
  { file, flags: { yes, json } }: { readonly file: string; readonly flags: CreateFlags },
  shell: Shell,
): Promise<boolean> {
  if (decisions.length === 0) return true;
  if (json) await shell.output.json({ decisions });
  await shell.output.note(`${renderDecisions(decisions, shell.language)}\n`);
  if (shell.io.isTerminal && !yes && !json && !isStandardInput(file)) {
    return shell.confirmed(shell.words.campaign.withoutThese, undefined);
  }
  await shell.output.note(shell.words.campaign.decideFirst);
  return false;
}

async function requireSense(file: string | undefined, flags: CreateFlags, shell: Shell): Promise<void> {
  const { io, words } = shell;
  const { usage } = words.commands;
  const { dryRun, preview, repair, csv, testSend: numbers, yes } = flags;
  const needFile = {
    '--dry-run': dryRun,
    '--preview': preview,
    '--repair': repair,
    '--csv': csv,
    '--test-send': numbers,
  };
  for (const [flag, value] of Object.entries(needFile)) {
    if (value !== undefined && file === undefined) throw new WrongUsage(usage.needsFile(flag));
  }
  if (file !== undefined) await refuseOverwriting(file, csv, shell);
  if (numbers && dryRun) throw new WrongUsage(usage.testOrDry);
  if (numbers && isStandardInput(file) && io.isTerminal && !yes) {
    throw new WrongUsage(usage.testAsks);
  }
}

async function optionsOf(flags: CreateFlags, shell: Shell) {
  const { text, country: code, replaceCostly, preview, testSend: numbers } = flags;
  const prices = await pricesFor(flags.prices, shell);
  const shown = preview ?? (numbers ? 1 : undefined);
  return {
    text,
    ...(code !== undefined && { country: code }),
    ...readingOf(flags),
    ...stopLinkOf(shell.io),
    ...(replaceCostly && { replaceCostly }),
    ...(prices && { prices }),
    ...(shown !== undefined && { preview: shown }),
  };
}

async function sayOnly(
  { summary, decisions }: { readonly summary: CheckSummary; readonly decisions: readonly Decision[] },
  { json }: CreateFlags,
  { output, words, language }: Shell,
): Promise<ExitCode> {
  const { campaign, file } = words;
  if (json) await output.json({ dryRun: true, upload: summary, decisions });
  else await output.prose(renderReport(summary, language));
  const { recipients, segments, cost } = summary;
  const price = cost ? file.about(money(cost.xof, words.figures)) : '';
  const size = campaign.dryRunSize(grouped(segments?.total ?? 0), price);
  await output.note(`\n${campaign.dryRun(grouped(recipients), size)}`);
  if (decisions.length > 0) await output.note(`\n${renderDecisions(decisions, language)}`);
  return recipients > 0 && decisions.length === 0 ? 0 : 1;
}

/** Nothing is created: recipients that follow later need a campaign without a file. */
async function ofNobody(summary: CheckSummary, { json }: CreateFlags, shell: Shell): Promise<ExitCode> {
  const { output, words, language } = shell;
  if (json) await output.json({ upload: summary });
  else await output.prose(renderReport(summary, language));
  await output.note(`\n${words.file.nobody}`);
  return 1;
}

interface Recipients {
  readonly source: RecipientsSource;
  readonly summary: CheckSummary;
}

async function createOf(recipients: Recipients | undefined, flags: CreateFlags, shell: Shell): Promise<ExitCode> {
  const body = campaignOf(flags);
  const { preview, testSend: numbers, yes, json } = flags;
  const identity = identityOf(body, flags, recipients?.summary);
  const { body: campaign, replayed } = await shell.api.post('/v1/campaigns', body, identity);
  const id = String(campaign['id']);
  if (replayed) await shell.output.note(shell.words.campaign.thereAlready(id));
  const upload = recipients && (await uploadFile(recipients, { id, flags }, shell));
  if (json) await shell.output.json({ ...(upload ? await asItIsNow(campaign, shell) : campaign), upload });
  else await told(campaign, upload, shell);
  if (preview !== undefined && recipients && !json)
    await shell.output.prose(renderReport(recipients.summary, shell.language));
  if (!numbers || !recipients) return 0;
  return testSend(recipients.summary, { numbers, from: body.from, account: body.account, yes }, shell);
}

/** With its recipients. A key that may only enqueue sees the campaign as it was created. */
async function asItIsNow(campaign: JsonObject, { api }: Shell): Promise<JsonObject> {
  try {
    return (await api.get(`/v1/campaigns/${encodeURIComponent(String(campaign['id']))}`)).body;
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return campaign;
    throw error;
  }
}

/** The campaign's own fields for the API. */
function campaignOf(flags: CreateFlags): CampaignFlags & JsonObject {
  const { prices: _p, preview: _v, testSend: _t, dryRun: _d, yes: _y, json: _j, ...rest } = flags;
  const { phoneColumn: _c, sheet: _s, encoding: _e, repair: _r, takeHidden: _h, ...more } = rest;
  const { take: _k, leaveOut: _l, asWritten: _a, csv: _f, ...campaign } = more;
  return withoutOff(campaign);
}

/**
 * Without a reference, the text, the bytes of the file and its options are the identity: repeating the command finds
 * its campaign, and next month's file under the same name is another campaign.
 */
function identityOf(
  body: CampaignFlags,
  flags: FileFlags,
  summary: CheckSummary | undefined,
): Record<string, string> {
  if (body.reference !== undefined) return {};
  const read = { ...queryOf(flags), encoding: flags.encoding };
  return { 'idempotency-key': `cli-${fingerprint(canonicalJson({ ...body, read, file: summary?.contentHash }))}` };
}

async function uploadFile(
  { source, summary }: Recipients,
  { id, flags }: { readonly id: string; readonly flags: FileFlags },
  { api, words: { campaign: words } }: Shell,
): Promise<JsonObject> {
  const query = new URLSearchParams(queryOf(flags)).toString();
  const path = `/v1/campaigns/${encodeURIComponent(id)}/recipients${query === '' ? '' : `?${query}`}`;
  try {
    return (await api.upload(path, source.open(), contentTypeOf(summary.format, flags.encoding))).body;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new CommandFailed(words.withoutRecipients(id, error.message), {
      next: error.next ?? words.runAgain,
      cause: error,
    });
  }
}

async function told(campaign: JsonObject, upload: JsonObject | undefined, { output, words }: Shell): Promise<void> {
  const { labels, made } = words.campaign;
  const count = (name: string): string | undefined =>
    typeof upload?.[name] === 'number' ? grouped(upload[name]) : undefined;
  await output.facts([
    [labels.id, campaign['id']],
    [labels.name, campaign['name']],
    [labels.rows, count('total')],
    [labels.recipients, count('recipients')],
    [labels.skipped, count('skipped')],
    ...reasonsOf(upload),
    ...costOf(upload, words),
  ]);
  await output.note(made(String(campaign['id'])));
}

/** Why rows were skipped, as counted by the API. A repeated upload has only the totals. */
function reasonsOf(upload: JsonObject | undefined): [string, string][] {
  const reasons = Object.entries(
    (upload?.['reasons'] ?? {}) as Readonly<Record<string, { readonly count?: number }>>,
  );
  return reasons.map(([reason, { count = 0 }]) => [`  ${reason}`, grouped(count)]);
}

/** The API's estimate, with its own prices. */
function costOf(upload: JsonObject | undefined, { file, figures, campaign: { labels } }: Words): [string, string][] {
  const { segments, cost } = (upload ?? {}) as Partial<CheckSummary>;
  if (!segments) return [];
  const priced: [string, string][] = cost
    ? [[labels.cost, file.about(money(cost.xof, figures)).replace(/^, /, '')]]
    : [];
  const unpriced: [string, string][] = cost?.unpriced.length
    ? [[`  ${labels.unpriced}`, cost.unpriced.join(', ')]]
    : [];
  return [[labels.segments, grouped(segments.total)], ...priced, ...unpriced];
}

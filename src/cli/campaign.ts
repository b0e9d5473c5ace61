import type { Command } from 'commander';
import { addApprove, waitsForAnother } from './campaign-approve.ts';
import { addCheck } from './campaign-check.ts';
import { addCreate } from './campaign-create.ts';
import { type CampaignView, follow, readCampaign } from './campaign-follow.ts';
import { nightOf } from './campaign-night.ts';
import { addPace } from './campaign-pace.ts';
import { addReport } from './campaign-report.ts';
import { sizeOf } from './campaign-size.ts';
import { addRetry } from './campaign-retry.ts';
import type { JsonObject } from './client.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { type Language, type Words, wordFor, wordsIn } from '../messages/languages.ts';
import { grouped } from '../messages/counts.ts';
import { printable, type Row } from './output.ts';
import { renderLine } from './progress.ts';
import type { Shell } from './shell.ts';

const EXAMPLE_ID = 'cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d';

/** In order of a campaign's life, in addition to the commands derived from routes. */
export function addCampaignCommands(group: Command, shell: Shell): void {
  addCheck(group, shell);
  addCreate(group, shell);
  addStart(group, shell);
  addApprove(group, shell, print);
  addPace(group, shell, { print });
  addShow(group, shell);
  addReport(group, shell);
  addRetry(group, shell);
}

interface StartFlags {
  readonly dryRun?: true;
  readonly follow?: true;
  readonly yes?: true;
  readonly json?: true;
}

function addStart(group: Command, shell: Shell): void {
  const command = group
    .command('start')
    .description('Start a campaign')
    .argument('<id>')
    .option('--follow', 'follow it until it ends')
    .option('--dry-run', 'start nothing: only show the planned SMS and their cost')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the campaign as JSON')
    .action(shell.action((id: string, flags: StartFlags) => start(id, flags, shell)));
  withExample(command, `relais campaign start ${EXAMPLE_ID} --follow`);
}

async function start(id: string, { follow: watch, dryRun, yes, json }: StartFlags, shell: Shell): Promise<ExitCode> {
  if (dryRun) return sayOnly(id, json, shell);
  const asks = shell.io.isTerminal && !yes;
  if (asks && !(await shell.confirmed(await questionFor(id, shell), yes))) return 1;
  const { status, body } = await shell.api.post(`${pathOf(id)}/start`);
  const night = asks ? undefined : nightOf(body, shell.words);
  if (night !== undefined) await shell.output.note(night);
  if (status === 202) {
    await print(body, json, shell);
    await shell.output.note(waitsForAnother(body, shell));
    return 0;
  }
  if (watch) return follow(id, json ?? false, shell);
  await print(body, json, shell);
  return 0;
}

async function sayOnly(id: string, json: true | undefined, { api, output, words }: Shell): Promise<ExitCode> {
  const { body } = await api.get(pathOf(id));
  if (json) await output.json({ dryRun: true, ...body });
  else {
    const { campaign } = words;
    const state = printable(wordFor(campaign.states, readCampaign(body, words).state));
    await output.prose(campaign.wouldText(state, sizeOf(body, words)));
  }
  return 0;
}

/** Describes the effect before it happens. A running campaign has fewer recipients left. */
async function questionFor(id: string, { api, words }: Shell): Promise<string> {
  const { body } = await api.get(pathOf(id));
  const night = nightOf(body, words);
  const question = words.campaign.text(sizeOf(body, words));
  return night === undefined ? question : `${night}\n${question}`;
}

interface ShowFlags {
  readonly follow?: true;
  readonly json?: true;
}

function addShow(group: Command, shell: Shell): void {
  const command = group
    .command('show')
    .description('Show the progress of a campaign')
    .argument('<id>')
    .option('--follow', 'follow it until it ends')
    .option('--json', 'print the campaign as JSON; with --follow, one line for each change')
    .action(
      shell.action(async (id: string, { follow: watch, json }: ShowFlags) => {
        if (watch) return follow(id, json ?? false, shell);
        await print((await shell.api.get(pathOf(id))).body, json, shell);
        return 0;
      }),
    );
  withExample(command, `relais campaign show ${EXAMPLE_ID} --follow`);
}

async function print(body: JsonObject, json: true | undefined, shell: Shell): Promise<void> {
  await (json ? shell.output.json(body) : printCampaign(body, shell));
}

export async function printCampaign(body: JsonObject, { output, language, words }: Shell): Promise<void> {
  await output.facts(factsOf(readCampaign(body, words), body, language));
}

function factsOf(
  campaign: CampaignView,
  { totals, recipients, countries, resent, retries, quiet }: JsonObject,
  language: Language,
): Row {
  const words = wordsIn(language).campaign;
  const { labels } = words;
  const bins = Object.entries((totals ?? {}) as Readonly<Record<string, number>>);
  return [
    [labels.id, campaign.id],
    [labels.name, campaign.name],
    [labels.state, wordFor(words.states, campaign.state)],
    [labels.reason, campaign.reason && wordFor(words.reasons, campaign.reason)],
    [labels.recipients, typeof recipients === 'number' ? grouped(recipients) : undefined],
    [labels.quietHours, hoursIn(quiet, words)],
    [labels.progress, renderLine({ ...campaign, perSecond: campaign.rate }, language)],
    [labels.sentAgain, typeof resent === 'number' ? grouped(resent) : undefined],
    [labels.retries, typeof retries === 'number' ? grouped(retries) : undefined],
    [labels.segments, campaign.segments === undefined ? undefined : grouped(campaign.segments)],
    ...bins
      .filter(([, count]) => count > 0)
      .map(([bin, count]) => [`  ${wordFor(words.bins, bin)}`, grouped(count)] as const),
    ...countriesIn(countries, words),
  ];
}

/** Undefined: an older API names no hours. */
function hoursIn(quiet: unknown, { night }: Words['campaign']): string | undefined {
  const { hours, timezone } = (quiet ?? {}) as { readonly hours?: string | null; readonly timezone?: string };
  if (hours === undefined) return undefined;
  return hours === null ? night.none : `${hours} (${timezone ?? ''})`;
}

function countriesIn(countries: unknown, words: Words['campaign']): Row {
  const found = Object.entries((countries ?? {}) as Readonly<Record<string, Readonly<Record<string, number>>>>);
  return found.map(([country, { recipients = 0, sent = 0, failed = 0 }]) => [
    `  ${country}`,
    words.country(grouped(recipients), grouped(sent), grouped(failed)),
  ]);
}

function pathOf(id: string): string {
  return `/v1/campaigns/${encodeURIComponent(id)}`;
}

/** Operator actions after PostgreSQL was restored from a backup. */
import { type Command, Option } from 'commander';
import type { JsonObject } from './client.ts';
import type { ExitCode } from './io.ts';
import { wordFor } from '../messages/languages.ts';
import { type RecoverySteps, recoverySteps } from '../messages/recovery-steps.ts';
import { itemsOf } from './record.ts';
import { grouped } from '../messages/counts.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';

interface RecoverFlags {
  readonly apply?: true;
  readonly nothingWasLost?: true;
  readonly newStamp?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** Number of operations per kind whose status is read from the provider before the decision. */
const ASKED = 50;

export function addRecoverCommand(command: Command, shell: Shell): void {
  command
    .addOption(
      new Option('--apply', 'resume all pending operations, without doing any of them twice').conflicts([
        'nothingWasLost',
        'newStamp',
      ]),
    )
    .addOption(
      new Option(
        '--nothing-was-lost',
        'confirm that nothing was lost: two persons within a day, each with their key; refused if relais knows of a loss',
      ).conflicts('newStamp'),
    )
    .option(
      '--new-stamp',
      'the provider has new addresses: accept them directly in PostgreSQL, with the settings of a process',
    )
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the answer as JSON')
    .action(shell.action((flags: RecoverFlags) => recover(flags, shell)))
    .addHelpText('after', shell.words.commands.recover.help);
}

async function recover(flags: RecoverFlags, shell: Shell): Promise<number> {
  const { apply, nothingWasLost, newStamp, json } = flags;
  if (newStamp) return acceptAddresses(shell, flags);
  if (apply) return applyAll(shell, flags);
  if (nothingWasLost) return confirm(shell, flags);
  const { body } = await shell.api.get('/v1/recovery', { ask: ASKED });
  if (json) await shell.output.json(body);
  else await show(body, shell);
  return 0;
}

/**
 * A process with another address of the provider does not start, so no API can accept it: this works on PostgreSQL
 * directly, with the settings of that process.
 */
async function acceptAddresses(shell: Shell, { yes }: RecoverFlags): Promise<number> {
  const words = shell.words.commands.recover;
  return shell.io.services.newStamp({
    confirmed: (settings) => shell.confirmed(words.moved(settings.join(', ')), yes),
    nothingDiffers: words.nothingDiffers,
  });
}

async function confirm(shell: Shell, { yes, json }: RecoverFlags): Promise<ExitCode> {
  const words = shell.words.commands.recover;
  if (!(await shell.confirmed(words.nothingLost, yes))) return 1;
  const { body } = await shell.api.post('/v1/recovery', { nothingWasLost: true });
  const { first } = body;
  if (json) await shell.output.json(body);
  else await shell.output.note(first === undefined ? words.asBefore : words.first(printable(first)));
  return 0;
}

/** Request by request, each a bounded turn; after an interruption the same command continues. */
async function applyAll(shell: Shell, { yes, json }: RecoverFlags): Promise<ExitCode> {
  const words = shell.words.commands.recover;
  if (!(await shell.confirmed(words.apply, yes))) return 1;
  for (;;) {
    const { body } = await shell.api.post('/v1/recovery', { apply: true });
    if (body['over'] === true) {
      if (json) await shell.output.json(body);
      else await showReport(objectIn(body, 'last'), shell);
      return 0;
    }
    const { done, of } = objectIn(body, 'progress') ?? {};
    if (shell.io.isTerminal && !json)
      await shell.output.note(words.progress(grouped(Number(done)), grouped(Number(of))));
  }
}

async function show(body: JsonObject, { output, words }: Shell): Promise<void> {
  const { labels, lost, would, ...said } = words.commands.recover;
  if (body['state'] !== 'recovering') {
    await output.note(said.none);
    return;
  }
  const { because, since, lastBeat, proven } = body;
  await output.facts([
    [labels.state, body['state']],
    [labels.because, because],
    [labels.since, since],
    [labels.lastBeat, lastBeat],
    [labels.lost, proven === true ? lost.yes : lost.no],
  ]);
  const open = itemsOf(body, 'open').map((item) => ({
    ...item,
    count: grouped(Number(item['count'])),
    xof: item['xof'] === undefined ? '' : grouped(Number(item['xof'])),
    [said.applied]: wordFor(would, String(item['would'])),
  }));
  await output.write(`\n${output.renderTable(['kind', 'state', 'count', 'xof', said.applied], open)}`);
  for (const { kind, asked, words: told } of itemsOf(body, 'says')) {
    const counts = Object.entries(told as Readonly<Record<string, number>>).map(
      ([word, times]) => `${times} ${word}`,
    );
    await output.prose(said.says(String(asked), printable(kind), counts.join(', ')));
  }
  await output.note(said.todo);
}

const COLUMNS = ['kind', 'open', 'settled', 'needsReview', 'underWay', 'held', 'xof'] as const;

async function showReport(report: JsonObject | undefined, { output, words }: Shell): Promise<void> {
  if (report === undefined) {
    await output.note(words.commands.recover.none);
    return;
  }
  const rows = itemsOf(report, 'items').map((row) => ({
    kind: row['kind'],
    ...Object.fromEntries(COLUMNS.slice(1, -1).map((name) => [name, grouped(countIn(row, name))])),
    xof: grouped(Number(objectIn(row, 'open')?.['xof'] ?? 0)),
  }));
  await output.write(output.renderTable(COLUMNS, rows));
  for (const sentence of recoverySteps(stepsIn(report), words)) await output.note(printable(sentence));
}

/** A member that another version omits is empty. */
function stepsIn(report: JsonObject): RecoverySteps {
  const { lostSince, heldCampaigns, broken } = report;
  return {
    lostSince: typeof lostSince === 'string' ? lostSince : null,
    items: itemsOf(report).map((row) => ({
      kind: String(row['kind']),
      needsReview: { count: countIn(row, 'needsReview') },
      underWay: { count: countIn(row, 'underWay') },
    })),
    unreadable: namedIn(report, 'unreadable'),
    heldCampaigns: Array.isArray(heldCampaigns) ? heldCampaigns : [],
    restored: countsIn(report, 'restored'),
    lostActions: itemsOf(report, 'lostActions').map(({ act }) => ({ act: String(act) })),
    broken: typeof broken === 'string' ? broken : null,
  };
}

function namedIn(report: JsonObject, name: string): RecoverySteps['unreadable'] {
  const { count, ids } = objectIn(report, name) ?? {};
  return { count: Number(count ?? 0), ids: Array.isArray(ids) ? ids.map(String) : [] };
}

function countsIn(report: JsonObject, name: string): Readonly<Record<string, number>> {
  const counts = Object.entries(objectIn(report, name) ?? {});
  return Object.fromEntries(counts.map(([kind, count]) => [kind, Number(count)]));
}

function countIn(row: JsonObject, name: string): number {
  return Number(objectIn(row, name)?.['count'] ?? 0);
}

function objectIn(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

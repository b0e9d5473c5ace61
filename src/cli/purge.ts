import type { Command } from 'commander';
import type { JsonObject } from './client.ts';
import { country, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from '../messages/counts.ts';
import type { Shell } from './shell.ts';

interface PurgeFlags {
  readonly phone: string;
  readonly country?: string;
  readonly yes?: true;
  readonly json?: true;
}

const COUNTED = ['looked', 'open'] as const;
const FOUND = ['messages', 'recipients', 'files', 'intakeJobs', 'events', 'optOuts'] as const;

export function addPurgeCommand(command: Command, shell: Shell): void {
  command
    .requiredOption('--phone <number>', 'phone number of the person')
    .option('--country <code>', 'country of a phone number without a country code', country)
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the counts as JSON')
    .action(shell.action((flags: PurgeFlags) => purge(flags, shell)));
  withExample(command, 'relais purge --phone +221771234567');
}

/**
 * Request by request, each a bounded part; after an interruption the same command starts again and finds the rest.
 */
async function purge({ yes, json, ...named }: PurgeFlags, shell: Shell): Promise<ExitCode> {
  const { output, io, api, spoken } = shell;
  const { labels, ...words } = shell.words.commands.purge;
  if (!(await shell.confirmed(words.question, yes))) return 1;
  const counts = { looked: 0, open: 0 };
  const found = { messages: 0, recipients: 0, files: 0, intakeJobs: 0, events: 0, optOuts: 0 };
  let first: JsonObject | undefined;
  for (let after: string | undefined; ; ) {
    const { body } = await api.send('POST', '/v1/purge', { ...named, ...(after === undefined ? {} : { after }) });
    first ??= body;
    for (const name of COUNTED) counts[name] += Number(body[name] ?? 0);
    const page = (body['found'] ?? {}) as JsonObject;
    for (const name of FOUND) found[name] += Number(page[name] ?? 0);
    if (io.isTerminal && !json) await output.note(words.looked(grouped(counts.looked)));
    if (typeof body['next'] !== 'string') break;
    after = body['next'];
  }
  const { phone, kept } = first;
  if (json) await output.json({ phone, ...counts, found, kept });
  else {
    await output.facts([
      [labels.number, phone],
      [labels.messages, grouped(found.messages)],
      [labels.recipients, grouped(found.recipients)],
      [labels.files, grouped(found.files)],
      [labels.requests, grouped(found.intakeJobs)],
      [labels.events, grouped(found.events)],
      [labels.optOut, found.optOuts > 0 ? words.kept : words.none],
    ]);
    if (typeof kept === 'string') await output.note(spoken.sentence(kept));
  }
  if (counts.open === 0) return 0;
  await output.note(words.open(counts.open));
  return 1;
}

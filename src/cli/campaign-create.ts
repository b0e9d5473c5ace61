import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { canonicalJson, fingerprint } from '../lib/ids.ts';
import type { CheckSummary } from '../campaigns/check/summary.ts';
import type { JsonObject } from './client.ts';
import { CommandFailed } from './failure.ts';
import { country, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from './output.ts';
import { checkFile } from './recipients-file.ts';
import { Refused } from './refusal.ts';
import type { Shell } from './shell.ts';

interface CreateFlags {
  readonly name: string;
  readonly text: string;
  readonly reference?: string;
  readonly from?: string;
  readonly country?: string;
  readonly account?: string;
  readonly json?: true;
}

const CONTENT_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

export function addCreate(group: Command, shell: Shell): void {
  const command = group
    .command('create')
    .description('Make a campaign and upload its recipients; nothing is sent before its start')
    .argument('[file]', 'CSV or JSON lines, with a column of numbers')
    .requiredOption('--name <name>', 'what people call it')
    .requiredOption('--text <text>', 'the text, with {{variables}} that are columns of the file')
    .option('--reference <text>', 'your own name for it: the same one never makes a second campaign')
    .option('--from <sender>', 'sender signature of the messaging account')
    .option('--country <code>', 'country of the numbers without a country code', country)
    .option('--account <name>', 'account that sends')
    .option('--json', 'print campaign and upload as JSON')
    .action(shell.action((file: string | undefined, flags: CreateFlags) => create(file, flags, shell)));
  withExample(command, "relais campaign create --name Rappel --text 'Bonjour {{prenom}}' --country SN people.csv");
}

async function create(file: string | undefined, flags: CreateFlags, shell: Shell): Promise<ExitCode> {
  const { json, ...body } = flags;
  // Judged first, so that a file that cannot be used leaves no empty campaign behind.
  const checked = file === undefined ? undefined : await checkFile(file, optionsOf(flags));
  const { body: campaign, replayed } = await shell.api.post('/v1/campaigns', body, identityOf(body, checked));
  const id = String(campaign['id']);
  if (replayed) await shell.output.note(`The campaign ${id} was there already; no second one was made.`);
  const upload = file && checked ? await uploadFile(file, { id, checked }, shell) : undefined;
  if (json) await shell.output.json({ ...(upload ? await asItIsNow(campaign, shell) : campaign), upload });
  else await told(campaign, upload, shell);
  return 0;
}

/** With its recipients. A key that may only enqueue is shown the campaign as it was made. */
async function asItIsNow(campaign: JsonObject, { api }: Shell): Promise<JsonObject> {
  try {
    return (await api.get(`/v1/campaigns/${encodeURIComponent(String(campaign['id']))}`)).body;
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return campaign;
    throw error;
  }
}

function optionsOf({ text, country: code }: CreateFlags) {
  return { text, ...(code !== undefined && { country: code }) };
}

/**
 * Without a reference, the words and the bytes of the file are the identity: the same command again finds the campaign
 * that it made, and next month's file under the same name is another campaign.
 */
function identityOf(body: Omit<CreateFlags, 'json'>, checked: CheckSummary | undefined): Record<string, string> {
  if (body.reference !== undefined) return {};
  return { 'idempotency-key': `cli-${fingerprint(canonicalJson({ ...body, file: checked?.contentHash }))}` };
}

interface Upload {
  readonly id: string;
  readonly checked: CheckSummary;
}

async function uploadFile(file: string, { id, checked }: Upload, { api }: Shell): Promise<JsonObject> {
  const path = `/v1/campaigns/${encodeURIComponent(id)}/recipients`;
  try {
    return (await api.upload(path, createReadStream(file), CONTENT_TYPES[checked.format])).body;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new CommandFailed(`The campaign ${id} is there, but its recipients are not: ${error.message}`, {
      next: error.next ?? 'Run the same command again: it goes on with this campaign.',
      cause: error,
    });
  }
}

async function told(campaign: JsonObject, upload: JsonObject | undefined, { output }: Shell): Promise<void> {
  const count = (name: string): string | undefined =>
    typeof upload?.[name] === 'number' ? grouped(upload[name]) : undefined;
  await output.facts([
    ['id', campaign['id']],
    ['name', campaign['name']],
    ['rows', count('total')],
    ['recipients', count('recipients')],
    ['skipped', count('skipped')],
    ...reasonsOf(upload),
  ]);
  await output.note(`Nothing is sent yet. Next: relais campaign start ${String(campaign['id'])} --follow`);
}

/** Why rows were skipped, as the API counted them. A replayed upload says only the totals. */
function reasonsOf(upload: JsonObject | undefined): [string, string][] {
  const reasons = Object.entries(
    (upload?.['reasons'] ?? {}) as Readonly<Record<string, { readonly count?: number }>>,
  );
  return reasons.map(([reason, { count = 0 }]) => [`  ${reason}`, grouped(count)]);
}

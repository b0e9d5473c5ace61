import type { Command } from 'commander';
import { sizeOf } from './campaign-size.ts';
import type { JsonObject } from './client.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { nightOf } from './campaign-night.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';

interface Flags {
  readonly hash: string;
  readonly yes?: true;
  readonly json?: true;
}

type Print = (body: JsonObject, json: true | undefined, shell: Shell) => Promise<void>;

export function addApprove(group: Command, shell: Shell, print: Print): void {
  const command = group
    .command('approve')
    .description('Approve a campaign. The key must belong to a person who did not prepare it')
    .argument('<id>')
    .requiredOption('--hash <sha256>', 'contentHash of the reviewed campaign: nothing else is sent')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the campaign as JSON')
    .action(shell.action((id: string, flags: Flags) => approve(id, flags, { shell, print })));
  withExample(command, `relais campaign approve cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d --hash b5bb9d80…`);
}

async function approve(
  id: string,
  { hash, yes, json }: Flags,
  { shell, print }: { readonly shell: Shell; readonly print: Print },
): Promise<ExitCode> {
  const path = `/v1/campaigns/${encodeURIComponent(id)}`;
  if (shell.io.isTerminal && !yes) {
    const { body } = await shell.api.get(path);
    await shell.output.ask(`${printable(body['text'])}\n`);
    const night = nightOf(body, shell.words);
    if (night !== undefined) await shell.output.note(night);
    if (!(await shell.confirmed(shell.words.campaign.letBeSent(sizeOf(body, shell.words)), yes))) return 1;
  }
  await print((await shell.api.post(`${path}/approve`, { contentHash: hash })).body, json, shell);
  return 0;
}

/** Shown to the user whose start now needs approval. */
export function waitsForAnother(body: JsonObject, { words }: Shell): string {
  const { id, contentHash } = body;
  return words.campaign.waitsForAnother(sizeOf(body, words), String(id), String(contentHash));
}

import { wordFor } from '../messages/languages.ts';
import type { Command } from 'commander';
import { follow, readCampaign } from './campaign-follow.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from '../messages/counts.ts';
import type { Shell } from './shell.ts';

interface RetryFlags {
  readonly includeUnknown?: true;
  readonly follow?: true;
  readonly yes?: true;
  readonly json?: true;
}

export function addRetry(group: Command, shell: Shell): void {
  const command = group
    .command('retry')
    .description('Retry the failed recipients of a campaign. The campaign must be finished')
    .argument('<id>')
    .option('--include-unknown', 'also retry recipients in doubt: they can get the SMS twice')
    .option('--follow', 'follow it until it ends')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the campaign as JSON')
    .action(shell.action((id: string, flags: RetryFlags) => retry(id, flags, shell)));
  withExample(command, 'relais campaign retry cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d --follow');
}

async function retry(id: string, flags: RetryFlags, shell: Shell): Promise<ExitCode> {
  const { includeUnknown = false, yes, json } = flags;
  const path = `/v1/campaigns/${encodeURIComponent(id)}`;
  const { totals } = readCampaign((await shell.api.get(path)).body, shell.words);
  const words = shell.words.campaign;
  const warning = words.twice(grouped(totals.unknown));
  if (includeUnknown && totals.unknown > 0) await shell.output.note(warning);
  const count = totals.failed + (includeUnknown ? totals.unknown : 0);
  if (!(await shell.confirmed(words.textAgain(grouped(count)), yes))) return 1;
  const { body } = await shell.api.post(`${path}/retry`, { includeUnknown });
  if (flags.follow) return follow(id, json ?? false, shell);
  const campaign = readCampaign(body, shell.words);
  if (json) await shell.output.json(body);
  else
    await shell.output.facts([
      [words.labels.id, campaign.id],
      [words.labels.state, wordFor(words.states, campaign.state)],
      [words.labels.again, grouped(count)],
    ]);
  return 0;
}

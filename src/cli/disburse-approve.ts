import { kindOf } from '../kinds/index.ts';
import type { Command } from 'commander';
import { money } from '../messages/figures.ts';
import { approveBatch } from './disburse-batch.ts';
import { WrongUsage } from './failure.ts';
import { withExample } from './flags.ts';
import { renderFacts } from './record.ts';
import type { ExitCode } from './io.ts';
import type { Shell } from './shell.ts';

interface ApproveFlags {
  readonly hash?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function addApprove(group: Command, shell: Shell): void {
  const command = group
    .command('approve')
    .description(
      'Approve a disbursement or a payment batch. The key must belong to another person than the requester',
    )
    .argument('<id>', 'id of a disbursement or of a payment batch')
    .option('--hash <sha256>', 'of a payment batch: hash of the reviewed file, so that nothing else is paid')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the answer as JSON')
    .action(shell.action((id: string, flags: ApproveFlags) => approve(id, flags, shell)));
  withExample(command, 'relais disburse approve dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d');
}

async function approve(id: string, { hash, yes, json }: ApproveFlags, shell: Shell): Promise<ExitCode> {
  if (hash !== undefined) return approveBatch(id, { hash, yes, json }, shell);
  if (kindOf(id) === 'batch') {
    throw new WrongUsage(shell.words.shell.batchNeedsHash, { next: shell.words.shell.seeBatch(id) });
  }
  const { api, output } = shell;
  const path = `/v1/disbursements/${encodeURIComponent(id)}`;
  if (shell.io.isTerminal && !yes) {
    const { body } = await api.get(path);
    await output.ask(renderFacts(body, output));
    const amount =
      typeof body['amount'] === 'number' ? money(body['amount'], shell.words.figures) : String(body['amount']);
    if (!(await shell.confirmed(shell.words.shell.letBePaid(amount, String(body['accountAlias'])), yes))) return 1;
  }
  const { body } = await api.post(`${path}/approve`);
  await (json ? output.json(body) : output.write(renderFacts(body, output)));
  return 0;
}

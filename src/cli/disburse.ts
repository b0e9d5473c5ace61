import type { Command } from 'commander';
import { type CreationFlags, withCreationFlags } from './asking.ts';
import { sendLines } from './bulk.ts';
import { addApprove } from './disburse-approve.ts';
import { addBatchCommands } from './disburse-batch.ts';
import { withExample } from './flags.ts';
import type { Shell } from './shell.ts';

/** In addition to the commands derived from routes. */
export function addDisburseCommands(group: Command, shell: Shell): void {
  addApprove(group, shell);
  addBatchCommands(group, shell);
  const command = group
    .command('send')
    .description('Pay each line of a file separately. For a file that another person approves: disburse batch')
    .argument('<file>', 'JSON lines of {accountAlias, amount, withdrawMode, reference, …}; - reads standard input');
  withCreationFlags(command).action(
    shell.action((file: string, flags: CreationFlags) =>
      sendLines(file, { path: '/v1/disbursements', question: shell.words.shell.payThem }, flags, shell),
    ),
  );
  withExample(command, 'relais disburse send refunds.jsonl --dry-run');
}

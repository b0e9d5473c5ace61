import type { Command } from 'commander';
import type { JsonObject } from './client.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from '../messages/counts.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';

export function addAuditCommands(group: Command, shell: Shell): void {
  const command = group
    .command('verify')
    .description('Verify the audit log. Exit code 1: a line is invalid or missing')
    .option('--json', 'print the counts as JSON')
    .action(shell.action((flags: { readonly json?: true }) => verify(flags, shell)));
  withExample(command, 'relais audit verify');
}

async function verify({ json }: { readonly json?: true }, { api, output, words }: Shell): Promise<ExitCode> {
  const said = words.commands.audit;
  const { body } = await api.get('/v1/audit/verification');
  const { fits, lines, fault, sealedTo } = body;
  if (json) await output.json(body);
  else {
    await output.facts([
      [said.lines, grouped(Number(lines))],
      [said.sealedTo, sealedTo ?? said.noneYet],
      ...(fits === true ? [] : [[said.fault, faultText(fault)] as [string, string]]),
    ]);
  }
  return fits === true ? 0 : 1;
}

function faultText(fault: unknown): string {
  const { id, why } = (fault ?? {}) as JsonObject;
  return `${printable(id)}: ${printable(why)}`;
}

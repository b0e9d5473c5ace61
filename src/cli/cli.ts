/**
 * relais <command>. The services (run, dev, sandbox) are handed in; every other command is a client of the HTTP API, so
 * that identity, roles and the promise of "once" are the same through every door.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './account.ts';
import { addCampaignCommands } from './campaign.ts';
import { addCollectCommands } from './collect.ts';
import { addDisburseCommands } from './disburse.ts';
import { addEventsCommand } from './events.ts';
import { addExplainCommand } from './explain.ts';
import { CommandFailed, NobodyListens, WrongUsage } from './failure.ts';
import type { CliIo } from './io.ts';
import { addLimitCommands } from './limits.ts';
import { addMessageCommands } from './messages.ts';
import { addOperatingCommands } from './operate.ts';
import { addOptOutCommands } from './opt-outs.ts';
import { addPurgeCommand } from './purge.ts';
import { addRecoverCommand } from './recover.ts';
import { addReviewCommands } from './review.ts';
import { addServiceCommands } from './service.ts';
import { Shell } from './shell.ts';

/** Runs one command; `argv` is without node and script. The exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const shell = new Shell(io);
  // Without a listener, a reader that goes away (`| head -1`) would end the process with a stack trace.
  const gone = (): void => {};
  for (const stream of [io.stdout, io.stderr]) stream.on('error', gone);
  try {
    await makeProgram(shell).parseAsync([...argv], { from: 'user' });
    return shell.exitCode;
  } catch (error) {
    return await explain(error, shell);
  } finally {
    await shell.close();
  }
}

export function makeProgram(shell: Shell): Command {
  const { stdout, stderr, columns, isTerminal } = shell.io;
  const program = new Command('relais')
    .description('Bulk SMS and disbursements through one unreliable service: each done once, each reported once.')
    .version(ownVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => isTerminal,
      getErrHasColors: () => isTerminal,
    })
    .showHelpAfterError('(--help shows an example)')
    .addHelpText('after', SETTINGS);
  addServiceCommands(program, shell);
  addCampaignCommands(program, shell);
  addOptOutCommands(program, shell);
  addPurgeCommand(program, shell);
  addDisburseCommands(program, shell);
  addMessageCommands(program, shell);
  addCollectCommands(program, shell);
  addRecoverCommand(program, shell);
  addReviewCommands(program, shell);
  addExplainCommand(program, shell);
  addAccountCommands(program, shell);
  addLimitCommands(program, shell);
  addOperatingCommands(program, shell);
  addEventsCommand(program, shell);
  return program;
}

const SETTINGS = `
Settings of the commands that ask the API:
  RELAIS_URL      its address (http://127.0.0.1:3000)
  RELAIS_API_KEY  one of its keys (dev)`;

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

async function explain(error: unknown, { io, output }: Shell): Promise<number> {
  if (error instanceof NobodyListens) return 0;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (io.signal.aborted) {
    await output.note('Stopped.');
    return 1;
  }
  if (!(error instanceof CommandFailed)) throw error;
  await output.note(`${output.styled('red', '✗')} ${error.message}`);
  if (error.next !== undefined) await output.note(error.next);
  return error instanceof WrongUsage ? 2 : 1;
}

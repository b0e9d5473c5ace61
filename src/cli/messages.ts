import { type Command, Option } from 'commander';
import { type CreationFlags, fieldsOf, make, withCreationFlags } from './asking.ts';
import { sendLines } from './bulk.ts';
import { WrongUsage } from './failure.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import type { Shell } from './shell.ts';

const PATH = '/v1/messages';

interface SendFlags extends CreationFlags {
  readonly to?: string;
  readonly text?: string;
}

const FIELDS = {
  to: 'to',
  text: 'text',
  from: 'from',
  account: 'account',
  lane: 'lane',
  sendAt: 'sendAt',
  expiresAt: 'expiresAt',
  reference: 'reference',
} as const;

export function addMessageCommands(group: Command, shell: Shell): void {
  const command = group
    .command('send')
    .description('Send an SMS to one or more recipients')
    .argument('[file]', 'JSON lines of {to, text, reference, …}; - reads standard input')
    .option('--to <number>', 'phone number in international form: +221771234567')
    .option('--text <text>', 'text of the SMS')
    .option('--from <sender>', 'sender ID; default: the one of the messaging account')
    .addOption(new Option('--lane <lane>', 'otp overtakes campaigns').choices(['otp', 'normal']))
    .option('--send-at <time>', 'do not send before this time: 2026-11-21T08:00:00Z')
    .option('--expires-at <time>', 'do not send after this time: 2026-11-21T08:00:00Z')
    .option('--reference <text>', 'your own reference: the same reference never creates a second message')
    .option('--account <name>', 'account that sends the SMS');
  withCreationFlags(command).action(
    shell.action((file: string | undefined, flags: SendFlags) => send(file, flags, shell)),
  );
  withExample(command, "relais messages send --to +221771234567 --text 'Your code is 4711' --lane otp");
}

async function send(file: string | undefined, flags: SendFlags, shell: Shell): Promise<ExitCode> {
  const body = fieldsOf(flags, FIELDS);
  if (file !== undefined) {
    if (Object.keys(body).length > 0) throw new WrongUsage(shell.words.commands.usage.fileSaysAll);
    return sendLines(file, { path: PATH, question: shell.words.shell.textThem }, flags, shell);
  }
  const { to, text } = flags;
  if (to === undefined || text === undefined) throw new WrongUsage(shell.words.commands.usage.toAndText);
  const next = (id: string): string => shell.words.commands.goesOn(`relais messages show ${id}`);
  return make({ path: PATH, body, question: shell.words.commands.textOne(to), next }, flags, shell);
}

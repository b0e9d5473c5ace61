import type { Command } from 'commander';
import { describeXof } from '../lib/money.ts';
import { withdrawModes } from '../upstream/capabilities.ts';
import { type CreationFlags, identityHeader, readKey } from './asking.ts';
import type { Answer, JsonObject } from './client.ts';
import { doubtsAbout } from './disburse-check.ts';
import { BASE, factsOf } from './disburse-facts.ts';
import { WrongUsage } from './failure.ts';
import { withExample, xof } from './flags.ts';
import type { ExitCode } from './io.ts';
import { flagOf } from './refusal.ts';
import type { Shell } from './shell.ts';

interface CreateFlags extends CreationFlags {
  readonly to: string;
  readonly amount: number;
  readonly mode: string;
  readonly reference?: string;
  readonly allowDuplicate?: true;
  readonly account?: string;
  readonly debit?: string;
  readonly notBefore?: string;
}

export function addCreate(group: Command, shell: Shell): void {
  const command = group
    .command('create')
    .description('Pay one person, at most once per reference')
    .requiredOption('--to <alias>', 'telephone number of the beneficiary, or an account of the service')
    .requiredOption('--amount <xof>', 'whole francs', xof)
    .requiredOption('--mode <mode>', `how it is paid: ${Object.keys(withdrawModes).join(', ')}`)
    .option('--reference <text>', 'your own name for it: the same one never pays twice')
    .option('--idempotency-key <key>', 'what tells a retry from a second request, in place of a reference', readKey)
    .option('--allow-duplicate', 'the same amount to the same beneficiary again is meant')
    .option('--account <name>', 'account that pays')
    .option('--debit <number>', 'with the mode service: the balance to debit')
    .option('--not-before <time>', 'not paid before this time: 2026-11-21T08:00:00Z')
    .option('--dry-run', 'show what would be paid and send nothing')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print the answer as JSON')
    .action(shell.action((flags: CreateFlags) => create(flags, shell)));
  withExample(
    command,
    'relais disburse create --to 771234567 --amount 25000 --mode wallet-a-senegal --reference salary-2026-11-awa',
  );
}

async function create(flags: CreateFlags, shell: Shell): Promise<ExitCode> {
  const { output } = shell;
  if (flags.reference === undefined && flags.idempotencyKey === undefined) {
    throw new WrongUsage('Give --reference (or --idempotency-key): without one, a retry would pay twice.');
  }
  const request = requestOf(flags);
  if (flags.dryRun) return dryRun(request, flags, shell);
  if (!flags.yes && shell.io.isTerminal) await preview(request, shell);
  if (!(await shell.confirmed(`Pay ${describeXof(flags.amount)} to ${flags.to}?`, flags.yes))) return 1;

  const answer = await shell.api.post(BASE, request, identityHeader(flags));
  if (flags.json) await output.json(answer.body);
  else await told(answer, shell);
  return 0;
}

function requestOf(flags: CreateFlags): JsonObject {
  const { to, amount, mode, reference, account, debit, notBefore, allowDuplicate } = flags;
  return {
    accountAlias: to,
    amount,
    withdrawMode: mode,
    ...(reference !== undefined && { reference }),
    ...(account !== undefined && { account }),
    ...(debit !== undefined && { debitAccountNumber: debit }),
    ...(notBefore !== undefined && { notBefore }),
    ...(allowDuplicate && { allowDuplicate }),
  };
}

async function dryRun(request: JsonObject, { json }: CreateFlags, shell: Shell): Promise<ExitCode> {
  const { problems, warnings } = doubtsAbout(request);
  if (json) await shell.output.json({ dryRun: true, request, problems, warnings });
  else {
    await preview(request, shell);
    await shell.output.note('Dry run: nothing was sent.');
  }
  return problems.length === 0 ? 0 : 1;
}

/** What is about to happen, and what relais would say to it. For the person, so on stderr. */
async function preview(request: JsonObject, { output }: Shell): Promise<void> {
  const { problems, warnings } = doubtsAbout(request);
  const doubts = [
    ...problems.map(({ pointer, message }) => `${output.styled('red', '✗')} ${flagOf(pointer)}: ${message}\n`),
    ...warnings.map((warning) => `${output.styled('yellow', '!')} ${warning}\n`),
  ];
  await output.ask(output.renderFacts(factsOf(request)) + doubts.join(''));
}

async function told({ body, replayed }: Answer, { output }: Shell): Promise<void> {
  await output.facts(factsOf(body));
  if (replayed) await output.note('It was asked before with this reference; nothing new was sent.');
  await output.note(`How it goes on: relais disburse show ${String(body['id'])}`);
}

import type { Command } from 'commander';
import { describeXof } from '../lib/money.ts';
import { withdrawModes } from '../upstream/capabilities.ts';
import type { Answer, JsonObject } from './client.ts';
import { doubtsAbout } from './disburse-check.ts';
import { atLeastOne, withExample, xof } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped, type Row } from './output.ts';
import { flagOf } from './refusal.ts';
import type { Shell } from './shell.ts';

const BASE = '/v1/disbursements';

export function addDisburseCommands(program: Command, shell: Shell): void {
  const group = program.command('disburse').description('Pay people');
  addCreate(group, shell);
  addShow(group, shell);
  addList(group, shell);
  addCancel(group, shell);
}

interface CreateFlags {
  readonly to: string;
  readonly amount: number;
  readonly mode: string;
  readonly reference: string;
  readonly account?: string;
  readonly debit?: string;
  readonly notBefore?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

function addCreate(group: Command, shell: Shell): void {
  const command = group
    .command('create')
    .description('Pay one person, at most once per reference')
    .requiredOption('--to <alias>', 'telephone number of the beneficiary, or an account of the service')
    .requiredOption('--amount <xof>', 'whole francs', xof)
    .requiredOption('--mode <mode>', `how it is paid: ${Object.keys(withdrawModes).join(', ')}`)
    .requiredOption('--reference <text>', 'your own name for it: the same one never pays twice')
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
  const request = requestOf(flags);
  if (flags.dryRun) return dryRun(request, flags, shell);
  if (!flags.yes && shell.io.isTerminal) await preview(request, shell);
  if (!(await shell.confirmed(`Pay ${describeXof(flags.amount)} to ${flags.to}?`, flags.yes))) return 1;

  const answer = await shell.api.post(BASE, request);
  if (flags.json) await output.json(answer.body);
  else await told(answer, shell);
  return 0;
}

function requestOf({ to, amount, mode, reference, account, debit, notBefore }: CreateFlags): JsonObject {
  return {
    accountAlias: to,
    amount,
    withdrawMode: mode,
    reference,
    ...(account !== undefined && { account }),
    ...(debit !== undefined && { debitAccountNumber: debit }),
    ...(notBefore !== undefined && { notBefore }),
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

function addShow(group: Command, shell: Shell): void {
  const command = group
    .command('show')
    .description('What is known about one disbursement')
    .argument('<id>')
    .option('--json', 'print it as JSON')
    .action(
      shell.action(async (id: string, { json }: { readonly json?: true }) => {
        const { body } = await shell.api.get(pathOf(id));
        if (json) await shell.output.json(body);
        else await shell.output.write(shell.output.renderFacts(factsOf(body)) + historyOf(body, shell));
        return 0;
      }),
    );
  withExample(command, 'relais disburse show dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d');
}

interface ListFlags {
  readonly state?: string;
  readonly reference?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly json?: true;
}

function addList(group: Command, shell: Shell): void {
  const command = group
    .command('list')
    .description('Disbursements, a page at a time')
    .option(
      '--state <state>',
      'only in this state: queued, pending, unknown, held, needs_review, succeeded, failed …',
    )
    .option('--reference <text>', 'the one with this reference')
    .option('--after <id>', 'go on after this one')
    .option('--limit <count>', 'at most so many', atLeastOne)
    .option('--json', 'print the page as JSON')
    .action(shell.action((flags: ListFlags) => list(flags, shell)));
  withExample(command, 'relais disburse list --state needs_review');
}

const COLUMNS = ['id', 'state', 'amount', 'accountAlias', 'withdrawMode', 'reference', 'updatedAt'] as const;

async function list({ json, ...query }: ListFlags, { api, output }: Shell): Promise<ExitCode> {
  const { body } = await api.get(BASE, query);
  if (json) {
    await output.json(body);
    return 0;
  }
  const items = (Array.isArray(body['items']) ? body['items'] : []) as readonly JsonObject[];
  if (items.length === 0) await output.note('None.');
  else await output.write(output.renderTable(COLUMNS, items.map(readable)));
  if (typeof body['next'] === 'string' && items.length > 0) {
    const filter = query.state === undefined ? '' : ` --state ${query.state}`;
    await output.note(`There may be more: relais disburse list${filter} --after ${body['next']}`);
  }
  return 0;
}

/** Amounts in groups of three; `XOF` is in every one of them and left out. */
function readable(item: JsonObject): JsonObject {
  return typeof item['amount'] === 'number' ? { ...item, amount: grouped(item['amount']) } : item;
}

function addCancel(group: Command, shell: Shell): void {
  const command = group
    .command('cancel')
    .description('Take one back, as long as nothing of it was sent')
    .argument('<id>')
    .option('--json', 'print the answer as JSON')
    .action(
      shell.action(async (id: string, { json }: { readonly json?: true }) => {
        const { body } = await shell.api.post(`${pathOf(id)}/cancel`);
        await (json ? shell.output.json(body) : shell.output.facts(factsOf(body)));
        return 0;
      }),
    );
  withExample(command, 'relais disburse cancel dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d');
}

function pathOf(id: string): string {
  return `${BASE}/${encodeURIComponent(id)}`;
}

/** In the order a person asks: which, how is it, what is it, why, what does the service call it. */
function factsOf(body: JsonObject): Row {
  const amount = body['amount'];
  return [
    ['id', body['id']],
    ['state', body['state']],
    ['reason', body['reason']],
    ['amount', typeof amount === 'number' ? describeXof(amount) : amount],
    ['to', body['accountAlias']],
    ['mode', body['withdrawMode']],
    ['debit', body['debitAccountNumber']],
    ['reference', body['reference']],
    ['account', body['account']],
    ['not before', body['notBefore']],
    ['disburse id', body['disburseId']],
    ['token', body['token']],
    ['transaction', body['transactionId']],
    ['provider ref', body['providerRef']],
    ['created', body['createdAt']],
    ['updated', body['updatedAt']],
  ];
}

function historyOf({ history }: JsonObject, { output }: Shell): string {
  if (!Array.isArray(history) || history.length === 0) return '';
  const steps = history as readonly JsonObject[];
  const headings = [...new Set(steps.flatMap((step) => Object.keys(step)))];
  return `\n${output.renderTable(headings, steps)}`;
}

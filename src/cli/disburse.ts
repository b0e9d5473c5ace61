import type { Command } from 'commander';
import type { JsonObject } from './client.ts';
import { addApprove } from './disburse-approve.ts';
import { addBatchCommands } from './disburse-batch.ts';
import { addCreate } from './disburse-create.ts';
import { BASE, factsOf } from './disburse-facts.ts';
import { atLeastOne, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from './output.ts';
import type { Shell } from './shell.ts';

export function addDisburseCommands(program: Command, shell: Shell): void {
  const group = program.command('disburse').description('Pay people');
  addCreate(group, shell);
  addApprove(group, shell);
  addShow(group, shell);
  addList(group, shell);
  addCancel(group, shell);
  addBatchCommands(group, shell);
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

function historyOf({ history }: JsonObject, { output }: Shell): string {
  if (!Array.isArray(history) || history.length === 0) return '';
  const steps = history as readonly JsonObject[];
  const headings = [...new Set(steps.flatMap((step) => Object.keys(step)))];
  return `\n${output.renderTable(headings, steps)}`;
}

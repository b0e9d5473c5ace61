import type { Command } from 'commander';
import { disbursementRequest } from '../kinds/disbursement-fields.ts';
import { type CreationFlags, withCreationFlags } from './asking.ts';
import { sendLines } from './bulk.ts';
import type { JsonObject } from './client.ts';
import { addApprove } from './disburse-approve.ts';
import { addBatchCommands } from './disburse-batch.ts';
import { addCreate } from './disburse-create.ts';
import { BASE, factsOf, pathOf } from './disburse-facts.ts';
import { type PageFlags, showPage } from './disbursement-page.ts';
import { atLeastOne, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import type { Shell } from './shell.ts';

export function addDisburseCommands(program: Command, shell: Shell): void {
  const group = program.command('disburse').description('Pay people');
  addCreate(group, shell);
  addApprove(group, shell);
  addShow(group, shell);
  addList(group, shell);
  addCancel(group, shell);
  addBatchCommands(group, shell);
  addSend(group, shell);
}

function addSend(group: Command, shell: Shell): void {
  const command = group
    .command('send')
    .description('Pay many at once, each line of a file on its own; for a file that another key approves: batch')
    .argument('<file>', 'JSON lines of {accountAlias, amount, withdrawMode, reference, …}; - reads standard input');
  withCreationFlags(command).action(
    shell.action((file: string, flags: CreationFlags) =>
      sendLines(file, { path: BASE, schema: disbursementRequest, question: 'Pay everybody' }, flags, shell),
    ),
  );
  withExample(command, 'relais disburse send refunds.jsonl --dry-run');
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

interface ListFlags extends PageFlags {
  readonly state?: string;
  readonly reference?: string;
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

async function list(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  const filter = flags.state === undefined ? '' : ` --state ${flags.state}`;
  const page = { path: BASE, columns: COLUMNS, none: 'None.', goOn: `relais disburse list${filter}` };
  return showPage(page, flags, shell);
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

function historyOf({ history }: JsonObject, { output }: Shell): string {
  if (!Array.isArray(history) || history.length === 0) return '';
  const steps = history as readonly JsonObject[];
  const headings = [...new Set(steps.flatMap((step) => Object.keys(step)))];
  return `\n${output.renderTable(headings, steps)}`;
}

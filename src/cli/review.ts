import { type Command, Option } from 'commander';
import { describeXof } from '../lib/money.ts';
import { reviewKinds } from '../operations/review.ts';
import { type Resolution, resolutions } from '../processors/disbursement/resolve.ts';
import { readNote } from './asking.ts';
import type { JsonObject } from './client.ts';
import { factsOf, pathOf } from './disburse-facts.ts';
import { type PageFlags, showPage } from './disbursement-page.ts';
import { explanationOf, renderExplanation } from './explain.ts';
import { atLeastOne, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import type { Shell } from './shell.ts';

const EXAMPLE_ID = 'dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d';

export function addReviewCommands(program: Command, shell: Shell): void {
  const group = program
    .command('review')
    .description('What cannot be settled without a person, and deciding about disbursements');
  addList(group, shell);
  addShow(group, shell);
  addResolve(group, shell);
}

function addList(group: Command, shell: Shell): void {
  const command = group
    .command('list')
    .description('All that wait for a person, the oldest first, a page at a time')
    .addOption(new Option('--kind <kind>', 'only these').choices(reviewKinds))
    .option('--after <place>', 'go on after this place, as the page before names it')
    .option('--limit <count>', 'at most so many', atLeastOne)
    .option('--json', 'print the page as JSON')
    .action(shell.action((flags: PageFlags & { readonly kind?: string }) => showPage(PAGE, flags, shell)));
  withExample(command, 'relais review list --kind disbursement');
}

const COLUMNS = ['kind', 'id', 'reason', 'amount', 'accountAlias', 'withdrawMode', 'reference', 'updatedAt'] as const;

const PAGE = {
  path: '/v1/review',
  columns: COLUMNS,
  none: 'Nothing needs review.',
  hint: 'Why, and what to do: relais review show ID, or relais explain ID for another kind than a disbursement',
  goOn: 'relais review list',
} as const;

function addShow(group: Command, shell: Shell): void {
  const command = group
    .command('show')
    .description('What is known about one of them, its evidence, and what to do')
    .argument('<id>')
    .option('--json', 'print record and explanation as JSON')
    .action(shell.action((id: string, flags: { readonly json?: true }) => show(id, flags, shell)));
  withExample(command, `relais review show ${EXAMPLE_ID}`);
}

async function show(id: string, { json }: { readonly json?: true }, shell: Shell): Promise<ExitCode> {
  const { body } = await shell.api.get(pathOf(id));
  const explanation = await explanationOf(id, shell);
  if (json) await shell.output.json({ ...body, explanation });
  else await shell.output.write(`${facts(body, shell)}\n${renderExplanation(explanation, shell)}`);
  return 0;
}

interface ResolveFlags {
  readonly outcome: Resolution;
  readonly note: string;
  readonly yes?: true;
  readonly json?: true;
}

function addResolve(group: Command, shell: Shell): void {
  const command = group
    .command('resolve')
    .description('Decide one that needs review. Upstream is asked first, and its word is stronger')
    .argument('<id>')
    .addOption(
      new Option('--outcome <outcome>', 'what became of it, or what is to be done')
        .choices(resolutions)
        .makeOptionMandatory(),
    )
    .requiredOption('--note <text>', 'how you know; kept with the record', readNote)
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print the disbursement as JSON')
    .action(shell.action((id: string, flags: ResolveFlags) => resolve(id, flags, shell)));
  withExample(
    command,
    `relais review resolve ${EXAMPLE_ID} --outcome failed --note 'The service says it never left.'`,
  );
}

async function resolve(id: string, { outcome, note, yes, json }: ResolveFlags, shell: Shell): Promise<ExitCode> {
  if (shell.io.isTerminal && !yes) {
    const { body } = await shell.api.get(pathOf(id));
    await shell.output.ask(facts(body, shell));
    if (!(await shell.confirmed(questionFor(outcome, body), yes))) return 1;
  }
  const { body } = await shell.api.post(`${pathOf(id)}/resolve`, { outcome, note });
  if (json) await shell.output.json(body);
  else await shell.output.write(facts(body, shell));
  return 0;
}

const QUESTIONS: Readonly<Record<Resolution, (payment: string) => string>> = {
  succeeded: (payment) => `Record that ${payment} was paid?`,
  failed: (payment) => `Record that ${payment} was not paid?`,
  cancelled: (payment) => `Cancel ${payment}?`,
  resubmit: (payment) => `Pay ${payment} now, if upstream still says that it was never executed?`,
};

function questionFor(outcome: Resolution, { amount, accountAlias }: JsonObject): string {
  const size = typeof amount === 'number' ? describeXof(amount) : String(amount);
  return QUESTIONS[outcome](`${size} to ${String(accountAlias)}`);
}

function facts(body: JsonObject, { output }: Shell): string {
  return output.renderFacts(factsOf(body));
}

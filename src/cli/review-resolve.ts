/** Decides one operation that needs review, or all that match filters, after listing them. */
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import { counted, money } from '../messages/figures.ts';
import { operations } from '../kinds/index.ts';
import type { JsonObject } from './client.ts';
import { CommandFailed, WrongUsage } from './failure.ts';
import { withExample, wrongValue } from './flags.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import { renderFacts, renderRecord } from './record.ts';
import type { Shell } from './shell.ts';
import type { Words } from '../messages/languages.ts';

const PATH = '/v1/review/resolve';
const outcomes = operations.disbursement.resolve;
type Outcome = (typeof outcomes)[number];

interface Flags {
  readonly where?: readonly string[];
  readonly outcome: Outcome;
  readonly note: string;
  readonly transactionId?: string;
  readonly confirm?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function addResolve(group: Command, shell: Shell): void {
  const command = group
    .command('resolve')
    .description(
      'Resolve disbursements that need review. relais asks the provider first; its answer takes precedence',
    )
    .argument('[id]')
    .addOption(
      new Option('--outcome <word>', 'the final state, or the next action').choices(outcomes).makeOptionMandatory(),
    )
    .requiredOption('--note <text>', 'the evidence for the outcome; stored with the record', readNote)
    .option('--transaction-id <text>', 'with succeeded: the transaction id of the provider, used by relais reconcile')
    .option(
      '--where <filter...>',
      'all disbursements with this, such as reason=restored; also account, withdrawMode, batch, createdFrom, createdTo, amountMin, amountMax. Without --confirm, only list them',
    )
    .option('--confirm <count:selection>', 'id of the listed selection: resolves exactly these')
    .option('--yes', 'ask no questions on a terminal for a single disbursement')
    .option('--json', 'print the answer as JSON')
    .action(
      shell.action((id: string | undefined, flags: Flags) => {
        if ((id === undefined) === (flags.where === undefined))
          throw new WrongUsage(shell.words.shell.review.idOrWhere);
        if (id === undefined && flags.transactionId !== undefined)
          throw new WrongUsage(shell.words.shell.review.transactionOfOne);
        return id === undefined ? resolveMany(flags, shell) : resolveOne(id, flags, shell);
      }),
    );
  withExample(
    command,
    "relais review resolve --where reason=restored --outcome failed --note 'Not in the dashboard'",
  );
}

function readNote(text: string): string {
  const note = text.trim();
  if (note.length >= 3 && note.length <= 500) return note;
  throw wrongValue('charactersBetween', { least: 3, most: 500 });
}

async function resolveOne(
  id: string,
  { yes, json, outcome, note, transactionId }: Flags,
  shell: Shell,
): Promise<ExitCode> {
  const { api, output } = shell;
  const path = `/v1/disbursements/${encodeURIComponent(id)}`;
  if (shell.io.isTerminal && !yes) {
    const { body } = await api.get(path);
    await output.ask(renderFacts(body, output));
    const { review } = shell.words.shell;
    const what = review.one(money(Number(body['amount']), shell.words.figures), printable(body['accountAlias']));
    if (!(await shell.confirmed(review[outcome](what), undefined))) return 1;
  }
  const { body } = await api.post(`${path}/resolve`, {
    outcome,
    note,
    ...(transactionId === undefined ? {} : { transactionId }),
  });
  if (json) await output.json(body);
  else await output.write(renderRecord(body, output));
  return 0;
}

async function resolveMany({ where = [], outcome, note, confirm, json }: Flags, shell: Shell): Promise<ExitCode> {
  const word = { where: filtersOf(where, shell.words), outcome, note };
  if (confirm !== undefined) return decide({ ...word, confirm: readToken(confirm, shell.words) }, json, shell);
  const { body } = await shell.api.post(PATH, word);
  if (json) {
    await shell.output.json(body);
    return 0;
  }
  const { review } = shell.words.shell;
  const { figures } = shell.words;
  await shell.output.write(`${chosenLines(body, shell).join('\n')}\n`);
  const { count, selection } = body;
  if (count === 0) return 0;
  const token = `${String(count)}:${String(selection)}`;
  if (!shell.io.isTerminal) {
    await shell.output.note(review.nothingYet(token));
    return 0;
  }
  const what = review.many(counted(Number(count), figures), money(Number(body['xof']), figures));
  const typed = await shell.typed(review.type(review[outcome](what), String(count)));
  if (typed === String(count)) return decide({ ...word, confirm: { count, selection } }, json, shell);
  await shell.output.note(review.nothing);
  return 1;
}

/** `reason=restored` and so on; the API defines the allowed filters. */
function filtersOf(given: readonly string[], { commands: { usage } }: Words): JsonObject {
  const filters = given.map((one): [string, string | number] => {
    const at = one.indexOf('=');
    if (at < 1) throw new WrongUsage(usage.where(one));
    const [name, value] = [one.slice(0, at), one.slice(at + 1)];
    return [name, name.startsWith('amount') && /^\d{1,15}$/.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(filters);
}

function readToken(
  text: string,
  { commands: { usage } }: Words,
): { readonly count: number; readonly selection: string } {
  const [, count, selection = ''] = /^(\d{1,9}):([0-9a-f]{16})$/.exec(text) ?? [];
  if (count === undefined) throw new WrongUsage(usage.token);
  return { count: Number(count), selection };
}

function chosenLines({ count, xof, reasons }: JsonObject, { words: { figures, shell } }: Shell): string[] {
  const line = (name: string, sum: { readonly count: unknown; readonly xof: unknown }): string =>
    `${name.padEnd(24)} ${counted(Number(sum.count), figures).padStart(7)}  ${money(Number(sum.xof), figures)}`;
  const byReason = Object.entries((reasons ?? {}) as Readonly<Record<string, { count: number; xof: number }>>);
  return [...byReason.map(([reason, sum]) => line(printable(reason), sum)), line(shell.review.inAll, { count, xof })];
}

interface Line {
  readonly id: string | null;
  readonly outcome: string;
  readonly resolved?: number;
  readonly refused?: number;
  readonly xof?: number;
  readonly problem?: { readonly detail?: string };
}

/** Prints each failure as it arrives, and the totals at the end. */
async function decide(word: JsonObject, json: true | undefined, shell: Shell): Promise<ExitCode> {
  const { review, brokeOff } = shell.words.shell;
  const { figures } = shell.words;
  let last: Line | undefined;
  for await (const text of linesOf(word, shell)) {
    const line = JSON.parse(text) as Line;
    if (json) await shell.output.line(text);
    else if (line.outcome === 'refused') {
      const why = printable(line.problem?.detail);
      await shell.output.line(`${printable(line.id)}  ${review.refused}  ${why}`);
    }
    if (line.outcome === 'done') last = line;
  }
  if (!last) {
    throw new CommandFailed(brokeOff, { next: review.brokeOff });
  }
  const { resolved = 0, refused = 0, xof = 0 } = last;
  await shell.output.note(review.done(counted(resolved, figures), money(xof, figures), counted(refused, figures)));
  return refused === 0 ? 0 : 1;
}

async function* linesOf(word: JsonObject, { api }: Shell): AsyncGenerator<string> {
  const headers = { 'content-type': 'application/json' };
  let rest = '';
  for await (const part of api.converse(PATH, Readable.from([JSON.stringify(word)]), headers)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

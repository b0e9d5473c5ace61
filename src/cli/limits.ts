/** Money limits: values in force for all processes, and changes with a different person. */
import { Argument, type Command } from 'commander';
import {
  type LimitValue,
  type MoneyLimit,
  declarationOf,
  describeValue,
  isMoneyLimit,
  moneyLimits,
  readLimit,
  writeLimit,
} from '../kinds/limits.ts';
import { money } from '../messages/figures.ts';
import type { Words } from '../messages/languages.ts';
import type { JsonObject } from './client.ts';
import { WrongUsage } from './failure.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import { itemsOf } from './record.ts';
import type { Shell } from './shell.ts';
import { MessageError } from '../messages/texts.ts';

export function addLimitCommands(group: Command, shell: Shell): void {
  addList(group, shell);
  addSet(group, shell);
}

interface Flags {
  readonly yes?: true;
  readonly json?: true;
}

function addList(group: Command, shell: Shell): void {
  const command = group
    .command('list', { isDefault: true })
    .description('List payment limits. With who set each limit, and the changes that wait for approval')
    .option('--json', 'print the list as JSON')
    .action(shell.action((flags: Flags) => list(flags, shell)));
  withExample(command, 'relais limits list');
}

async function list({ json }: Flags, { api, output }: Shell): Promise<ExitCode> {
  const { body } = await api.get('/v1/limits');
  if (json) await output.json(body);
  else await output.write(table(itemsOf(body), output));
  return 0;
}

function addSet(group: Command, shell: Shell): void {
  const command = group
    .command('set')
    .description(
      'Set a payment limit. A stricter value applies at once; a looser one when a different person requests it too',
    )
    .addArgument(new Argument('<name>').choices(moneyLimits))
    .argument('<value>', 'XOF in digits, a duration such as 10m for DUPLICATE_WINDOW, or off')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the limit as JSON')
    .action(shell.action((name: MoneyLimit, text: string, flags: Flags) => set({ name, text }, flags, shell)));
  withExample(command, 'relais limits set MAX_DISBURSEMENT 5000000');
}

async function set(
  { name, text }: { readonly name: MoneyLimit; readonly text: string },
  { yes, json }: Flags,
  shell: Shell,
): Promise<ExitCode> {
  const { api, output, words } = shell;
  const { limits } = words.commands;
  const value = valueFrom(name, text, words);
  if (!(await shell.confirmed(limits.question(name, inWords(name, value, words)), yes))) return 1;
  const { status, body } = await api.post(`/v1/limits/${name}`, { value });
  if (json) await output.json(body);
  else await output.write(table([body], output));
  if (json) return 0;
  const again = `relais limits set ${name} ${writeLimit(name, value)}`;
  await output.note(status === 202 ? limits.waits(again) : limits.holds);
  return 0;
}

function valueFrom(name: MoneyLimit, text: string, { commands }: Words): LimitValue {
  try {
    return readLimit(name, text);
  } catch (error) {
    if (error instanceof MessageError)
      throw new WrongUsage(commands.limits.wrong[declarationOf(name).unit](name), { cause: error });
    throw error;
  }
}

const COLUMNS = ['limit', 'value', 'since', 'by', 'asked', 'askedBy', 'askedAt'] as const;

function table(items: readonly JsonObject[], output: Shell['output']): string {
  const { words } = output.speech;
  const rows: Readonly<Record<string, unknown>>[] = items.map(({ name, value, since, by, asked }) => {
    const { value: wanted, by: asker, at } = (asked ?? {}) as JsonObject;
    return {
      limit: name,
      value: worded(name, value, words),
      since,
      by: by ?? words.commands.limits.nobody,
      ...(asked ? { asked: worded(name, wanted, words), askedBy: asker, askedAt: at } : {}),
    };
  });
  return output.renderTable(
    COLUMNS.filter((column) => rows.some((row) => printable(row[column]) !== '')),
    rows,
  );
}

/** A newer API may name limits that this program does not know. */
function worded(name: unknown, value: unknown, words: Words): string {
  const known = typeof name === 'string' && isMoneyLimit(name) && (typeof value === 'number' || value === null);
  return known ? inWords(name, value, words) : printable(value);
}

function inWords(name: MoneyLimit, value: LimitValue, { figures, file }: Words): string {
  const { unit } = declarationOf(name);
  // `off` and `10m` are typed values, in every language.
  if (value === null || unit === 'ms') return describeValue(name, value);
  return unit === 'xof' ? money(value, figures) : file.recipients(value);
}

/** Commands that are one request and what was answered to it. */
import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Answer, JsonObject, Query } from './client.ts';
import { CommandFailed, WrongUsage } from './failure.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { itemsOf, renderRecord, renderRows } from './record.ts';
import type { Shell } from './shell.ts';

export interface Ask {
  readonly name: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** What the command takes, such as `<id>`; absent: nothing. */
  readonly argument?: string;
  /** The argument is escaped already. */
  readonly path: (argument: string) => string;
  /** On a terminal, asked before it is done. */
  readonly question?: (argument: string) => string;
  readonly options?: readonly Option[];
  /** Flags to what is sent: the query of a GET, the body of anything else. Default: none of them. */
  readonly send?: (flags: Readonly<Record<string, unknown>>, argument: string) => JsonObject;
  /** Said after it was done. */
  readonly next?: (body: JsonObject, argument: string) => string | undefined;
  readonly example: string;
}

export function addAsk(group: Command, shell: Shell, ask: Ask): void {
  const command = group.command(ask.name).description(ask.description);
  if (ask.argument !== undefined) command.argument(ask.argument);
  for (const option of ask.options ?? []) command.addOption(option);
  if (ask.question) command.option('--yes', 'do not ask on a terminal');
  command.option('--json', 'print the answer as JSON');
  command.action(
    ask.argument === undefined
      ? shell.action((flags: Flags) => answer(ask, '', flags, shell))
      : shell.action((argument: string | undefined, flags: Flags) => answer(ask, argument ?? '', flags, shell)),
  );
  withExample(command, ask.example);
}

type Flags = Readonly<Record<string, unknown>> & { readonly yes?: true; readonly json?: true };

async function answer(ask: Ask, argument: string, flags: Flags, shell: Shell): Promise<ExitCode> {
  if (ask.question && !(await shell.confirmed(ask.question(argument), flags.yes))) return 1;
  const path = ask.path(encodeURIComponent(argument));
  const words = ask.send?.(flags, argument) ?? {};
  const { body } =
    ask.method === 'GET' ? await shell.api.get(path, words as Query) : await shell.api.send(ask.method, path, words);
  await told(body, flags.json, shell);
  const next = flags.json ? undefined : ask.next?.(body, argument);
  if (next !== undefined) await shell.output.note(next);
  return 0;
}

/** A record as facts, a page as a table; nothing where nothing was said. */
export async function told(body: JsonObject, json: true | undefined, { output }: Shell): Promise<void> {
  if (json) return output.json(body);
  if (!Array.isArray(body['items'])) return output.write(renderRecord(body, output));
  const items = itemsOf(body);
  if (items.length === 0) await output.note('None.');
  else await output.write(renderRows(items, output));
}

export interface CreationFlags {
  readonly idempotencyKey?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

export interface Creation {
  readonly path: string;
  readonly body: JsonObject;
  /** What is wrong with it as far as this program can tell. */
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
  readonly question?: string;
  readonly show: (id: string) => string;
}

/** The flags of every command that makes something. */
export function withCreationFlags(command: Command): Command {
  return command
    .option('--idempotency-key <key>', 'what tells a retry from a second request, in place of a reference', readKey)
    .option('--dry-run', 'check it here and send nothing')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print the answer as JSON');
}

export function readKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError('Write 1 to 255 visible ASCII characters without spaces.');
}

export function identityHeader({ idempotencyKey }: CreationFlags): Readonly<Record<string, string>> {
  return idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
}

export async function create(creation: Creation, flags: CreationFlags, shell: Shell): Promise<ExitCode> {
  const { path, body, problems, question, show } = creation;
  const { output } = shell;
  if (flags.dryRun) {
    if (flags.json) await output.json({ dryRun: true, request: body, problems });
    else await output.write(renderRecord(body, output));
    for (const { pointer, message } of flags.json ? [] : problems) {
      await output.note(`${output.styled('red', '✗')} ${pointer || 'the request'}: ${message}`);
    }
    if (!flags.json) await output.note('Dry run: nothing was sent.');
    return problems.length === 0 ? 0 : 1;
  }
  if (question !== undefined && !(await shell.confirmed(question, flags.yes))) return 1;
  const made: Answer = await shell.api.post(path, body, identityHeader(flags));
  await told(made.body, flags.json, shell);
  if (flags.json) return 0;
  if (made.replayed) await output.note('It was asked before with this identity; nothing new was made.');
  const { id } = made.body;
  if (typeof id === 'string') await output.note(`How it goes on: ${show(id)}`);
  return 0;
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
};

/** The bytes of a file; `-` is standard input. */
export async function bytesFrom(path: string, { io }: Shell): Promise<Buffer> {
  if (path === '-') {
    const parts: Buffer[] = [];
    for await (const part of io.stdin) parts.push(Buffer.from(part as Uint8Array));
    return Buffer.concat(parts);
  }
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    const why = UNREADABLE[cause.code ?? ''];
    throw why === undefined ? cause : new CommandFailed(`${path}: ${why}.`, { cause });
  });
}

/** One JSON object from a file; `-` is standard input. */
export async function objectFrom(path: string, shell: Shell): Promise<JsonObject> {
  const text = (await bytesFrom(path, shell)).toString('utf8').replace(/^\ufeff/, '');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailed(`${path} is not JSON: ${error.message}.`, { cause: error });
  }
  throw new CommandFailed(`${path} is not one JSON object.`);
}

/** Standard input cannot be the request and the answer to a question. */
export function refuseQuestion(file: string | undefined, { yes, dryRun }: CreationFlags, { io }: Shell): void {
  if (file !== '-' || !io.isTerminal || yes || dryRun) return;
  throw new WrongUsage('Standard input is the request, so nothing can be asked.', { next: 'Add --yes.' });
}

/** Flags that were given, without those of the command itself. */
export function fieldsOf(flags: object, names: Readonly<Record<string, string>>): JsonObject {
  const given = new Map<string, unknown>(Object.entries(flags));
  return Object.fromEntries(
    Object.entries(names).flatMap(([flag, field]) =>
      given.get(flag) === undefined ? [] : [[field, given.get(flag)]],
    ),
  );
}

/** A decision of a person about what needs review. */
export function resolveAsk(kind: string, path: string, outcomes: readonly string[]): Ask {
  return {
    name: 'resolve',
    description: 'Decide one that needs review. Upstream is asked first where it can be, and its word is stronger',
    method: 'POST',
    argument: '<id>',
    path: (id) => `${path}/${id}/resolve`,
    question: (id) => `Decide ${id}?`,
    options: [
      new Option('--outcome <outcome>', 'what became of it').choices([...outcomes]).makeOptionMandatory(),
      new Option('--note <text>', 'how you know; kept with the record').makeOptionMandatory().argParser(readNote),
    ],
    send: ({ outcome, note }) => ({ outcome, note }),
    example: `relais ${kind} resolve ID --outcome ${outcomes[0] ?? ''} --note 'Seen on the statement.'`,
  };
}

export function readNote(text: string): string {
  const note = text.trim();
  if (note.length < 3 || note.length > 500) throw new InvalidArgumentError('Write 3 to 500 characters.');
  return note;
}

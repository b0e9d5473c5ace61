/** Common parts of commands that request something: from flags or a file, judged first, executed a single time. */
import { open, readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Command } from 'commander';
import { textOf } from '../lib/saved-text.ts';
import { wordFor } from '../messages/languages.ts';
import type { Answer, JsonObject } from './client.ts';
import { wrongValue } from './flags.ts';
import { CommandFailed, WrongUsage } from './failure.ts';
import { type ExitCode, isStandardInput } from './io.ts';
import { printable } from './output.ts';
import { itemsOf, renderRecord, renderRows } from './record.ts';
import type { Shell } from './shell.ts';

export interface CreationFlags {
  readonly idempotencyKey?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

interface Making {
  readonly path: string;
  readonly body: JsonObject;
  /** Asked on a terminal after the dry run. */
  readonly question?: string | undefined;
  /** The command that shows the result later. */
  readonly next: (id: string) => string;
}

/** The flags of every command that creates something. */
export function withCreationFlags(command: Command): Command {
  return command
    .option('--idempotency-key <key>', 'key that identifies a retry, instead of a reference', readKey)
    .option('--dry-run', 'check the request by every rule, and do nothing')
    .option('--yes', 'ask no questions on a terminal')
    .option('--json', 'print the answer as JSON');
}

export function readKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw wrongValue('identity', {});
}

export function identityHeader({ idempotencyKey }: CreationFlags): Readonly<Record<string, string>> {
  return idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
}

/** Runs a creating request: dry run, confirmation on a terminal, execution, output. */
export async function make(making: Making, flags: CreationFlags, shell: Shell): Promise<ExitCode> {
  const { path, body, question, next } = making;
  const { api, io, output } = shell;
  const identity = identityHeader(flags);
  const judge = async (): Promise<JsonObject> => (await api.post(`${path}?dryRun=true`, body, identity)).body;
  if (flags.dryRun && flags.json) {
    await output.json(await judge());
    return 0;
  }
  if (flags.dryRun || (question !== undefined && io.isTerminal && !flags.yes)) {
    await preview(body, await judge(), shell);
    if (flags.dryRun) await output.note(shell.words.shell.dryRun);
  }
  if (flags.dryRun) return 0;
  if (question !== undefined && !(await shell.confirmed(question, flags.yes))) return 1;
  const made = await api.post(path, body, identity);
  if (flags.json) await output.json(made.body);
  else await tell(made, next, shell);
  return 0;
}

/** The result of a dry run. */
async function preview(body: JsonObject, judged: JsonObject, { output, words }: Shell): Promise<void> {
  const { outcome, id, state, warnings } = judged;
  const again =
    outcome === 'duplicate' ? [words.shell.askedBefore(wordFor(words.states, printable(state)), printable(id))] : [];
  const told = (Array.isArray(warnings) ? warnings : []).map(printable);
  const doubts = [...told, ...again];
  await output.ask(renderRecord(body, output));
  for (const doubt of doubts) await output.note(`${output.styled('yellow', '!')} ${doubt}`);
}

async function tell({ body, replayed }: Answer, next: Making['next'], { output, words }: Shell): Promise<void> {
  const items = itemsOf(body);
  await output.write(items.length > 0 ? renderRows(items, output) : renderRecord(body, output));
  if (replayed) await output.note(words.shell.replayed);
  const { id } = body;
  if (typeof id === 'string') await output.note(next(id));
}

const UNREADABLE = { ENOENT: 'missing', EISDIR: 'folder', EACCES: 'forbidden' } as const;

const isUnreadable = (code: string): code is keyof typeof UNREADABLE => Object.hasOwn(UNREADABLE, code);

/** The reason of a common error at opening a file. */
function unopened(path: string, cause: NodeJS.ErrnoException, shell: Shell): Error {
  const code = cause.code ?? '';
  return isUnreadable(code) ? noFile(path, UNREADABLE[code], shell, cause) : cause;
}

function noFile(
  path: string,
  why: 'missing' | 'folder' | 'forbidden',
  { words }: Shell,
  cause?: Error,
): CommandFailed {
  const { [why]: said, next } = words.shell.file;
  return new CommandFailed(said(path), { next: next[why], cause });
}

/**
 * Compares the targets of the two names: `./people.csv`, a link and another spelling on a Mac are `people.csv` too.
 */
export async function refuseOverwriting(file: string, csv: string | undefined, { words }: Shell): Promise<void> {
  if (csv === undefined) return;
  const [read, written] = await Promise.all([file, csv].map(placeOf));
  if (csv === file || (read !== undefined && read === written))
    throw new WrongUsage(words.commands.usage.overwrites, { next: words.commands.usage.anotherName });
}

/** For an existing file; other errors are reported when it is opened. */
async function placeOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}

/** The bytes of a file; `-` is standard input. */
export async function bytesFrom(path: string, shell: Shell): Promise<Buffer> {
  if (isStandardInput(path)) {
    const parts: Buffer[] = [];
    for await (const part of shell.io.stdin) parts.push(Buffer.from(part as Uint8Array));
    return Buffer.concat(parts);
  }
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw unopened(path, cause, shell);
  });
}

/** As a stream that is open before anything is requested or sent. */
export async function streamFrom(path: string, shell: Shell): Promise<Readable> {
  if (isStandardInput(path)) return shell.io.stdin;
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw unopened(path, cause, shell);
  });
  if (!(await file.stat()).isDirectory()) return file.createReadStream();
  await file.close();
  throw noFile(path, 'folder', shell);
}

/** One JSON object from a file; `-` is standard input. */
export async function objectFrom(path: string, shell: Shell): Promise<JsonObject> {
  const { noJson, noObject, next } = shell.words.shell.file;
  const text = textOf(await bytesFrom(path, shell));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailed(noJson(path), { next: next.noJson, cause: error });
  }
  throw new CommandFailed(noObject(path), { next: next.noJson });
}

/** Standard input cannot be both the request and the answer to a question. */
export function refuseQuestion(file: string | undefined, { yes, dryRun }: CreationFlags, { io, words }: Shell): void {
  if (!isStandardInput(file) || !io.isTerminal || yes || dryRun) return;
  throw new WrongUsage(words.shell.inputIsRequest, { next: words.shell.addYes });
}

/** The given flags, without those of the command itself. */
export function fieldsOf(flags: object, names: Readonly<Record<string, string>>): JsonObject {
  const given = new Map<string, unknown>(Object.entries(flags));
  return Object.fromEntries(
    Object.entries(names).flatMap(([flag, field]) =>
      given.get(flag) === undefined ? [] : [[field, given.get(flag)]],
    ),
  );
}

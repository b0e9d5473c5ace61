import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Encoding } from '../files/encodings.ts';
import { streamFrom } from './asking.ts';
import type { JsonObject } from './client.ts';
import { WrongUsage } from './failure.ts';
import { country, repeated, withEncoding, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from '../messages/counts.ts';
import { printable } from './output.ts';
import { contentTypeOf } from './recipients-file.ts';
import type { Shell } from './shell.ts';

const PATH = '/v1/opt-outs';
const PAGE = 10_000;

export function addOptOutCommands(group: Command, shell: Shell): void {
  addChange(group, shell, { name: 'add', description: 'Add opt-outs' });
  addChange(group, shell, { name: 'remove', description: 'Remove opt-outs' });
  addList(group, shell);
}

interface ListFlags {
  readonly from?: string;
  readonly account?: string;
  readonly json?: true;
}

interface ChangeFlags extends ListFlags {
  readonly phone?: readonly string[];
  readonly encoding?: Encoding;
  readonly country?: string;
}

interface Change {
  readonly name: 'add' | 'remove';
  readonly description: string;
}

function addChange(group: Command, shell: Shell, { name, description }: Change): void {
  const made = group
    .command(name)
    .description(description)
    .argument('[file]', 'CSV, .xlsx, .ods, JSON lines, or one phone number a line; - reads standard input')
    .option('--phone <number>', 'a phone number; can be repeated', repeated)
    .option('--from <sender>', 'only for this sender ID; default: for all')
    .option('--country <code>', 'country of phone numbers without a country code', country)
    .option('--account <name>', 'account that sends the SMS');
  withEncoding(made)
    .option('--json', 'print the answer as JSON')
    .action(shell.action((file: string | undefined, flags: ChangeFlags) => change(name, { file, flags }, shell)));
  withExample(made, `relais opt-outs ${name} stop.csv --country SN`);
}

async function change(
  name: Change['name'],
  { file, flags }: { readonly file: string | undefined; readonly flags: ChangeFlags },
  shell: Shell,
): Promise<ExitCode> {
  const { phone: phones = [], json, encoding, ...named } = flags;
  const method = name === 'add' ? 'POST' : 'DELETE';
  if ((file === undefined) === (phones.length === 0)) {
    throw new WrongUsage(shell.words.commands.usage.fileOrPhones, {
      next: `relais opt-outs ${name} --phone +221771234567`,
    });
  }
  const { body } =
    file === undefined
      ? await shell.api.send(method, PATH, { phones, ...named })
      : await uploadFile(file, { method, named, encoding }, shell);
  if (json) await shell.output.json(body);
  else await tell(body, shell);
  return Number(body['refused']) > 0 ? 1 : 0;
}

interface Sending {
  readonly method: 'POST' | 'DELETE';
  readonly named: Readonly<Record<string, string>>;
  readonly encoding: Encoding | undefined;
}

async function uploadFile(file: string, { method, named, encoding }: Sending, shell: Shell) {
  const { first, all } = await peek(await streamFrom(file, shell));
  const query = new URLSearchParams(named).toString();
  const path = query === '' ? PATH : `${PATH}?${query}`;
  const format = first.startsWith('PK') ? 'xlsx' : first.trimStart().startsWith('{') ? 'ndjson' : 'csv';
  return shell.api.upload(path, all, contentTypeOf(format, encoding), method);
}

/** In UTF-8. */
const MARK = Buffer.from('\ufeff');
/** The first line of a list is shorter. */
const PEEKED_BYTES = 4_096;

/** A list without a header gets one: its first line is a number, with spaces that may be in another encoding. */
async function peek(source: AsyncIterable<Buffer>): Promise<{ first: string; all: Readable }> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  // A pipe may split a line.
  for (let isOpen = true; isOpen && !head.includes('\n') && head.length < PEEKED_BYTES; ) {
    const next = await chunks.next();
    if (next.done) isOpen = false;
    else head = Buffer.concat([head, next.value]);
  }
  const first = head.toString('utf8').replace(/^\ufeff/, '');
  const bare = /^\s*['"]?\+?\d[\d\s\ufffd().-]{5,}['"]?\s*(\r?\n|$)/.test(first);
  async function* again(): AsyncGenerator<Buffer> {
    if (bare) yield Buffer.from('to\n');
    // Unchanged, except a byte order mark that would follow the header: it may be a workbook, or in another encoding.
    yield bare && head.subarray(0, 3).equals(MARK) ? head.subarray(3) : head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield Buffer.from(next.value);
  }
  return { first, all: Readable.from(again()) };
}

async function tell(body: JsonObject, { output, words }: Shell): Promise<void> {
  const { labels, everySender } = words.commands.optOuts;
  const count = (name: string): string | undefined =>
    typeof body[name] === 'number' ? grouped(body[name]) : undefined;
  await output.facts([
    [labels.account, body['account']],
    [labels.sender, body['from'] ?? everySender],
    [labels.added, count('added')],
    [labels.already, count('already')],
    [labels.removed, count('removed')],
    [labels.absent, count('absent')],
    [labels.refused, count('refused')],
  ]);
  const problems = (Array.isArray(body['problems']) ? body['problems'] : []) as readonly JsonObject[];
  for (const { at, message } of problems) {
    await output.note(`  ${printable(at)}: ${printable(message)}`);
  }
}

function addList(group: Command, shell: Shell): void {
  const command = group
    .command('list')
    .description('List opt-outs')
    .option('--from <sender>', 'opt-outs of this sender ID; default: opt-outs of all sender IDs')
    .option('--account <name>', 'account that sends the SMS')
    .option('--json', 'print a JSON array')
    .action(shell.action((flags: ListFlags) => list(flags, shell)));
  withExample(command, 'relais opt-outs list > stop.txt');
}

/** A page at a time. The numbers are unordered, and one may occur twice while the list changes. */
async function list({ json, from, account }: ListFlags, { api, output, words }: Shell): Promise<ExitCode> {
  output.onlyReads();
  let after: string | undefined;
  let lines = 0;
  let forgotten = 0;
  if (json) await output.line('[');
  do {
    const { body } = await api.get(PATH, { from, account, after, limit: PAGE });
    const items = (Array.isArray(body['items']) ? body['items'] : []) as readonly string[];
    const rows = items.map((phone) => (json ? JSON.stringify(phone) : printable(phone)));
    const glue = json ? ',\n' : '\n';
    if (rows.length > 0) await output.write(`${lines > 0 ? glue : ''}${rows.join(glue)}`);
    lines += rows.length;
    forgotten = Number(body['forgotten'] ?? 0);
    after = typeof body['next'] === 'string' ? body['next'] : undefined;
  } while (after !== undefined);
  if (lines > 0) await output.line('');
  if (json) await output.line(']');
  else if (lines === 0) await output.note(words.shell.none);
  if (forgotten > 0) await output.note(words.commands.optOuts.forgotten(forgotten));
  return 0;
}

import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import type { Encoding } from '../files/encodings.ts';
import { reportCsvHead, type ReportLine, reportCsvLine } from '../producer/batch/report.ts';
import { type CreationFlags, identityHeader, readKey, refuseOverwriting } from './asking.ts';
import type { JsonObject } from './client.ts';
import { BATCHES, printBatch, printReading } from './disburse-batch-facts.ts';
import { readFileToSend } from './disburse-batch-file.ts';
import type { Words } from '../messages/languages.ts';
import { WrongUsage } from './failure.ts';
import { type ReadingFlags, readingOf, withReading } from './disburse-batch-reading.ts';
import { notifiedStates } from '../kinds/notify.ts';
import { encoding, listOf, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { grouped } from '../messages/counts.ts';
import { printable } from './output.ts';
import { explainFile } from './recipients-file.ts';
import type { Shell } from './shell.ts';

const EXAMPLE_ID = 'bat_4n7q0c1w2e3r4t5y6z7a8b9c0d';

export function addBatchCommands(group: Command, shell: Shell): void {
  addUpload(group, shell);
  addReport(group, shell);
}

interface UploadFlags extends CreationFlags, ReadingFlags {
  readonly account?: string;
  readonly encoding?: Encoding;
  readonly csv?: string;
  readonly notBefore?: string;
  readonly notify?: string;
  readonly notifyFailedText?: string;
  readonly notifyOn?: readonly string[];
}

function addUpload(group: Command, shell: Shell): void {
  const command = group
    .command('batch')
    .description('Check and upload a payment batch. Nothing is paid before another person approves it')
    .argument(
      '<file>',
      'CSV, .xlsx, .ods or JSON, with the columns reference, accountAlias, amount and withdrawMode, or headings of your own; - reads standard input',
    )
    .option('--account <name>', 'account that pays')
    .option('--not-before <time>', 'earliest time of every payment: 2026-11-21T08:00:00Z')
    .option('--notify <text>', 'SMS to each payee, with the columns of the file as {{variables}}')
    .option('--notify-failed-text <text>', 'text for failed payments; default: the text of --notify')
    .option(
      '--notify-on <states>',
      'states that payees are told: succeeded,failed; default: succeeded',
      listOf(notifiedStates),
    )
    .option('--encoding <name>', 'encoding of a text file that is not Unicode: windows-1252', encoding)
    .option('--csv <file>', 'write the invalid rows to this file: the columns of the file, and the problem')
    .option('--idempotency-key <key>', 'key that identifies a retry; default: the bytes of the file', readKey)
    .option('--dry-run', 'check the file by every rule, and upload nothing')
    .option('--json', 'print the answer as JSON')
    .action(shell.action((file: string, flags: UploadFlags) => upload(file, flags, shell)));
  withExample(withReading(command), 'relais disburse batch salaries-2026-11.csv');
}

async function upload(path: string, flags: UploadFlags, shell: Shell): Promise<ExitCode> {
  const { account, notBefore, notify, notifyFailedText, notifyOn, dryRun, json, csv } = flags;
  await refuseOverwriting(path, csv, shell);
  const { api, output } = shell;
  const file = await readFileToSend(path, flags.encoding, shell);
  if (csv !== undefined && file.type === 'application/json') {
    throw new WrongUsage(shell.words.commands.usage.csvOfJson);
  }
  const letter = {
    query: { account, notBefore, notify, notifyFailedText, notifyOn, name: nameOf(path), ...readingOf(flags) },
    bytes: file.bytes,
    headers: { ...identityHeader(flags), 'content-type': file.type },
  };
  const { body } = await api.upload(pathTo(letter, dryRun), Readable.from([file.bytes]), letter.headers);
  if (csv !== undefined && body['state'] === 'invalid') await writeProblems(csv, letter, shell);
  if (json) await output.json(body);
  else {
    await printBatch(body, shell);
    await printReading(body, shell);
    await output.note(dryRun ? shell.words.batch.dryRun : nextStep(body, shell.words.batch));
  }
  return body['state'] === 'invalid' ? 1 : 0;
}

interface Letter {
  readonly query: Readonly<Record<string, string | readonly string[] | true | undefined>>;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const NAME_MOST = 100;

/** Undefined for standard input. */
function nameOf(path: string): string | undefined {
  return path === '-' ? undefined : printable(basename(path)).slice(-NAME_MOST);
}

function pathTo({ query: asked }: Letter, dryRun: true | undefined): string {
  const given = Object.entries({ ...asked, dryRun }).flatMap(([key, value]): [string, string][] =>
    value ? [[key, String(value)]] : [],
  );
  const written = new URLSearchParams(given).toString();
  return written === '' ? BATCHES : `${BATCHES}?${written}`;
}

/** By the API, which lists the first hundred in JSON, and all of them in CSV. */
async function writeProblems(path: string, letter: Letter, shell: Shell): Promise<void> {
  const { api, output, words } = shell;
  const headers = { ...letter.headers, accept: 'text/csv' };
  const rows = api.converse(pathTo(letter, true), Readable.from([letter.bytes]), headers);
  await writeFile(path, rows).catch((error: unknown) => {
    throw explainFile(error, path, shell.language);
  });
  await output.note(words.batch.problemsAreIn(path));
}

function nextStep({ id, state, contentHash }: JsonObject, words: Words['batch']): string {
  const show = `relais disburse batch-show ${String(id)}`;
  if (state === 'invalid') return words.invalid;
  if (state === 'awaiting_approval') {
    const approve = `relais disburse approve ${String(id)} --hash ${String(contentHash)}`;
    return words.awaiting(approve);
  }
  if (state === 'running' || state === 'finished') return words.before(show);
  return words.anew(String(state));
}

interface ApproveFlags {
  readonly hash: string;
  readonly yes?: true | undefined;
  readonly json?: true | undefined;
}

/** `relais disburse approve`, for the id of a batch. */
export async function approveBatch(id: string, { hash, yes, json }: ApproveFlags, shell: Shell): Promise<ExitCode> {
  if (shell.io.isTerminal && !yes) {
    await printBatch((await shell.api.get(pathOf(id))).body, shell);
    await printFirstRows(id, shell);
    if (!(await shell.confirmed(shell.words.batch.letBePaid, yes))) return 1;
  }
  const { body } = await shell.api.post(`${pathOf(id)}/approve`, { contentHash: hash });
  if (json) await shell.output.json(body);
  else {
    await printBatch(body, shell);
    await shell.output.note(shell.words.batch.goesOn(`relais disburse batch-show ${id}`));
  }
  return 0;
}

const SHOWN_ROWS = 10;

/** The payees, as written in the file, before the approval. */
async function printFirstRows(id: string, { api, output, words }: Shell): Promise<void> {
  const { body } = await api.get(`${pathOf(id)}/rows?limit=${SHOWN_ROWS}`);
  const lines = (Array.isArray(body['items']) ? body['items'] : []) as readonly ReportLine[];
  if (lines.length === 0) return;
  const own = (Array.isArray(body['columns']) ? body['columns'] : []) as readonly string[];
  const rows = lines.map((line) => ({ ...line.own, ...line, amount: grouped(line.amount) }));
  await output.ask(`${words.batch.firstRows}\n${output.renderTable([...APPROVED_COLUMNS, ...own], rows)}`);
}

const APPROVED_COLUMNS = ['row', 'accountAlias', 'withdrawMode', 'amount', 'reference'] as const;

interface ReportFlags {
  readonly csv?: true;
  readonly json?: true;
}

function addReport(group: Command, shell: Shell): void {
  const command = group
    .command('batch-report')
    .description('Show the result of each batch row. With the ids of relais and of the provider')
    .argument('<id>')
    .addOption(new Option('--csv', 'print CSV for a spreadsheet').conflicts('json'))
    .option('--json', 'print the report as JSON')
    .action(shell.action((id: string, flags: ReportFlags) => report(id, flags, shell)));
  withExample(command, `relais disburse batch-report ${EXAMPLE_ID} --csv > salaries-2026-11-report.csv`);
}

const COLUMNS = ['row', 'reference', 'state', 'amount', 'id', 'transactionId', 'reason'] as const;

async function report(id: string, { csv, json }: ReportFlags, { api, output, words }: Shell): Promise<ExitCode> {
  const { body } = await api.get(`${pathOf(id)}/report`);
  const lines = (Array.isArray(body['items']) ? body['items'] : []) as readonly ReportLine[];
  if (json) await output.json(body);
  else if (csv) {
    const columns = (Array.isArray(body['columns']) ? body['columns'] : []) as readonly string[];
    await output.write(reportCsvHead(columns) + lines.map((line) => reportCsvLine(line, columns)).join(''));
  } else if (lines.length > 0) {
    const readable = lines.map((line) => ({ ...line, amount: grouped(line.amount) }));
    await output.write(output.renderTable(COLUMNS, readable));
  } else await output.note(words.campaign.none);
  return 0;
}

function pathOf(id: string): string {
  return `${BATCHES}/${encodeURIComponent(id)}`;
}

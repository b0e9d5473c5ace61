/** A file of recipients, judged here before anything of it leaves this machine. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Check, type CheckOptions, checkRecipients } from '../campaigns/check/check-recipients.ts';
import { UnusableFile } from '../campaigns/check/reasons.ts';
import { renderProblems, reportCsv } from '../campaigns/check/report.ts';
import type { CheckSummary, SkippedRow } from '../campaigns/check/summary.ts';
import { UnusableTemplate } from '../lib/template.ts';
import { CommandFailed, WrongUsage } from './failure.ts';
import type { RecipientsSource } from './recipients-source.ts';

/** Reads the whole file; with `csv`, writes the skipped rows there. A file that cannot be used is a CommandFailed. */
export async function checkFile(
  source: RecipientsSource,
  options: CheckOptions,
  csv?: string,
): Promise<CheckSummary> {
  try {
    const check = checkRecipients(source.open(), options);
    if (csv === undefined) await drain(check);
    else await writeSkipped(check, csv);
    return check.summary();
  } catch (error) {
    throw explain(error, source.name);
  }
}

async function drain(check: Check): Promise<void> {
  for await (const row of check) void row;
}

/** Under another name until it is whole, so that nobody mends half a list. */
async function writeSkipped(check: Check, path: string): Promise<void> {
  const part = `${path}.part`;
  try {
    await pipeline(Readable.from(skippedCsv(check)), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

const ROWS_AT_ONCE = 500;

async function* skippedCsv(check: Check): AsyncGenerator<string> {
  const head = reportCsv([]);
  yield head;
  let rows: SkippedRow[] = [];
  for await (const row of check) {
    if (row.is === 'skipped') rows.push(row);
    if (rows.length < ROWS_AT_ONCE) continue;
    yield reportCsv(rows).slice(head.length);
    rows = [];
  }
  yield reportCsv(rows).slice(head.length);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read or written',
};

function explain(error: unknown, path: string): unknown {
  if (error instanceof UnusableFile) {
    return new CommandFailed(`Nothing of ${path} can be used.\n${renderProblems(error)}`, {
      next: 'Mend the file and check it again: relais campaign check FILE',
      cause: error,
    });
  }
  if (error instanceof UnusableTemplate) return new WrongUsage(`--text: ${error.message}`, { cause: error });
  // The only options that come from a person and are judged there.
  if (error instanceof RangeError) return new WrongUsage(`--country: ${error.message}`, { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = UNREADABLE[code];
  if (why === undefined) return error;
  const about = error instanceof Error && 'path' in error ? String(error.path) : path;
  return new CommandFailed(`${about}: ${why}.`, { cause: error });
}

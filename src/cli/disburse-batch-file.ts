import { accountOf, judgeFile } from '../producer/batch/door.ts';
import { type BatchFormat, BYTES_MAX, readBatchFile } from '../producer/batch/read-file.ts';
import { bytesFrom } from './asking.ts';
import type { JsonObject } from './client.ts';
import { CommandFailed } from './failure.ts';
import { grouped } from './output.ts';
import type { Shell } from './shell.ts';

export interface FileToSend {
  readonly bytes: Buffer;
  readonly format: BatchFormat;
}

export async function readFileToSend(path: string, shell: Shell): Promise<FileToSend> {
  const bytes = await bytesFrom(path, shell);
  if (bytes.length > BYTES_MAX) {
    throw new CommandFailed(`${path} has ${grouped(bytes.length)} bytes; a batch may have ${grouped(BYTES_MAX)}.`, {
      next: 'Send it in parts.',
    });
  }
  return { bytes, format: formatOf(bytes) };
}

/** A header of a CSV file begins with neither. */
function formatOf(bytes: Buffer): BatchFormat {
  const [begins] = /\S/.exec(bytes.toString('utf8', 0, 1_000).replace(/^\ufeff/, '')) ?? [];
  if (begins === '[') return 'json';
  return begins === '{' ? 'ndjson' : 'csv';
}

/**
 * What this program can tell about a file without asking anybody, in the form of the API's answer. The API also knows
 * the accounts, the limits, and which references are taken.
 */
export async function judgedHere({ bytes, format }: FileToSend, asked: string | undefined): Promise<JsonObject> {
  const file = readBatchFile(bytes, format);
  const account = accountOf(file, asked);
  const { totals, problems, warnings } = await judgeFile(file, { environment: 'default', account, limits: {} });
  return {
    dryRun: true,
    state: problems.count === 0 ? 'awaiting_approval' : 'invalid',
    account,
    contentHash: file.contentHash,
    totals,
    problems: problems.list,
    problemCount: problems.count,
    warnings: warnings.list,
    warningCount: warnings.count,
  };
}

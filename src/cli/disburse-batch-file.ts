import { accountOf, judgeFile } from '../producer/batch/door.ts';
import type { Encoding } from '../files/text.ts';
import type { Finding } from '../kinds/batch.ts';
import { csvCell } from '../lib/csv-cell.ts';
import { type BatchFormat, type BatchReading, BYTES_MAX, readBatchFile } from '../producer/batch/read-file.ts';
import type { Rows } from '../producer/batch/rows.ts';
import { bytesFrom } from './asking.ts';
import type { JsonObject } from './client.ts';
import { CommandFailed } from './failure.ts';
import { grouped } from './output.ts';
import type { Shell } from './shell.ts';

export interface FileToSend extends BatchReading {
  readonly bytes: Buffer;
}

export async function readFileToSend(
  path: string,
  encoding: Encoding | undefined,
  shell: Shell,
): Promise<FileToSend> {
  const bytes = await bytesFrom(path, shell);
  if (bytes.length > BYTES_MAX) {
    throw new CommandFailed(`${path} has ${grouped(bytes.length)} bytes; a batch may have ${grouped(BYTES_MAX)}.`, {
      next: 'Send it in parts.',
    });
  }
  return { bytes, format: formatOf(bytes), encoding };
}

/** A header of a CSV file begins with neither. */
function formatOf(bytes: Buffer): BatchFormat {
  const [begins] = /\S/.exec(bytes.toString('utf8', 0, 1_000).replace(/^\ufeff/, '')) ?? [];
  if (begins === '[') return 'json';
  // A workbook shows itself; what it is sent as says no more than that it is one.
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') return 'xlsx';
  return begins === '{' ? 'ndjson' : 'csv';
}

export interface JudgedHere {
  /** In the form of the API's answer. */
  readonly body: JsonObject;
  /** Every row with something wrong, in the columns of the file; undefined where the file has none. */
  readonly problemsCsv: string | undefined;
}

/**
 * What this program can tell about a file without asking anybody. The API also knows the accounts, the limits, and
 * which references are taken: `more` is what it found, of what was not found here.
 */
export async function judgedHere(
  { bytes, ...reading }: FileToSend,
  asked: string | undefined,
  more: readonly Finding[] = [],
): Promise<JudgedHere> {
  const file = await readBatchFile(bytes, reading);
  const account = accountOf(file, asked);
  const options = { environment: 'default', account, limits: {}, kept: Number.POSITIVE_INFINITY };
  const { totals, problems, warnings } = await judgeFile(file, options);
  const body = {
    dryRun: true,
    state: problems.count === 0 ? 'awaiting_approval' : 'invalid',
    account,
    contentHash: file.contentHash,
    totals,
    problems: problems.list.slice(0, SHOWN),
    problemCount: problems.count,
    warnings: warnings.list,
    warningCount: warnings.count,
  };
  const known = new Set(problems.list.map((finding) => JSON.stringify(finding)));
  const others = more.filter((finding) => !known.has(JSON.stringify(finding)));
  return { body, problemsCsv: problemsCsvOf(file, [...problems.list, ...others]) };
}

/** As many as the API tells one by one. */
const SHOWN = 100;

function problemsCsvOf({ columns, cells }: Rows, findings: readonly Finding[]): string | undefined {
  if (!columns || !cells) return undefined;
  const ofRow = new Map<number | null, Finding[]>();
  for (const finding of findings) ofRow.set(finding.row, [...(ofRow.get(finding.row) ?? []), finding]);
  const lines = [...ofRow].map(([row, found]) => {
    const own = columns.map((_, at) => (row === null ? '' : (cells.get(row)?.[at] ?? '')));
    const why = found.map(({ column, reason }) => [column, reason].filter((part) => part !== null).join(' '));
    return [...own, row ?? '', why.join('; ')].map(csvCell).join(';');
  });
  return `\ufeff${[[...columns, 'row', 'problem'].map(csvCell).join(';'), ...lines].join('\r\n')}\r\n`;
}

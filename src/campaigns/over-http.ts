/** Adds recipients through the HTTP API, with the results and errors of an upload in the database. */
import type { Client } from '../client/client.ts';
import { Refused } from '../client/refusal.ts';
import type { FileFormat } from '../files/rows.ts';
import { type FileProblem, UnusableFile, fileProblems } from '../files/problems.ts';
import type { CheckSummary } from './check/report.ts';
import type { AddOptions, UploadAnswer } from './library.ts';
import { NoSuchCampaign } from './no-such-campaign.ts';
import { TooManyUploads } from './upload.ts';

interface Adding {
  readonly source: AsyncIterable<Uint8Array>;
  readonly wishes: AddOptions;
}

/** A workbook identifies itself, whatever its media type. */
const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
} as const satisfies Record<FileFormat, string>;

export async function addOverHttp(client: Client, id: string, { source, wishes }: Adding): Promise<UploadAnswer> {
  const { format, encoding, sheet, phoneColumn, takeHidden, preview, take, repair, dryRun } = wishes;
  const { first, whole } = await peeked(source);
  const type = TYPES[format ?? (first === OPENING_BRACE ? 'ndjson' : 'csv')];
  // The client's types have only the media type.
  const named = (encoding === undefined ? type : `${type}; charset=${encoding}`) as typeof type;
  const asked = {
    id,
    ...(sheet !== undefined && { sheet }),
    ...(phoneColumn !== undefined && { phoneColumn }),
    ...(takeHidden && { takeHidden }),
    ...(preview !== undefined && { preview }),
    ...(take && { take: take.join(',') }),
    ...(repair && { repair: repair.join(',') }),
    ...(dryRun && { dryRun }),
    file: { type: named, content: whole },
  };
  try {
    return answerOf(await client.addRecipients(asked), dryRun ?? false);
  } catch (error) {
    return unlessChanged(id, error);
  }
}

const OPENING_BRACE = '{'.charCodeAt(0);

/** The first byte, and the whole stream. */
async function peeked(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly first: number | undefined; readonly whole: AsyncIterable<Uint8Array> }> {
  const pieces = source[Symbol.asyncIterator]();
  const begun: Uint8Array[] = [];
  while (begun.every(({ length }) => length === 0)) {
    const next = await pieces.next();
    if (next.done) break;
    begun.push(next.value);
  }
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield* begun;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  return { first: begun.at(-1)?.[0], whole: whole() };
}

type Report = Awaited<ReturnType<Client['addRecipients']>>;

function answerOf(report: Report, isDry: boolean): UploadAnswer {
  const { replayed, dryRun: _dry, ...summary } = report as Report & { readonly dryRun?: true };
  const { recipients, skipped } = report;
  if (replayed) return { is: 'replayed', upload: { recipients, skipped } };
  // The API returns the summary of the check unchanged.
  return { is: isDry ? 'checked' : 'counted', summary: summary as unknown as CheckSummary };
}

function unlessChanged(id: string, error: unknown): UploadAnswer {
  if (!(error instanceof Refused)) throw error;
  if (error.rule === 'content-changed') return { is: 'changed' };
  if (error.rule === 'limit') throw new TooManyUploads();
  if (error.status === 404) throw new NoSuchCampaign(`there is no campaign ${id}`, { cause: error });
  if (error.status === 409) throw new NoSuchCampaign(`${id}: ${error.problem.detail ?? ''}`, { cause: error });
  const problems = error.problems.flatMap((problem) => fileProblemOf(problem));
  throw problems.length > 0 ? new UnusableFile(problems) : error;
}

function fileProblemOf(problem: { readonly pointer: string; readonly message: string }): readonly FileProblem[] {
  const code = 'code' in problem ? String(problem.code) : '';
  if (!isFileProblem(code)) return [];
  const row = /^\/(\d+)$/.exec(problem.pointer)?.[1];
  return [{ code, message: problem.message, ...(row === undefined ? {} : { row: Number(row) }) }];
}

const isFileProblem = (code: string): code is FileProblem['code'] => Object.hasOwn(fileProblems, code);

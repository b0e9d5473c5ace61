/** A payment batch that is only checked: its problems, or the rows to correct. */
import type { Findings } from '../kinds/batch.ts';
import { type UploadOptions, approvedHash } from '../producer/batch/door.ts';
import { type SoundRow, findingTexts } from '../producer/batch/judge.ts';
import { problemsCsv } from '../producer/batch/report.ts';
import type { BatchFile } from '../producer/batch/rows.ts';
import type { ApiContext } from './context.ts';
import { languageFor } from './problem.ts';
import { type AnyAsked, Reply } from './route.ts';

interface Judging {
  readonly file: BatchFile;
  readonly account: string;
  readonly options: Pick<UploadOptions, 'notBefore' | 'notify'>;
}

const SAMPLE = 5;
const PROBLEMS_TOLD = 100;
const REFUSED_MOST = 1_000;

/** The result of a dry run: as the answer, or as the rows to correct. */
export async function judged(
  { batchDoor }: ApiContext,
  { file, account, options }: Judging,
  { request, response }: Pick<AnyAsked, 'request' | 'response'>,
) {
  const asCsv = request.accepts(['json', 'csv']) === 'csv';
  const kept = asCsv ? Number.POSITIVE_INFINITY : REFUSED_MOST;
  const { state, totals, problems, warnings, sound } = await batchDoor.judge(file, account, { ...options, kept });
  const rows = asCsv ? problemsCsv(file, findingTexts(problems.list, languageFor(request))) : undefined;
  if (rows !== undefined) {
    response.type('text/csv').send(rows);
    return undefined;
  }
  return new Reply(200, {
    dryRun: true as const,
    account,
    contentHash: approvedHash(file, options),
    state,
    totals,
    table: file.table ?? null,
    sample: sound.slice(0, SAMPLE).map(shownRow),
    refusedRows: [...new Set(problems.list.flatMap(({ row }) => row ?? []))],
    questions: questionsIn(problems.list),
    problems: findingTexts(problems.list.slice(0, PROBLEMS_TOLD), languageFor(request)),
    problemCount: problems.count,
    warnings: findingTexts(warnings.list, languageFor(request)),
    warningCount: warnings.count,
  });
}

function shownRow({ row, request }: SoundRow) {
  const { accountAlias, amount, withdrawMode, reference, payeeName } = request;
  return { row, accountAlias, amount, withdrawMode, reference, payeeName };
}

/** Problems that an answer of a person settles, as an option of the upload. */
function questionsIn(problems: Findings['list']): Question[] {
  const of = (code: string) => problems.filter(({ reason }) => reason.code === code);
  const [thousands, takeHidden] = [of('two_amounts').length, of('hidden_payment').length];
  const encoding = of('looks_like_encoding')[0]?.reason.values?.['encoding'];
  return [
    ...(thousands > 0 ? [{ ask: 'thousands' as const, rows: thousands }] : []),
    ...(takeHidden > 0 ? [{ ask: 'takeHidden' as const, rows: takeHidden }] : []),
    ...(typeof encoding === 'string' ? [{ ask: 'charset' as const, rows: 0, charset: encoding }] : []),
  ];
}

interface Question {
  readonly ask: 'thousands' | 'takeHidden' | 'charset';
  readonly rows: number;
  readonly charset?: string;
}

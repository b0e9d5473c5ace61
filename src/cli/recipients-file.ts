/** A file of recipients, checked locally before anything of it leaves this machine, and the flags for reading it. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type Check, type CheckOptions, checkRecipients } from '../campaigns/check/check-recipients.ts';
import { type RepairableCountry, repairableCountries } from '../lib/renumbering.ts';
import { type Takable, takable } from '../campaigns/check/doubtful-values.ts';
import { leavable } from '../campaigns/check/questions.ts';
import { type SkipReason, renderProblems, type CheckSummary } from '../campaigns/check/report.ts';
import { skippedCsv } from '../campaigns/check/skipped-csv.ts';
import { UnusableFile } from '../files/problems.ts';
import type { FileFormat } from '../files/rows.ts';
import type { Encoding } from '../files/encodings.ts';
import { sampleStopLink } from '../lib/stop-link.ts';
import { UnusableTemplate } from '../lib/wording.ts';
import { type Language, wordsIn } from '../messages/languages.ts';
import { CommandFailed, WrongUsage } from './failure.ts';
import { listOf, withEncoding } from './flags.ts';
import type { CliIo } from './io.ts';
import type { RecipientsSource } from './recipients-source.ts';
import { MessageError } from '../messages/texts.ts';

/** Options for reading a file and for its doubtful rows; the same for every command with a file. */
export interface FileFlags {
  readonly phoneColumn?: string;
  readonly sheet?: string;
  readonly encoding?: Encoding;
  readonly repair?: readonly RepairableCountry[];
  readonly takeHidden?: true;
  readonly take?: readonly Takable[];
  readonly leaveOut?: readonly SkipReason[];
  readonly asWritten?: true;
  readonly csv?: string;
}

export function withFileFlags(command: Command): Command {
  const read = command
    .option('--phone-column <name>', 'column of the phone numbers, if its name is not recognised')
    .option('--sheet <name>', 'sheet of a workbook; default: the first visible sheet');
  return withEncoding(read)
    .option('--repair <countries>', 'convert old phone numbers of CI, BJ', listOf(repairableCountries))
    .option('--take-hidden', 'include the rows that the workbook hides')
    .option('--take <reasons>', 'send doubtful values as they are: no_value, damaged_value', listOf(takable))
    .addOption(
      new Option('--leave-out <reasons>', 'accept that rows are skipped for these reasons').argParser(
        listOf(leavable),
      ),
    )
    .option('--as-written', 'send the text as it is written, with its doubtful parts')
    .option('--csv <file>', 'write the skipped rows to this file: the columns of the file, and the problem');
}

/** The length of the `{{stop}}` link, if this machine knows the public address of the deployment. */
export function stopLinkOf({ env }: Pick<CliIo, 'env'>): Pick<CheckOptions, 'stopLink'> {
  const url = env['PUBLIC_URL'];
  return url ? { stopLink: sampleStopLink(url.replace(/\/+$/, '')) } : {};
}

/** Options of the local check. */
export function readingOf({ phoneColumn, sheet, encoding: named, repair, takeHidden, take }: FileFlags) {
  return {
    phoneColumn,
    sheet,
    encoding: named,
    takeHidden,
    take,
    ...(repair !== undefined && { repair }),
  } satisfies CheckOptions;
}

/** Options for the API. */
export function queryOf({ phoneColumn, sheet, repair, takeHidden, take }: FileFlags): Record<string, string> {
  return {
    ...(phoneColumn !== undefined && { phoneColumn }),
    ...(sheet !== undefined && { sheet }),
    ...(repair && { repair: repair.join(',') }),
    ...(takeHidden && { takeHidden: 'true' }),
    ...(take && { take: take.join(',') }),
  };
}

const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
} as const satisfies Record<FileFormat, string>;

export function contentTypeOf(format: FileFormat, named: Encoding | undefined): string {
  return named === undefined ? TYPES[format] : `${TYPES[format]}; charset=${named}`;
}

/** Reads the whole file; with `csv`, writes the skipped rows there. Throws a CommandFailed for an unusable file. */
export async function checkFile(
  source: RecipientsSource,
  options: CheckOptions,
  { csv, language }: { readonly csv?: string | undefined; readonly language: Language },
): Promise<CheckSummary> {
  try {
    const check = checkRecipients(source.open(), options);
    if (csv === undefined) await drain(check);
    else await writeSkipped(check, csv, language);
    return check.summary();
  } catch (error) {
    throw explainFile(error, source.name, language);
  }
}

async function drain(check: Check): Promise<void> {
  for await (const row of check) void row;
}

/** Under another name until it is complete, so that a user does not correct half a list. */
async function writeSkipped(check: Check, path: string, language: Language): Promise<void> {
  const part = `${path}.part`;
  try {
    await pipeline(Readable.from(skippedCsv(check, language)), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

const UNREADABLE: Readonly<Record<string, 'missing' | 'folder' | 'forbidden'>> = {
  ENOENT: 'missing',
  EISDIR: 'folder',
  EACCES: 'forbidden',
};

/** The text of a file error; other errors are returned unchanged. */
export function explainFile(error: unknown, path: string, language: Language): unknown {
  const { commands, file } = wordsIn(language);
  if (error instanceof UnusableFile) {
    const words = file;
    return new CommandFailed(`${words.unusable(path)}\n${renderProblems(error, language)}`, {
      next: words.checkAgain,
      cause: error,
    });
  }
  if (error instanceof UnusableTemplate)
    return new WrongUsage(commands.usage.text[error.code](error.about), { cause: error });
  // The only options that come from a user and are checked there.
  if (error instanceof MessageError) return new WrongUsage(commands.usage.country, { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = UNREADABLE[code];
  if (why === undefined) return error;
  const about = error instanceof Error && 'path' in error ? String(error.path) : path;
  return new CommandFailed(commands.aboutFile(about, commands.unreadableFile[why]), { cause: error });
}

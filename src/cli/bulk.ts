/** A file of requests, one JSON object per line, sent and answered line by line; for messages and disbursements. */
import { Readable } from 'node:stream';
import { type CreationFlags, identityHeader, refuseQuestion, streamFrom } from './asking.ts';
import { CommandFailed } from './failure.ts';
import { counted } from '../messages/figures.ts';
import { wordFor } from '../messages/languages.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';

export interface Bulk {
  readonly path: string;
  readonly question: (file: string) => string;
}

interface Verdict {
  readonly index: number;
  readonly id: string | null;
  readonly outcome: string;
  readonly problem?: readonly { readonly pointer: string; readonly message: string }[];
}

/** Outcomes that need no attention. */
const WELL = ['accepted', 'duplicate', 'valid'];

/** `-` is standard input. Exit code 1 if any line is not accepted. */
export async function sendLines(file: string, bulk: Bulk, flags: CreationFlags, shell: Shell): Promise<ExitCode> {
  refuseQuestion(file, flags, shell);
  const say = shell.words.shell;
  const source = await streamFrom(file, shell);
  const counts = new Map<string, number>();
  if (!flags.dryRun && !(await shell.confirmed(bulk.question(file), flags.yes))) {
    source.destroy();
    return 1;
  }
  for await (const line of answered(source, bulk, flags, shell)) {
    const verdict = JSON.parse(line) as Verdict;
    counts.set(verdict.outcome, (counts.get(verdict.outcome) ?? 0) + 1);
    if (flags.json) await shell.output.line(line);
    else if (!WELL.includes(verdict.outcome)) await shell.output.line(readable(verdict, shell));
  }
  const sums = [...counts]
    .map(([outcome, count]) => `${counted(count, shell.words.figures)} ${wordFor(say.outcomes, outcome)}`)
    .join(', ');
  await shell.output.note(sums === '' ? say.noLine : `${sums}.`);
  if (flags.dryRun) await shell.output.note(say.dryRun);
  return counts.size > 0 && [...counts.keys()].every((outcome) => WELL.includes(outcome)) ? 0 : 1;
}

async function* answered(
  source: Readable,
  bulk: Bulk,
  flags: CreationFlags,
  { api, words }: Shell,
): AsyncGenerator<string> {
  // As a stream of our own: undici does not accept a terminal's standard input directly.
  const body = Readable.from(source);
  let rest = '';
  const headers = { ...identityHeader(flags), 'content-type': 'application/x-ndjson' };
  const path = flags.dryRun ? `${bulk.path}?dryRun=true` : bulk.path;
  for await (const part of api.converse(path, body, headers)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') {
    throw new CommandFailed(words.shell.brokeOff, { next: words.shell.sendFileAgain });
  }
}

function readable({ index, id, outcome, problem = [] }: Verdict, { words: { shell: say } }: Shell): string {
  const why = problem.map(({ pointer, message }) => printable(`${pointer} ${message}`.trim()));
  return [say.line(index + 1), wordFor(say.outcomes, outcome), ...(id === null ? [] : [id]), why.join('; ')]
    .join('  ')
    .trimEnd();
}

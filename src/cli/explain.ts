import type { Command } from 'commander';
import type { JsonObject } from './client.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';

export function addExplainCommand(program: Command, shell: Shell): void {
  const command = program
    .command('explain')
    .description('The story of any operation in plain words, and what to do next')
    .argument('<id>', 'of a disbursement, a message, a campaign, a chunk …; or a reason from a log line')
    .option('--json', 'print it as JSON')
    .action(shell.action((id: string, flags: { readonly json?: true }) => explain(id, flags, shell)));
  withExample(command, 'relais explain dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d');
}

async function explain(id: string, { json }: { readonly json?: true }, shell: Shell): Promise<ExitCode> {
  const explanation = await explanationOf(id, shell);
  if (json) await shell.output.json(explanation);
  else await shell.output.write(renderExplanation(explanation, shell));
  return 0;
}

export async function explanationOf(id: string, { api }: Shell): Promise<JsonObject> {
  return (await api.get(`/v1/explain/${encodeURIComponent(id)}`)).body;
}

/** The summary, the story line by line, and what to do: read from the top, the end is what matters. */
export function renderExplanation({ summary, story, next, nextLook }: JsonObject, { output }: Shell): string {
  const chapters = (Array.isArray(story) ? story : []) as readonly JsonObject[];
  const lines = chapters.map(({ at, what }) => `  ${printable(at).padEnd(AT_WIDTH)}  ${printable(what)}\n`);
  return [
    `${printable(summary)}\n`,
    ...(lines.length > 0 ? ['\n', ...lines] : []),
    `\n${output.styled('bold', 'Next')}  ${printable(next)}\n`,
    ...(typeof nextLook === 'string' ? [`      It is looked at again at ${printable(nextLook)}.\n`] : []),
  ].join('');
}

/** `2026-11-21T08:00:00.000Z` */
const AT_WIDTH = 24;

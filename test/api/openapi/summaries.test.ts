import { expect, test } from 'vitest';
import { ALL, makeProgram } from '../../../src/cli/cli.ts';
import { lineOf } from '../../../src/cli/flags.ts';
import { Shell } from '../../../src/cli/shell.ts';
import { routes } from '../../../src/api/routes.ts';
import { SILENT_IO } from '../../cli/terminal.ts';
import type { Command } from 'commander';

const WORDS_MOST = 8;

/** A summary begins with one of these verbs, so that the reader sees at once what the request does. */
const VERBS = new Set(
  (
    'Add Approve Cancel Change Check Collect Confirm Create Credit Delete Diagnose Erase Explain Find Finish Get List Load ' +
    'Manage Match Pause Pay Re-encrypt Read Reconcile Recover Register Reject Release Remove Replay Report Request Resolve Resume Retry ' +
    'Revoke Review Rotate Run Search Send Set Show Sign Start Stop Store Stream Test Try Update Upload Verify Write'
  ).split(' '),
);

/** Why a text is not a valid summary. */
function faultsOf(summary: string): string[] {
  const words = summary.replaceAll(',', '').split(/\s+/);
  return [
    ...(VERBS.has(words[0] ?? '') ? [] : ['no verb at its start']),
    ...(words.length < 2 ? ['no object'] : []),
    ...(words.length > WORDS_MOST ? [`${words.length} words`] : []),
    ...(/[.;:?!]/.test(summary) ? ['more than one phrase'] : []),
  ].map((fault) => `${summary}: ${fault}`);
}

const twice = (all: readonly string[]): string[] => all.filter((one, at) => all.indexOf(one) !== at);

test('the summary of each operation is a verb and an object, in at most eight words, and unique', () => {
  const summaries = routes.map(({ summary }) => summary);
  expect(summaries.flatMap(faultsOf)).toEqual([]);
  expect(twice(summaries)).toEqual([]);
});

test('the line of each command is a verb and an object, in at most eight words, and unique', async () => {
  const { commands } = await makeProgram(new Shell(SILENT_IO), ALL);
  const all = (given: readonly Command[]): readonly string[] =>
    given.flatMap((command) => [lineOf(command), ...all(command.commands)]);
  const lines = all(commands);
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.flatMap(faultsOf)).toEqual([]);
  expect(twice(lines)).toEqual([]);
});

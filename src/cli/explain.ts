import type { JsonObject } from './client.ts';
import { type Output, printable } from './output.ts';
import { itemsOf } from './record.ts';

/** The summary, the story line by line, and what to do: read from the top, the end is what matters. */
export function renderExplanation(explanation: JsonObject, output: Output): string {
  const { summary, next, nextLook } = explanation;
  const lines = itemsOf(explanation, 'story').map(
    ({ at, what }) => `  ${printable(at).padEnd(AT_WIDTH)}  ${printable(what)}\n`,
  );
  return [
    `${printable(summary)}\n`,
    ...(lines.length > 0 ? ['\n', ...lines] : []),
    `\n${output.styled('bold', 'Next')}  ${printable(next)}\n`,
    ...(typeof nextLook === 'string' ? [`      It is looked at again at ${printable(nextLook)}.\n`] : []),
  ].join('');
}

/** `2026-11-21T08:00:00.000Z` */
const AT_WIDTH = 24;

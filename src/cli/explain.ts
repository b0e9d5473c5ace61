import { timed } from '../messages/figures.ts';
import type { JsonObject } from './client.ts';
import { type Output, printable } from './output.ts';
import { itemsOf } from './record.ts';

/** Summary, timeline and next step: the last lines matter most to a reader. */
export function renderExplanation(explanation: JsonObject, output: Output): string {
  const { summary, next, nextLook } = explanation;
  const { words } = output.speech;
  const said = words.shell.explanation;
  const lines = itemsOf(explanation, 'story').map(
    ({ at, what }) => `  ${timed(printable(at), words.figures).padEnd(AT_WIDTH)}  ${printable(what)}\n`,
  );
  return [
    `${printable(summary)}\n`,
    ...(lines.length > 0 ? ['\n', ...lines] : []),
    `\n${output.styled('bold', said.next)}  ${printable(next)}\n`,
    ...(typeof nextLook === 'string'
      ? [`${' '.repeat(said.next.length + 2)}${said.lookedAtAgain(timed(nextLook, words.figures))}\n`]
      : []),
  ]
    .join('')
    .trimEnd();
}

/** `2026-11-21T08:00:00.000Z` */
const AT_WIDTH = 24;

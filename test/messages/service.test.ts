/** What people read calls the other side by one name: the service. */
import { expect, test } from 'vitest';
import { declarations } from '../../src/metrics/declarations.ts';
import { reasonRows } from '../../src/operations/explain-words.ts';
import { english } from '../../src/messages/english.ts';
import { englishTexts, frenchTexts } from '../../src/messages/catalogue.ts';
import { frenchReasons } from '../../src/messages/french-reasons.ts';
import { frenchTold } from '../../src/messages/french-told.ts';

/** Sentences, and functions that make them, as they are written. */
function sentencesIn(words: unknown): string[] {
  if (typeof words === 'string') return [words];
  if (typeof words === 'function') return [String(words)];
  return typeof words === 'object' && words !== null ? Object.values(words).flatMap(sentencesIn) : [];
}

const told: readonly (readonly [where: string, sentences: readonly string[]])[] = [
  ['reasons', sentencesIn(reasonRows)],
  ['the catalogue', sentencesIn(english)],
  ...Object.entries({ frenchReasons, frenchTold }).map(
    ([name, rows]) => [name, Object.entries(rows).flat()] as const,
  ),
  ['messages', Object.values({ ...englishTexts, ...frenchTexts }).flat()],
  ['help of metrics', Object.values(declarations).map(({ help }) => help)],
];

test.each(told)('%s', (_where, sentences) => {
  expect(sentences.length).toBeGreaterThan(5);
  expect(sentences.filter((sentence) => /(?<![\w./-])upstream(?![\w-])/i.test(sentence))).toEqual([]);
});

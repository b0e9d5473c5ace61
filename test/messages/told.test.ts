import { expect, test } from 'vitest';
import { operations } from '../../src/kinds/index.ts';
import type { State } from '../../src/kinds/kind.ts';
import { reasonRows } from '../../src/operations/explain-words.ts';
import { byItself, nextByBlame, nothing } from '../../src/operations/explanation.ts';
import { toldIn, translated } from '../../src/messages/told.ts';
import { english } from '../../src/messages/english.ts';

const states = Object.values(operations).flatMap(({ states: all }) => Object.values<State>(all));
const declared = new Set([
  ...states.flatMap(({ says, next }) => [says, ...(next === undefined ? [] : [next])]),
  ...Object.values(reasonRows).flat(),
  ...Object.values(nextByBlame),
  nothing({ failureOf: () => undefined }),
  byItself({ failureOf: () => undefined }),
]);

test('every sentence of a state and a reason has its French, and nothing else has', () => {
  expect([...declared].filter((sentence) => !Object.hasOwn(translated, sentence))).toEqual([]);
  expect(Object.keys(translated).filter((sentence) => !declared.has(sentence))).toEqual([]);
  expect(declared.size).toBeGreaterThan(140);
});

test('names in a sentence are in its French too: commands, settings, fields, values', () => {
  const named = (said: string): string[] =>
    (
      said.match(
        /relais (?!(?:asks|cannot|checks|continues|does|is|keeps|makes|ne|never|now|refuses|reported|sends|stores|then|tries|trusts|waits)\b)[a-z]+|--[a-z-]+|[A-Z]+_[A-Z_]+|\{\w+\}|`[^`]+`|(?<!sender )\bID\b|[A-Z]+ \/v1\S+/g,
      ) ?? []
    ).toSorted();
  for (const sentence of declared)
    expect([sentence, named(toldIn('fr', sentence))]).toEqual([sentence, named(sentence)]);
});

test('every state of an operation has a word', () => {
  const names = Object.values(operations).flatMap(({ states: all }) => Object.keys(all));
  expect(Object.keys(english.states).toSorted()).toEqual([...new Set(names)].toSorted());
});

test('an untranslated text is shown unchanged', () => {
  expect(toldIn('fr', 'constructor')).toBe('constructor');
  expect(toldIn('en', 'It is over.')).toBe('It is over.');
});

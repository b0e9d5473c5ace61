import { expect, test } from 'vitest';
import { english as englishOfAll } from '../../console/words/english.ts';
import { french as frenchOfAll } from '../../console/words/french.ts';
import { formsIn } from '../../console/words/forms.ts';
import { makingIn } from '../../console/words/making.ts';
import { problemKinds } from '../../src/api/problem.ts';
import { ruleNames } from '../../src/kinds/rules.ts';
import { stateWord, statesOf, toneOf } from '../../console/words/states.ts';
import { languageOf } from '../../console/words/words.ts';

const english = { ...englishOfAll, forms: formsIn('en'), making: makingIn('en') };
const french = { ...frenchOfAll, forms: formsIn('fr'), making: makingIn('fr') };

type Said = readonly [key: string, text: string];

/** Every sentence by its path; functions are called with placeholder values. */
function said(words: object, way = ''): readonly Said[] {
  return Object.entries(words).flatMap(([name, value]: [string, unknown]) => {
    const key = way === '' ? name : `${way}.${name}`;
    if (typeof value === 'string') return [[key, value] as const];
    if (typeof value === 'function')
      return [[key, String((value as (...given: unknown[]) => unknown)('1', 'minute'))] as const];
    return typeof value === 'object' && value !== null ? said(value, key) : [];
  });
}

test('both languages have the same keys, and no text is empty', () => {
  const [en, fr] = [said(english), said(french)];
  expect(fr.map(([key]) => key).toSorted()).toEqual(en.map(([key]) => key).toSorted());
  expect([...en, ...fr].filter(([, text]) => text.trim() === '')).toEqual([]);
});

test('no sentence of the French is the English one', () => {
  const inFrench = new Map(said(french));
  const isSentence = (text: string): boolean => /\p{L}{2,} \p{L}{2,}/u.test(text);
  const same = said(english).filter(([key, text]) => inFrench.get(key) === text && isSentence(text));
  expect(same).toEqual([]);
});

test('French punctuation has a space before it, and apostrophes are typographic', () => {
  const wrong = said(french).filter(([, text]) => /\w[;:!?»](\s|$)|'/.test(text));
  expect(wrong).toEqual([]);
});

test('one is one, and not several', () => {
  const several =
    /\b1 (are|have|recipients|payments|texts have|rows|parts|numbers|times|destinataires|paiements|lignes|parties|SMS ont)\b/;
  expect([...said(english), ...said(french)].filter(([, text]) => several.test(text))).toEqual([]);
});

/** Problems that only programs meet, and problems described by their rule. */
const OF_PROGRAMS = [
  'malformed',
  'no-identity',
  'method-not-allowed',
  'forbidden',
  'conflict',
  'gone',
  'ahead-of-the-stream',
];

test('each rule and each kind of refusal has a text with advice, in both languages', () => {
  const refusals = Object.entries(problemKinds).filter(
    ([kind, { status }]) => status < 500 && !OF_PROGRAMS.includes(kind),
  );
  const words = [...ruleNames, ...refusals.map(([kind]) => kind), 'recovering'];
  for (const { ends, trouble } of [english, french]) {
    expect(words.filter((word) => ends.rules[word] === undefined && trouble[word] === undefined)).toEqual([]);
  }
});

test('uncertain payments are never among the paid or the failed ones', () => {
  for (const state of ['submitting', 'unknown', 'pending', 'needs_review']) {
    expect(['done', 'bad'], state).not.toContain(toneOf('disbursement', state));
  }
  expect(toneOf('recipient', 'unknown')).toBe('uncertain');
  expect(statesOf('disbursement').filter((state) => toneOf('disbursement', state) === 'done')).toEqual(['succeeded']);
});

test('a state of a newer relais is shown as it is called', () => {
  expect(stateWord(french.states, 'disbursement', 'teleported')).toBe('teleported');
  expect(toneOf('disbursement', 'teleported')).toBe('off');
});

test.for([
  [['fr-SN', 'en'], 'fr'],
  [[null, 'en-GB'], 'en'],
  [[undefined, 'wo'], 'fr'],
] as const)('of %j the language is %s', ([wishes, language]) => expect(languageOf(...wishes)).toBe(language));

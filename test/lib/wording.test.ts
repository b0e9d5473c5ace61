import { expect, test } from 'vitest';
import { cheaperText } from '../../src/lib/segments.ts';
import { wordingOf } from '../../src/lib/wording.ts';

test('a text is the same from named values and from values in order', () => {
  const wording = wordingOf({ text: '{{b}} et {{ A }}, {{b}}' });
  expect(wording.variables).toEqual(['b', 'a']);
  expect(wording.textFor({ a: 'Awa', b: 'Ben' })).toBe('Ben et Awa, Ben');
  expect(wording.textOf(['Ben', 'Awa'])).toBe('Ben et Awa, Ben');
});

test('costly characters stay unless it was asked for', () => {
  expect(wordingOf({ text: 'fête {{n}}' }).textFor({ n: 'œ' })).toBe('fête œ');
  expect(wordingOf({ text: 'fête {{n}}', replaceCostly: true }).textFor({ n: 'œ' })).toBe('fete oe');
});

test.each([
  ['an emoji keeps the text dear, so the accents stay', 'fête 😀', 'fête 😀'],
  ['a replacement that is longer than what it saves', '…'.repeat(60), '…'.repeat(60)],
  ['a text that is cheap already', 'été à 5 €', 'été à 5 €'],
  ['quotes and dashes', '« fête » – d’été', '" fete " - d\'été'],
])('where nothing is won, nothing is changed: %s', (_name, text, sent) => {
  expect(cheaperText(text)).toBe(sent);
});

test('a default replaces a missing value, in named values and in values in order', () => {
  const wording = wordingOf({ text: '{{b|ami}} et {{ A }}, {{b|vous}}' });
  expect([...wording.optional]).toEqual(['b']);
  expect(wording.textFor({ a: 'Awa', b: '' })).toBe('ami et Awa, vous');
  expect(wording.textOf(['', 'Awa'])).toBe('ami et Awa, vous');
});

/** Guides send people to buttons and menu entries: each bold label is a word of the console in that language. */
import { expect, test } from 'vitest';
import { projectFiles } from '../tidy/scanner.ts';
import { pages } from './written.ts';

const GUIDES = { english: 'docs/guides/', french: 'docs/fr/guides/' } as const;

/** One form for spaces and escapes, as catalogue and page write them differently. */
const plain = (text: string): string =>
  text.replaceAll(/\\u00a0|\\u202f|[\u00a0\u202f]/g, ' ').replaceAll(/\s+/g, ' ');

const catalogueOf = (language: keyof typeof GUIDES): string =>
  plain(
    projectFiles()
      .filter(({ path }) => path.startsWith(`console/words/${language}`))
      .map(({ text }) => text)
      .join('\n'),
  );

/** Bold text of one to seven words without a full stop: longer bold text is a warning. */
const labelsOf = (text: string): readonly string[] =>
  [...text.matchAll(/\*\*([^*\n]+)\*\*/g)]
    .map(([, label = '']) => plain(label))
    .filter((label) => !/[.,:]/.test(label.replace(/, CSV$/, '')));

const unknownIn = (text: string, catalogue: string): readonly string[] =>
  labelsOf(text).filter((label) => !catalogue.includes(label));

test.for(['english', 'french'] as const)('guides in %s use words of the console', (language) => {
  const guides = pages.filter(({ path }) => path.startsWith(GUIDES[language]));
  expect(guides.flatMap(({ text }) => labelsOf(text)).length).toBeGreaterThan(30);
  const catalogue = catalogueOf(language);
  expect(guides.flatMap(({ path, text }) => unknownIn(text, catalogue).map((label) => `${path}: ${label}`))).toEqual(
    [],
  );
});

test('a label that the console does not have is found', () => {
  expect(unknownIn('Choose **Launch the rocket**, then **Approvals**.', catalogueOf('english'))).toEqual([
    'Launch the rocket',
  ]);
});

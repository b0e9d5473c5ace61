import { expect, test } from 'vitest';
import { statesOf } from '../../src/kinds/index.ts';
import { campaignBins } from '../../src/kinds/recipient.ts';
import { english } from '../../src/messages/english.ts';
import { french } from '../../src/messages/french.ts';
import { explainWords } from '../../src/messages/told.ts';
import { isLanguage, languageAccepted, languageOfLocale } from '../../src/messages/languages.ts';

/** Every sentence by its path; functions are called with a few values. */
function sentences(part: unknown, path = ''): Map<string, string> {
  // Formats of figures are no sentences; figures.test.ts checks them.
  if (path === 'figures') return new Map();
  if (typeof part === 'string') return new Map([[path, part]]);
  if (typeof part === 'function') {
    const said = [1, 2].map((one) => String(part(...Array.from({ length: part.length }, () => one))));
    return new Map([[`${path}()`, said.join('\n')]]);
  }
  const members = Object.entries((part ?? {}) as Readonly<Record<string, unknown>>);
  return new Map(members.flatMap(([name, member]) => [...sentences(member, path === '' ? name : `${path}.${name}`)]));
}

const all = {
  english: { ...english, explain: explainWords('en') },
  french: { ...french, explain: explainWords('fr') },
};
const both = { english: sentences(all.english), french: sentences(all.french) };

test('both languages have the same sentences, and none is empty', () => {
  expect([...both.french.keys()].toSorted()).toEqual([...both.english.keys()].toSorted());
  expect(both.english.size).toBeGreaterThan(150);
  for (const said of [...both.english.values(), ...both.french.values()]) expect(said.trim()).not.toBe('');
});

test('every state of a campaign, and every recipient status, has its text', () => {
  expect(new Set(Object.keys(english.campaign.states))).toEqual(new Set(statesOf('campaign')));
  expect(new Set(Object.keys(english.campaign.bins))).toEqual(new Set(campaignBins));
});

/** Equal in both languages: names of formats, and shared words. */
const SAME =
  /^doctor\.checks\.(postgres|redis|console)$|^file\.(formats\.csv|segments\(\)|details\.(segments|column))$|^status\.(because\(\)|report\.(day\(\)|segments))$|^batch\.labels\.id$|^dev\.labels\.(console|api|sandbox|redis|database)$|^campaign\.(labels\.(id|segments)|sizeSegments\(\)|dryRunSize\(\))$/;

test('no sentence was left in the other language', () => {
  const left = [...both.english].filter(([path, said]) => both.french.get(path) === said && !SAME.test(path));
  expect(left.map(([path]) => path)).toEqual([]);
});

test('names in a sentence are in both languages: flags, commands, settings and columns', () => {
  const named = (said: string): string[] =>
    said.match(
      /--[a-z-]+|relais (?!(?:and|at|est|asks|cannot|checks|continues|does|is|keeps|makes|ne|never|now|refuses|reported|sends|stores|then|tries|trusts|waits)\b)[a-z]+|[A-Z]+_[A-Z_]+|\{\{\w+\}\}|\.xlsx?b?/g,
    ) ?? [];
  for (const [path, said] of both.english)
    expect([path, named(both.french.get(path) ?? '')]).toEqual([path, named(said)]);
});

/** The output of a function for distinct values, and the values that it uses. */
function used(part: unknown): readonly (readonly string[])[] {
  if (typeof part === 'string') return [(part.match(/(?<!\{)\{\w+\}(?!\})/g) ?? []).toSorted()];
  if (typeof part === 'function') {
    const values = Array.from({ length: part.length }, (_, at) => 90_001 + at);
    const said = String(part(...values)).replaceAll('\u00a0', '');
    return [values.map(String).filter((value) => said.includes(value))];
  }
  return Object.values((part ?? {}) as Readonly<Record<string, unknown>>).flatMap(used);
}

test('every value of a sentence is in both languages', () => {
  const { figures: _of, ...inFrench } = all.french;
  const { figures: _one, ...inEnglish } = all.english;
  expect(used(inFrench)).toEqual(used(inEnglish));
});

test('French has typographic apostrophes and spaces', () => {
  for (const [path, said] of both.french)
    expect([path, said.replace(/https?:\S*|\{[^}]*\}|set -a.*/g, '')]).not.toEqual([
      path,
      expect.stringMatching(/\p{L}'\p{L}|\p{L}[?!]|\p{L}; /u),
    ]);
});

test('a language is read from a locale, and from a browser’s header', () => {
  expect(['fr_SN.UTF-8', 'fr', 'en-GB', 'C.UTF-8', 'wo_SN', undefined].map(languageOfLocale)).toEqual([
    'fr',
    'fr',
    'en',
    undefined,
    undefined,
    undefined,
  ]);
  expect(languageAccepted('wo, en;q=0.4, fr-CI;q=0.9')).toBe('fr');
  expect(languageAccepted('fr;q=0, en')).toBe('en');
  expect(languageAccepted(`${'x,'.repeat(100_000)}fr`)).toBeUndefined();
  expect(isLanguage('constructor')).toBe(false);
});

/** The console's catalogue: its languages, and the type that keeps them equal. */
import type { Whole } from '../../src/messages/said.ts';
import { type English, english } from './english.ts';
import { french } from './french.ts';

export type Words = Whole<English>;
export type Language = 'fr' | 'en';

const CATALOGUE: Readonly<Record<Language, Words>> = { en: english, fr: french };

export function wordsIn(language: Language): Words {
  return CATALOGUE[language];
}

/** The first supported language of a session, a choice or a browser. */
export function languageOf(...wishes: readonly (string | null | undefined)[]): Language {
  for (const wish of wishes) {
    const name = (wish ?? '').slice(0, 2).toLowerCase();
    if (name === 'fr' || name === 'en') return name;
  }
  return 'fr';
}

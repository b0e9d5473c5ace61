/**
 * Sentences declared with a state, a reason or a failure. The declaration is English; the French is here, keyed by
 * the English, so that a changed sentence needs a new translation.
 */
import { type ExplainWords, englishExplain } from './english-explain.ts';
import { frenchExplain } from './french-explain.ts';
import { frenchReasons } from './french-reasons.ts';
import { frenchTold } from './french-told.ts';
import type { Language } from './languages.ts';
import { typesetAll } from './typography.ts';

/** Connecting texts of an explanation. */
export function explainWords(language: Language): ExplainWords {
  return language === 'fr' ? frenchExplain : englishExplain;
}

export const translated = typesetAll({ ...frenchTold, ...frenchReasons });

/** Untranslated texts (a provider's message) are returned unchanged. */
export function toldIn(language: Language, sentence: string): string {
  return language === 'fr' && Object.hasOwn(translated, sentence) ? (translated[sentence] ?? sentence) : sentence;
}

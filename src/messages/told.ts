/**
 * Sentences that stand where the thing is declared: with a state, a reason, a failure. They are English there, and have
 * their French here under the English, so that a sentence which is changed asks for its French again.
 */
import { type ExplainWords, englishExplain } from './english-explain.ts';
import { frenchExplain } from './french-explain.ts';
import { frenchReasons } from './french-reasons.ts';
import { frenchTold } from './french-told.ts';
import type { Language } from './languages.ts';
import { typesetAll } from './typography.ts';

/** What joins them into an explanation. */
export function explainWords(language: Language): ExplainWords {
  return language === 'fr' ? frenchExplain : englishExplain;
}

export const translated = typesetAll({ ...frenchTold, ...frenchReasons });

/** What nobody has translated (a word of the service) is said as it is. */
export function toldIn(language: Language, sentence: string): string {
  return language === 'fr' && Object.hasOwn(translated, sentence) ? (translated[sentence] ?? sentence) : sentence;
}

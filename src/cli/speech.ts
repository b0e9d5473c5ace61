import type { Spoken } from '../messages/help.ts';
import { type Language, type Words, wordsIn } from '../messages/languages.ts';

/** Language and format of output. */
export interface Speech {
  readonly language: Language;
  readonly words: Words;
  readonly spoken: Spoken;
}

export const ENGLISH: Speech = {
  language: 'en',
  words: wordsIn('en'),
  spoken: { sentence: (said) => said, label: (label) => label },
};

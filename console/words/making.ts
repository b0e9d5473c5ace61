/** The words of the pages on which a campaign is made, and what a file of recipients may have wrong with it. */
import type { Whole } from '../../src/messages/said.ts';
import { englishFile } from '../../src/messages/english-file.ts';
import { frenchFile } from '../../src/messages/french-file.ts';
import { type EnglishMaking, englishMaking } from './english-making.ts';
import { frenchMaking } from './french-making.ts';
import type { Language } from './words.ts';

export type Making = Whole<EnglishMaking>;

const MAKING: Readonly<Record<Language, Making>> = { en: englishMaking, fr: frenchMaking };

export const makingIn = (language: Language): Making => MAKING[language];

/** As the command says it: the same questions, in the same words. */
export const fileWordsIn = (language: Language) => (language === 'fr' ? frenchFile : englishFile);

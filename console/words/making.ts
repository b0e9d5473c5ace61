/** Texts of the pages that create a campaign, and problems of a recipient file. */
import type { Whole } from '../../src/messages/said.ts';
import { englishFile } from '../../src/messages/english-file.ts';
import { frenchFile } from '../../src/messages/french-file.ts';
import { type EnglishMaking, englishMaking } from './english-making.ts';
import { frenchMaking } from './french-making.ts';
import type { Language } from './words.ts';

export type Making = Whole<EnglishMaking>;

const MAKING: Readonly<Record<Language, Making>> = { en: englishMaking, fr: frenchMaking };

export const makingIn = (language: Language): Making => MAKING[language];

/** The command's texts: the same questions in the same words. */
export const fileWordsIn = (language: Language) => (language === 'fr' ? frenchFile : englishFile);

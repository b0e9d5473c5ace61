/** The words of the forms that ask for money to be paid or collected. They are loaded with those pages. */
import type { Whole } from '../../src/messages/said.ts';
import { type EnglishForms, englishForms } from './english-forms.ts';
import { frenchForms } from './french-forms.ts';
import type { Language } from './words.ts';

export type FormWords = Whole<EnglishForms>;

const FORMS: Readonly<Record<Language, FormWords>> = { en: englishForms, fr: frenchForms };

export const formsIn = (language: Language): FormWords => FORMS[language];

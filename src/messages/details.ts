/**
 * Additional information for a reason or a problem, as a code with values, so that it can be shown in any language.
 */
import { english } from './english.ts';
import { type Language, wordsIn } from './languages.ts';
import { type Values, type ValuesOf, filled } from './said.ts';

type Sentences = typeof english.file.details;
export type DetailCode = keyof Sentences;

export interface Detail {
  readonly code: DetailCode;
  readonly values: Values;
  /** In English, for a program's log. */
  readonly message: string;
}

export function detail<C extends DetailCode>(code: C, values: Values & ValuesOf<Sentences[C]>): Detail {
  return { code, values, message: filled(english.file.details[code], values) };
}

export function describeDetail({ code, values }: Detail, language: Language): string {
  return filled(wordsIn(language).file.details[code], values);
}

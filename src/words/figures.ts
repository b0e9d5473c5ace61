/** Numbers, money and times as they are written in a language. */
import { type Language, wordsIn } from './languages.ts';

/** `80000` → `80 000`, with spaces that do not break. */
export function counted(count: number, language: Language): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, wordsIn(language).figures.space);
}

/** XOF has no minor unit. */
export function money(xof: number, language: Language): string {
  return wordsIn(language).figures.money(counted(xof, language));
}

/** An ISO time of UTC, to the second; anything else is left as it is. */
export function timed(text: string, language: Language): string {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(text);
  if (parts === null) return text;
  const [, year = '', month = '', day = '', clock = ''] = parts;
  return wordsIn(language).figures.time({ year, month, day, clock, written: text });
}

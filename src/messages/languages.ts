/** The languages of texts for users. API problems, logs and API names are always English. */
import { type Words, english } from './english.ts';
import { french } from './french.ts';

export type { Words } from './english.ts';

export const languages = ['fr', 'en'] as const;
export type Language = (typeof languages)[number];

const CATALOGUE: Readonly<Record<Language, Words>> = { en: english, fr: french };

export function wordsIn(language: Language): Words {
  return CATALOGUE[language];
}

/** The table's text for an API name, or the name itself if the table has none. */
export function wordFor(table: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(table, name) ? (table[name] ?? name) : name;
}

export function isLanguage(text: string | undefined): text is Language {
  return languages.some((language) => language === text);
}

/** `fr_SN.UTF-8` → fr; undefined for an unsupported language (`C`, `POSIX`). */
export function languageOfLocale(locale: string | undefined): Language | undefined {
  const [name] = (locale ?? '').toLowerCase().split(/[-_.@]/);
  return isLanguage(name) ? name : undefined;
}

/** The first supported language of an `Accept-Language`, by weight. */
export function languageAccepted(header: string | undefined): Language | undefined {
  const wishes = (header ?? '')
    .slice(0, 200)
    .split(',')
    .map((wish) => {
      const [tag = '', ...parameters] = wish.trim().split(';');
      const weight = parameters.map((one) => /^\s*q=([\d.]+)\s*$/i.exec(one)?.[1]).find((one) => one !== undefined);
      return { language: languageOfLocale(tag), weight: Number(weight ?? 1) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return wishes.find(({ language }) => language !== undefined)?.language;
}

import { englishTexts } from '../../src/messages/catalogue.ts';
import type { Language } from '../../src/messages/languages.ts';
import type { Message } from '../../src/messages/message.ts';
import { textOf } from '../../src/messages/texts.ts';

/** The value with each message replaced by its text. */
export function reworded(value: unknown, language: Language = 'en'): unknown {
  if (Array.isArray(value)) return value.map((one) => reworded(one, language));
  if (typeof value !== 'object' || value === null) return value;
  if (isMessage(value)) return textOf(value, language);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, reworded(one, language)]));
}

const isMessage = (value: object): value is Message =>
  'code' in value &&
  Object.hasOwn(englishTexts, String(value.code)) &&
  Object.keys(value).every((name) => name === 'code' || name === 'values');

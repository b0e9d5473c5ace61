/** Messages as texts: in English for programs and logs, in the reader's language for users. */
import { englishTexts, frenchTexts } from './catalogue.ts';
import type { Language } from './languages.ts';
import { type Message, type MessageValue, message } from './message.ts';
import { filled } from './said.ts';

export function textOf({ code, values = {} }: Message, language: Language = 'en'): string {
  const texts = Object.entries(values).map(([name, value]) => [name, valueIn(value, language)]);
  return filled((language === 'fr' ? frenchTexts : englishTexts)[code], Object.fromEntries(texts));
}

function valueIn(value: MessageValue, language: Language): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if ('code' in value) return textOf(value, language);
  return value.map((one) => valueIn(one, language)).join(language === 'fr' ? '\u202f; ' : '; ');
}

/** Thrown with a message for users. Its own text is English, for logs. */
export class MessageError extends Error {
  override readonly name: string = 'MessageError';
  readonly said: Message;

  constructor(said: Message, options?: ErrorOptions) {
    super(textOf(said), options);
    this.said = said;
  }

  textIn(language: Language): string {
    return textOf(this.said, language);
  }
}

/** The cause of a failure, as a part of another message. */
export function messageIn(error: unknown): Message {
  if (error instanceof MessageError) return error.said;
  return message('other', { text: error instanceof Error ? error.message : String(error) });
}

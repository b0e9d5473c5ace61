/** A refusal or report as a code and its values. It becomes a text at the output (`texts.ts`). */
import type { EnglishTexts } from './catalogue.ts';
import type { ValuesOf } from './said.ts';

export type MessageCode = keyof EnglishTexts;

/** A nested message becomes a text together with the outer one. */
export type MessageValue = string | number | Message | readonly (string | Message)[];

export interface Message {
  readonly code: MessageCode;
  readonly values?: Readonly<Record<string, MessageValue>>;
}

/** The value names in the English text; none: the code is enough. */
type Given<C extends MessageCode> = ValuesOf<EnglishTexts[C], MessageValue>;

export function message<C extends MessageCode>(
  code: C,
  ...[values]: unknown extends Given<C> ? [] : [values: Given<C>]
): Message {
  // Every value is named in the text, which the compiler has checked.
  return values === undefined ? { code } : { code, values: values as NonNullable<Message['values']> };
}

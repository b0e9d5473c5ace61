/** A reason is a word for programs; relais says what it means, in the language of the reader. */
import type { Asked } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { useChoice } from './language.tsx';

export function Reason({ word }: { readonly word: string }) {
  const { language } = useChoice();
  const said = useAsk('explain', { id: word, language } as Asked<'explain'>);
  return <span title={word}>{said.data?.summary ?? word}</span>;
}

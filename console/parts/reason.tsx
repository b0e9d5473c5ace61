/** A reason is a word for programs; relais says what it means, in the language of the reader. */
import type { Asked } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { useChoice } from './language.tsx';

function useReason(word: string): string {
  const { language } = useChoice();
  const said = useAsk('explain', { id: word, language } as Asked<'explain'>);
  return said.data?.summary ?? word;
}

export function Reason({ word }: { readonly word: string }) {
  return <span title={word}>{useReason(word)}</span>;
}

/** Among others, to be chosen. */
export function ReasonOption({ word }: { readonly word: string }) {
  return <option value={word}>{useReason(word)}</option>;
}

/** A reason is a code for programs; relais explains it in the reader's language. */
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

/** As an option of a select field. */
export function ReasonOption({ word }: { readonly word: string }) {
  return <option value={word}>{useReason(word)}</option>;
}

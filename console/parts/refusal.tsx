/** What the API says of what it refuses, or finds strange. It speaks English; the words for it in French are fetched when they are read. */
import { useEffect, useState } from 'react';
import { useChoice } from './language.tsx';

type Translate = (text: string) => string | undefined;

/** A sentence that has no French stays as it came, and is read as English. */
export function Refusal({ text }: { readonly text: string }) {
  const { language } = useChoice();
  const [inFrench, setInFrench] = useState<Translate>();
  useEffect(() => {
    if (language !== 'fr') return;
    void import('../../src/messages/refusals.ts').then(({ refusalInFrench }) => setInFrench(() => refusalInFrench));
  }, [language]);
  const said = language === 'fr' ? inFrench?.(text) : undefined;
  return said === undefined ? <span lang="en">{text}</span> : <span>{said}</span>;
}

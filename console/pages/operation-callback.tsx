/** The provider's callback: a claim, shown on demand. */
import { useState } from 'react';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { useWords } from '../parts/language.tsx';
import { Refused } from '../asking/ask.ts';
import { Loading, Section } from '../parts/page.tsx';

export function Callback({ id }: { readonly id: string }) {
  const { pages } = useWords();
  const { may } = useSession();
  const says = pages.operation;
  const [isOpen, setOpen] = useState(false);
  if (!may('operate')) return null;
  return (
    <Section title={says.callback}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="link">{says.showCallback}</summary>
        {isOpen && <Posted id={id} />}
      </details>
    </Section>
  );
}

function Posted({ id }: { readonly id: string }) {
  const { pages, ends } = useWords();
  const says = pages.operation;
  const callback = useAsk('getCallback', { id });
  if (callback.data !== undefined) {
    return (
      <>
        <p className="mt-2 text-sm text-quiet">{says.notBelieved}</p>
        <pre className="mt-2 max-h-96 overflow-auto rounded-lg bg-sunk p-3 text-sm wrap-anywhere whitespace-pre-wrap">
          {callback.data.body}
        </pre>
      </>
    );
  }
  if (callback.error === null) return <Loading />;
  const isNone = callback.error instanceof Refused && callback.error.status === 404;
  return <p className="mt-2 text-quiet">{isNone ? says.noCallback : ends.refused}</p>;
}

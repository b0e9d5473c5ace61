/** SMS that the provider lists for a number: asked only on demand, since each time is a request to the provider. */
import { useState } from 'react';
import type { Answer } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { AccountChoice } from '../parts/field.tsx';
import { useWords } from '../parts/language.tsx';
import { Read, Section } from '../parts/page.tsx';

export function ProviderStatistics({ phone }: { readonly phone: string }) {
  const { pages } = useWords();
  const says = pages.search;
  const [account, setAccount] = useState('main');
  const [isAsked, setAsked] = useState(false);
  return (
    <Section title={says.statistics}>
      <AccountChoice account={account} choose={setAccount} />
      {isAsked ? (
        <Listed key={account} phone={phone} account={account} />
      ) : (
        <button type="button" className="button" data-ask="statistics" onClick={() => setAsked(true)}>
          {says.askProvider}
        </button>
      )}
    </Section>
  );
}

function Listed({ phone, account }: { readonly phone: string; readonly account: string }) {
  const { pages } = useWords();
  const says = pages.search;
  const listed = useAsk('readSmsStatistics', { phone, account });
  return (
    <Read of={listed}>
      {({ items, invalid }) => (
        <>
          {invalid.length > 0 && <p className="text-quiet">{says.invalidNumber(invalid.join(', '))}</p>}
          {items.length === 0 ? <p className="text-quiet">{says.noneListed}</p> : <Entries items={items} />}
        </>
      )}
    </Read>
  );
}

function Entries({ items }: Pick<Answer<'readSmsStatistics'>, 'items'>) {
  const { pages } = useWords();
  return (
    <ul className="divide-y divide-line" data-listed>
      {items.map(({ phone, outcome, code, text }, at) => (
        <li key={`${phone}${code ?? ''}${String(at)}`} className="py-2 wrap-anywhere">
          <span className="block">{text}</span>
          <span className="block text-sm text-quiet">
            {phone} · {pages.search.outcomes[outcome]}
            {code === null ? '' : ` · ${code}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

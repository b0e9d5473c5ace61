/** Campaigns with an SMS to a number. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { Moment } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Read } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';

interface TextedProps {
  readonly phone: string;
  /** The end of the campaigns searched so far. */
  readonly after?: string;
  /** Nothing was found in those, and none of them is missing. */
  readonly isNoneBefore?: boolean;
}

/**
 * A user who reads that a number had no SMS sends another: the page says so only after all campaigns were searched.
 */
export function Texted({ phone, after, isNoneBefore = true }: TextedProps) {
  const { parts, pages } = useWords();
  const [goesOn, setGoesOn] = useState(false);
  const asked = { phone, limit: 20, ...(after === undefined ? {} : { after }) };
  const texted = useAsk('listTexted', asked, { least: 1 });
  return (
    <Read of={texted}>
      {({ items, next }) => {
        const isNone = isNoneBefore && items.length === 0;
        return (
          <>
            <TextedRows items={items} />
            {next === null && isNone && <p className="text-quiet">{pages.search.noTexted}</p>}
            {next !== null && !goesOn && (
              <>
                <p className="mt-2 text-quiet">{pages.search.notAllTexted}</p>
                <button type="button" className="button mt-2" data-more="texted" onClick={() => setGoesOn(true)}>
                  {parts.more}
                </button>
              </>
            )}
            {next !== null && goesOn && <Texted phone={phone} after={next} isNoneBefore={isNone} />}
          </>
        );
      }}
    </Read>
  );
}

function TextedRows({ items }: Pick<Answer<'listTexted'>, 'items'>) {
  if (items.length === 0) return null;
  return (
    <ul className="divide-y divide-line">
      {items.map(({ campaign, name, row, state, sentAt, createdAt }) => (
        <li key={`${campaign}${String(row)}`} className="flex flex-wrap items-center justify-between gap-2 py-2">
          <Link to={`/campaigns/${campaign}`} className="link">
            {name}
          </Link>
          <span className="flex items-center gap-3">
            <State kind="recipient" state={state} />
            <Moment at={sentAt ?? createdAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Which campaigns were to text a number. */
import { Link } from 'wouter';
import { useAsk } from '../asking/queries.ts';
import { Moment } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Read } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';

export function Texted({ phone }: { readonly phone: string }) {
  const { pages } = useWords();
  const texted = useAsk('listTexted', { phone, limit: 20 });
  return (
    <Read of={texted}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-quiet">{pages.search.noTexted}</p>
        ) : (
          <ul className="divide-y divide-line">
            {items.map(({ campaign, name, row, state, sentAt, createdAt }) => (
              <li
                key={`${campaign}${String(row)}`}
                className="flex flex-wrap items-center justify-between gap-2 py-2"
              >
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
        )
      }
    </Read>
  );
}

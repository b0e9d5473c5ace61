/** All campaigns, each with its bar. */
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useSession } from '../asking/session.tsx';
import { useAsk } from '../asking/queries.ts';
import { AsOf, Moment, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Bar } from './campaign-bar.tsx';

type Row = Answer<'listCampaigns'>['items'][number];

export function Campaigns() {
  const { shell, pages, parts } = useWords();
  const { may } = useSession();
  const says = pages.campaign;
  const campaigns = useAsk('listCampaigns', { limit: 50 }, { everyMs: 5_000, least: 1 });
  return (
    <Page
      title={shell.campaigns}
      beside={
        may('enqueue-sms') && (
          <Link to="/campaigns/new" className="button button-main">
            {says.make}
          </Link>
        )
      }
    >
      <Read of={campaigns}>
        {({ items, next }, at) => (
          <>
            {items.length === 0 ? (
              <Notice>{next === null ? says.none : parts.notAllRead}</Notice>
            ) : (
              <ul className="space-y-3">
                {items.map((row) => (
                  <Line key={row.id} row={row} />
                ))}
              </ul>
            )}
            {next !== null && (
              <Link to="/operations/campaign" className="link mt-3 inline-block">
                {parts.more}
              </Link>
            )}
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

function Line({ row }: { readonly row: Row }) {
  const words = useWords();
  const { id, name, state, totals, recipients, account, createdAt } = row;
  return (
    <li className="sheet p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <Link to={`/campaigns/${id}`} className="link text-lg font-medium">
          {name}
        </Link>
        <State kind="campaign" state={state} />
      </div>
      <Bar totals={totals} />
      <p className="mt-2 text-sm text-quiet">
        {words.pages.campaign.toPeople(countIn(words, recipients))} · {account} · <Moment at={createdAt} />
      </p>
    </li>
  );
}

/** Every list, with its filters in the address. */
import { Link, useSearchParams } from 'wouter';
import type { Asked } from '../asking/ask.ts';
import { type AnyRow, type Listed, listed as allListed, lists } from '../asking/kinds.ts';
import { usePages } from '../asking/queries.ts';
import { DownloadButton } from '../parts/download-button.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page } from '../parts/page.tsx';
import { Paged } from '../parts/paged.tsx';
import { Rows } from '../parts/rows.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Filters, askedBy } from './operations-filters.tsx';

const isListed = (text: string | undefined): text is Listed => allListed.some((kind) => kind === text);

export function Operations({ listed }: { readonly listed: string | undefined }) {
  const words = useWords();
  const kind = isListed(listed) ? listed : 'disbursement';
  return (
    <Page title={words.lists[kind]} beside={<Download kind={kind} />}>
      <Tabs
        label={words.pages.operations.kinds}
        of={allListed.map((one) => [`/operations/${one}`, words.lists[one]] as const)}
        here={`/operations/${kind}`}
      />
      <Filters key={kind} kind={kind} />
      <List kind={kind} />
    </Page>
  );
}

/** The filters are part of the address, so that a link shows the same list to others. */
function useFilters(kind: Listed): Asked<'listDisbursements'> {
  const [search] = useSearchParams();
  return askedBy(kind, search);
}

function List({ kind }: { readonly kind: Listed }) {
  const words = useWords();
  const filters = useFilters(kind);
  const list = usePages(lists[kind] as 'listDisbursements', filters, { everyMs: 30_000 });
  return (
    <Paged of={list}>
      {(pages) => {
        const rows = pages.flatMap(({ items }) => items as readonly AnyRow[]);
        return rows.length === 0 && !list.hasNextPage ? (
          <Nothing kind={kind} isFiltered={Object.keys(filters).length > 0} />
        ) : (
          <Rows caption={words.lists[kind]} rows={rows} kindOf={() => kind} />
        );
      }}
    </Paged>
  );
}

function Nothing({ kind, isFiltered }: { readonly kind: Listed; readonly isFiltered: boolean }) {
  const { pages } = useWords();
  const says = pages.operations;
  return (
    <Notice
      after={
        isFiltered && (
          <Link to={`/operations/${kind}`} className="button">
            {says.dropFilters}
          </Link>
        )
      }
    >
      {isFiltered ? says.noneFiltered : says.none}
    </Notice>
  );
}

function Download({ kind }: { readonly kind: Listed }) {
  const filters = useFilters(kind);
  return <DownloadButton id={lists[kind] as 'listDisbursements'} asked={filters} name={`${kind}.csv`} />;
}

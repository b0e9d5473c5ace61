/** Every list, with its filters in the address. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { type Asked, ask, troubleOf } from '../asking/ask.ts';
import { download } from '../asking/download.ts';
import { type AnyRow, type Listed, listed as allListed, lists } from '../asking/kinds.ts';
import { AsOf } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Failed, Loading, Notice, Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Filters, filtersOf } from './operations-filters.tsx';

const isListed = (text: string | undefined): text is Listed => allListed.some((kind) => kind === text);

export function Operations({ listed }: { readonly listed: string | undefined }) {
  const words = useWords();
  const kind = isListed(listed) ? listed : 'disbursement';
  return (
    <Page title={words.lists[kind]} beside={<Download kind={kind} />}>
      <nav aria-label={words.pages.operations.kinds} className="mb-4 flex flex-wrap gap-2">
        {allListed.map((one) => (
          <Link
            key={one}
            to={`/operations/${one}`}
            aria-current={one === kind ? 'page' : undefined}
            className={`rounded-full border px-3 py-1.5 text-sm no-underline ${one === kind ? 'border-accent bg-accent-soft text-accent' : 'border-line bg-sheet hover:bg-sunk'}`}
          >
            {words.lists[one]}
          </Link>
        ))}
      </nav>
      <Filters key={kind} kind={kind} />
      <List kind={kind} />
    </Page>
  );
}

/** The filters are the address, so that a link shows another person the same list. */
function useFilters(kind: Listed): Asked<'listDisbursements'> {
  const [search] = useSearchParams();
  const given = filtersOf(kind).flatMap((name) => {
    const value = search.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given) as Asked<'listDisbursements'>;
}

function useList(kind: Listed, filters: Asked<'listDisbursements'>) {
  const id = lists[kind] as 'listDisbursements';
  return useInfiniteQuery({
    queryKey: [id, filters, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      ask(id, { ...filters, ...(pageParam === undefined ? {} : { after: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => (troubleOf(state.error) === undefined ? 30_000 : 4_000),
  });
}

function List({ kind }: { readonly kind: Listed }) {
  const words = useWords();
  const filters = useFilters(kind);
  const list = useList(kind, filters);
  const { parts } = words;
  if (list.data === undefined) {
    return list.error === null ? <Loading /> : <Failed error={list.error} again={() => void list.refetch()} />;
  }
  const rows = list.data.pages.flatMap(({ items }) => items as readonly AnyRow[]);
  return (
    <>
      {rows.length === 0 && !list.hasNextPage ? (
        <Nothing kind={kind} isFiltered={Object.keys(filters).length > 0} />
      ) : (
        <Rows caption={words.lists[kind]} rows={rows} kindOf={() => kind} />
      )}
      {list.hasNextPage && (
        <button
          type="button"
          className="button mt-4"
          disabled={list.isFetching}
          onClick={() => void list.fetchNextPage()}
        >
          {parts.more}
        </button>
      )}
      <AsOf at={list.dataUpdatedAt} />
    </>
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
  const { parts, trouble } = useWords();
  const filters = useFilters(kind);
  const [isUnderWay, setUnderWay] = useState(false);
  const [isFailed, setFailed] = useState(false);
  const run = async (): Promise<void> => {
    setUnderWay(true);
    setFailed(false);
    try {
      await download(lists[kind] as 'listDisbursements', filters, `${kind}.csv`);
    } catch {
      setFailed(true);
    } finally {
      setUnderWay(false);
    }
  };
  return (
    <div>
      <button type="button" className="button" disabled={isUnderWay} onClick={() => void run()}>
        {parts.download}
      </button>
      {isFailed && (
        <p role="alert" className="mt-1 text-bad">
          {trouble['no-answer']}
        </p>
      )}
    </div>
  );
}

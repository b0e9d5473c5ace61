/** A paged list: the pages read, and a button for more. */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AsOf } from './figures.tsx';
import { useWords } from './language.tsx';
import { Failed, Loading } from './page.tsx';

interface PagedProps<T> {
  readonly of: UseInfiniteQueryResult<InfiniteData<T>>;
  readonly source?: 'relais' | 'service';
  readonly children: (pages: readonly T[]) => ReactNode;
}

export function Paged<T>({ of: list, source = 'relais', children }: PagedProps<T>) {
  const { parts } = useWords();
  if (list.data === undefined) {
    return list.error === null ? <Loading /> : <Failed error={list.error} again={() => void list.refetch()} />;
  }
  return (
    <>
      {list.hasPreviousPage && (
        <button
          type="button"
          className="button mb-4"
          data-more="previous"
          disabled={list.isFetching}
          onClick={() => void list.fetchPreviousPage()}
        >
          {parts.before}
        </button>
      )}
      {children(list.data.pages)}
      {list.hasNextPage && (
        <button
          type="button"
          className="button mt-4"
          data-more="next"
          disabled={list.isFetching}
          onClick={() => void list.fetchNextPage()}
        >
          {parts.more}
        </button>
      )}
      <AsOf at={list.dataUpdatedAt} source={source} />
    </>
  );
}

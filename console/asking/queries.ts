/** The requests of pages, and their refresh: by events, by time, and until an answer arrives. */
import {
  type InfiniteData,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, type Asked, type OperationId, Refused, ask, troubleOf } from './ask.ts';

export const SESSION = ['session'] as const;

const AGAIN_MS = 4_000;

export function openQueries(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // The session is over, whichever request found out: the sign-in page follows.
      onError: (error) => {
        if (error instanceof Refused && error.status === 401) forgetPerson(client);
      },
    }),
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', staleTime: 1_000, refetchOnWindowFocus: true },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/**
 * Works without a session: the sign-in page itself uses it, and a late refusal of an earlier request must not matter.
 */
const OPEN: OperationId = 'readProvider';

/** The sign-in page follows, and no data stays for the next user. */
export function forgetPerson(client: QueryClient): void {
  client.setQueryData(SESSION, null);
  forgetRead(client);
}

export function forgetRead(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey: [about] }) => about !== SESSION[0] && about !== OPEN });
}

export const keyOf = (id: OperationId, asked: object = {}): readonly unknown[] => [id, asked];

interface How {
  /** The automatic refresh interval while the page is visible. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
  /** The previous answer stays until the next one, for example when a filter changes. */
  readonly keeps?: boolean;
  /** For a list: further pages are read up to this number or a limit. Absent: one page. */
  readonly least?: number;
}

export function useAsk<Id extends OperationId>(id: Id, asked: Asked<Id>, how: How = {}): UseQueryResult<Answer<Id>> {
  const { everyMs, enabled = true, keeps = false, least = 0 } = how;
  return useQuery<Answer<Id>>({
    queryKey: least === 0 ? keyOf(id, asked) : [...keyOf(id, asked), least],
    queryFn: ({ signal }) => readOn(id, asked, { least, signal }),
    enabled,
    refetchInterval: ({ state }) => (troubleOf(state.error) === undefined ? (everyMs ?? false) : AGAIN_MS),
    ...(keeps ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Requested before the part of a page that needs it is loaded, to avoid sequential waits on a slow network. */
export function askEarly<Id extends OperationId>(client: QueryClient, id: Id, asked: Asked<Id>): void {
  void client.prefetchQuery({ queryKey: keyOf(id, asked), queryFn: ({ signal }) => ask(id, asked, signal) });
}

interface Page {
  readonly items?: readonly unknown[];
  readonly next?: string | null;
}

/** Maximum pages per request. */
const READ_MOST = 20;

/** A page may be short or empty and have a next one: items of accounts that this key cannot see are omitted. */
async function readOn<Id extends OperationId>(
  id: Id,
  asked: Asked<Id>,
  { least, signal }: { readonly least: number; readonly signal: AbortSignal },
): Promise<Answer<Id>> {
  let read: Answer<Id> = await ask(id, asked, signal);
  for (let pages = 1; pages < READ_MOST; pages += 1) {
    const { items = [], next } = read as Page;
    if (typeof next !== 'string' || items.length >= least) break;
    const more = await ask(id, { ...asked, after: next }, signal);
    const rows = [...items, ...((more as Page).items ?? [])];
    read = { ...(read as object), ...(more as object), items: rows } as Answer<Id>;
  }
  return read;
}

/** Maximum pages held, shown and refreshed of a list, however far the user scrolls. */
const PAGES_HELD = 5;
const FIRST = '';

/** A paged list: each page starts at the previous page's cursor; earlier pages are fetched by their own cursors. */
export function usePages<Id extends OperationId>(
  id: Id,
  asked: Asked<Id>,
  { everyMs, held = PAGES_HELD }: Pick<How, 'everyMs'> & { readonly held?: number } = {},
): UseInfiniteQueryResult<InfiniteData<Answer<Id>>> {
  const [backFrom] = useState(() => new Map<string, string>());
  const list = JSON.stringify([id, asked]);
  return useInfiniteQuery({
    queryKey: [id, asked, 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const page = await ask(id, { ...asked, ...(pageParam === FIRST ? {} : { after: pageParam }) }, signal);
      const { next } = page as Page;
      if (typeof next === 'string') backFrom.set(list + next, pageParam);
      return page;
    },
    initialPageParam: FIRST,
    maxPages: held,
    getNextPageParam: (page) => (page as Page).next ?? undefined,
    getPreviousPageParam: (_page, _pages, first) => backFrom.get(list + first),
    refetchInterval: ({ state }) => (troubleOf(state.error) === undefined ? (everyMs ?? false) : AGAIN_MS),
  });
}

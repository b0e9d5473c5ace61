/** What pages ask, and how it stays true: asked again by events, by time, and until it is answered. */
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
      // The session is over, whichever question noticed it: the sign-in page follows.
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

/** Of nobody: the sign-in page itself asks it, and an earlier question may be refused after that. */
const OPEN: OperationId = 'readProvider';

/** The sign-in page follows, and nothing that was read stays for the next person. */
export function forgetPerson(client: QueryClient): void {
  client.setQueryData(SESSION, null);
  forgetRead(client);
}

export function forgetRead(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey: [about] }) => about !== SESSION[0] && about !== OPEN });
}

export const keyOf = (id: OperationId, asked: object = {}): readonly unknown[] => [id, asked];

interface How {
  /** How often it is asked again by itself, while the page is seen. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
  /** What was answered before stays until the next answer, as when a filter changes. */
  readonly keeps?: boolean;
  /** Of a list: it is read on until it has so many, or a bound is met. Absent: one page, whatever is on it. */
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

/** Before the part of a page that needs it is there: on a slow network nothing is waited for in a row that need not be. */
export function askEarly<Id extends OperationId>(client: QueryClient, id: Id, asked: Asked<Id>): void {
  void client.prefetchQuery({ queryKey: keyOf(id, asked), queryFn: ({ signal }) => ask(id, asked, signal) });
}

interface Page {
  readonly items?: readonly unknown[];
  readonly next?: string | null;
}

/** Pages of one question at the most. */
const READ_MOST = 20;

/** A page may be short, or empty, and lead on: what belongs to accounts that this key does not see was left out. */
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

/** What is held, drawn and asked again of a list, however far somebody reads in it. */
const PAGES_HELD = 5;
const FIRST = '';

/** A list that comes page by page, each asked for by what the one before answered; back by what was asked before. */
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

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
import { type Answer, type Asked, type OperationId, Refused, ask, troubleOf } from './ask.ts';

export const SESSION = ['session'] as const;

const AGAIN_MS = 4_000;

export function openQueries(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // The session is over, whichever question noticed it: the sign-in page follows.
      onError: (error) => {
        if (error instanceof Refused && error.status === 401) client.setQueryData(SESSION, null);
      },
    }),
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', staleTime: 1_000, refetchOnWindowFocus: true },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

export const keyOf = (id: OperationId, asked: object = {}): readonly unknown[] => [id, asked];

interface How {
  /** How often it is asked again by itself, while the page is seen. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
  /** What was answered before stays until the next answer, as when a filter changes. */
  readonly keeps?: boolean;
}

export function useAsk<Id extends OperationId>(id: Id, asked: Asked<Id>, how: How = {}): UseQueryResult<Answer<Id>> {
  const { everyMs, enabled = true, keeps = false } = how;
  return useQuery<Answer<Id>>({
    queryKey: keyOf(id, asked),
    queryFn: ({ signal }) => ask(id, asked, signal),
    enabled,
    refetchInterval: ({ state }) => (troubleOf(state.error) === undefined ? (everyMs ?? false) : AGAIN_MS),
    ...(keeps ? { placeholderData: keepPreviousData } : {}),
  });
}

interface Page {
  readonly next?: string | null;
}

/** A list that comes page by page, each asked for by what the one before answered. */
export function usePages<Id extends OperationId>(
  id: Id,
  asked: Asked<Id>,
  { everyMs }: Pick<How, 'everyMs'> = {},
): UseInfiniteQueryResult<InfiniteData<Answer<Id>>> {
  return useInfiniteQuery({
    queryKey: [id, asked, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      ask(id, { ...asked, ...(pageParam === undefined ? {} : { after: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page as Page).next ?? undefined,
    refetchInterval: ({ state }) => (troubleOf(state.error) === undefined ? (everyMs ?? false) : AGAIN_MS),
  });
}

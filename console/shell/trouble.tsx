/** The line above every page for problems of the whole console. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { troubleOf } from '../asking/ask.ts';
import { useWords } from '../parts/language.tsx';

function troubleIn(client: QueryClient): string | undefined {
  return client
    .getQueryCache()
    .findAll({ type: 'active' })
    .map(({ state }) => troubleOf(state.error))
    .find((trouble) => trouble !== undefined);
}

function useTrouble(): string | undefined {
  const client = useQueryClient();
  const follow = useCallback((told: () => void) => client.getQueryCache().subscribe(told), [client]);
  return useSyncExternalStore(follow, () => troubleIn(client));
}

export function Trouble() {
  const { trouble } = useWords();
  const word = useTrouble();
  return (
    <div role="status">
      {word !== undefined && (
        <p className="bg-uncertain-soft px-4 py-2 text-uncertain" data-trouble={word}>
          {trouble[word] ?? trouble['unavailable']}
        </p>
      )}
    </div>
  );
}

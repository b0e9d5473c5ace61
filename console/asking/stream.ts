/** The event stream. An event never writes what is shown: it makes the page ask again. */
import type { Query, QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SESSION } from './queries.ts';

/** Of a thousand payments in a second the page asks once. */
const AT_MOST_EVERY_MS = 1_000;
/** Refused it was as while relais starts behind a proxy, or by too many tabs of one key. */
const LISTEN_AGAIN_MS = 15_000;

/** Questions whose answer an event may change. Others are asked when they are opened. */
const LIVE: ReadonlySet<unknown> = new Set([
  'getStatus',
  'listReview',
  'listDisbursements',
  'listBatches',
  'listCampaigns',
  'listMessages',
  'listInvoices',
  'listPaymentRequests',
  'listDirectCredits',
  'getDisbursement',
  'getBatch',
  'getCampaign',
  'getMessage',
  'getInvoice',
  'getPaymentRequest',
  'getDirectCredit',
  'explain',
  'listAccounts',
]);

/** After an act: it may have changed whatever is shown. */
export function askAllAgain(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

/**
 * After an event. What is being asked goes on: a list of many pages takes longer than the next event, and would never
 * be read to its end. It may be of before the event, so all is asked once more after it.
 */
async function askLiveAgain(client: QueryClient, onceMore: () => void): Promise<void> {
  const live = { predicate: ({ queryKey }: Query) => LIVE.has(queryKey[0]) };
  const isOfBefore = client.isFetching({ ...live, type: 'active' }) > 0;
  await client.invalidateQueries(live, { cancelRefetch: false });
  if (isOfBefore) onceMore();
}

export function useStream(): void {
  const client = useQueryClient();
  useEffect(() => {
    let stream: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let due: ReturnType<typeof setTimeout> | undefined;
    let isHeard = true;
    const soon = (): void => {
      if (!isHeard) return;
      due ??= setTimeout(() => {
        due = undefined;
        void askLiveAgain(client, soon);
      }, AT_MOST_EVERY_MS);
    };
    const listen = (): void => {
      const opened = new EventSource('/v1/stream');
      stream = opened;
      opened.addEventListener('message', soon);
      // It came back after a break: nobody knows what was missed.
      opened.addEventListener('open', soon);
      // A browser comes back by itself where the line breaks, and never where it was refused.
      opened.addEventListener('error', () => {
        if (opened.readyState === EventSource.CLOSED) again = setTimeout(listen, LISTEN_AGAIN_MS);
      });
    };
    listen();
    return () => {
      isHeard = false;
      stream?.close();
      clearTimeout(again);
      clearTimeout(due);
    };
  }, [client]);
}

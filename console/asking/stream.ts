/** The event stream. An event never writes displayed data: it triggers a refresh. */
import type { Query, QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SESSION } from './queries.ts';

/** A thousand events in a second cause one refresh. */
const AT_MOST_EVERY_MS = 1_000;
/** The stream is refused while relais starts behind a proxy, or after too many tabs with one key. */
const LISTEN_AGAIN_MS = 15_000;

/** Requests that events refresh. Others are sent when their page is opened. */
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

/** After an act, which may have changed any displayed data. */
export function askAllAgain(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

/**
 * After an event. Running requests continue: a list of many pages takes longer than the interval of events, and would
 * never be read to its end. They may be older than the event, so all are repeated afterwards.
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
      // Reconnected after an interruption: events may have been missed.
      opened.addEventListener('open', soon);
      // Browsers reconnect automatically after an interruption, but not after a refusal.
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

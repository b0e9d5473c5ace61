/** All that waits for somebody's approval, of every kind, the oldest first: it has waited longest. */
import type { AnyRow } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';

const MOST = 100;
const OFTEN = { everyMs: 10_000 };

export interface Awaiting {
  readonly rows: readonly AnyRow[];
  /** Of the oldest of the answers; 0: not all of them are there. */
  readonly at: number;
  readonly error: unknown;
  readonly isRead: boolean;
  readonly again: () => void;
}

export function useAwaiting(): Awaiting {
  const payments = useAsk('listDisbursements', { state: ['awaiting_approval'], limit: MOST }, OFTEN);
  const batches = useAsk('listBatches', { state: ['awaiting_approval', 'needs_review'], limit: MOST }, OFTEN);
  const campaigns = useAsk('listCampaigns', { state: ['awaiting_approval'], limit: MOST }, OFTEN);
  const all = [payments, batches, campaigns];
  const rows: readonly AnyRow[] = [
    ...(batches.data?.items ?? []),
    ...(payments.data?.items ?? []),
    ...(campaigns.data?.items ?? []),
  ];
  return {
    rows: rows.toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? -1 : 1)),
    at: Math.min(...all.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    error: all.find(({ error }) => error !== null)?.error ?? null,
    isRead: all.every(({ data }) => data !== undefined),
    again: () => all.forEach((one) => void one.refetch()),
  };
}

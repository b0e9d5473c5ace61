/** Everything that waits for an approval, of every kind, longest waiting first. */
import type { AnyRow } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';

const PAGE = 100;
/** A list is newest first, so it is read to its end, or up to a limit. */
const OFTEN = { everyMs: 10_000, least: 1_000 };

export interface Awaiting {
  readonly rows: readonly AnyRow[];
  /** The time of the oldest answer; 0: an answer is missing. */
  readonly at: number;
  readonly error: unknown;
  readonly isRead: boolean;
  /** Otherwise more items wait, and have waited longer than these. */
  readonly isWhole: boolean;
  readonly again: () => void;
}

export function useAwaiting(): Awaiting {
  const payments = useAsk('listDisbursements', { state: ['awaiting_approval'], limit: PAGE }, OFTEN);
  const batches = useAsk('listBatches', { state: ['awaiting_approval', 'needs_review'], limit: PAGE }, OFTEN);
  const campaigns = useAsk('listCampaigns', { state: ['awaiting_approval'], limit: PAGE }, OFTEN);
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
    isWhole: all.every(({ data }) => data?.next === null),
    again: () => all.forEach((one) => void one.refetch()),
  };
}

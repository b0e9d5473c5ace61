/** What waits for a person, of every kind, the oldest first. */
import type { Router } from 'express';
import type { BatchRecord, RecordOf } from '../operations/record.ts';
import { type ReviewKind, reviewKinds } from '../operations/review.ts';
import { UnreadableRecord } from '../operations/unreadable.ts';
import { directCreditView, invoiceView, paymentRequestView } from './collect-views.ts';
import { type ApiContext, maySee, queryNumber, queryText, requireRole } from './context.ts';
import { invalid } from './problem.ts';
import { disbursementView, unreadableView } from './views.ts';

export function addReview(router: Router, { queries }: Pick<ApiContext, 'queries'>): void {
  router.get('/review', async (request, response) => {
    const key = requireRole(response, 'read');
    const kind = readKind(queryText(request, 'kind'));
    const limit = queryNumber(request, 'limit', 50, 500);
    const page = await queries.review({ after: queryText(request, 'after'), limit, kind });
    const items = page.items.filter((item) => maySee(key, item));
    response.json({ items: items.map(viewOf), next: page.next ?? null });
  });
}

function viewOf(record: RecordOf[ReviewKind] | UnreadableRecord): object {
  if (record instanceof UnreadableRecord) return unreadableView(record);
  switch (record.kind) {
    case 'disbursement':
      return { kind: record.kind, ...disbursementView(record) };
    case 'invoice':
      return { kind: record.kind, ...invoiceView(record) };
    case 'payment_request':
      return { kind: record.kind, ...paymentRequestView(record) };
    case 'batch':
      return { kind: record.kind, ...reviewedBatch(record) };
    case 'direct_credit':
      return { kind: record.kind, ...directCreditView(record) };
    default:
      return record satisfies never;
  }
}

/** Its rows, and what became of each, are told where it is read alone. */
function reviewedBatch({ id, account, reason, contentHash, totals, by, updatedAt }: BatchRecord) {
  const { count, xof } = totals;
  const when = new Date(updatedAt).toISOString();
  return {
    id,
    state: 'needs_review',
    account,
    reason: reason ?? null,
    contentHash,
    totals: { count, xof },
    uploadedBy: by,
    updatedAt: when,
  };
}

function readKind(asked: string | undefined): ReviewKind | undefined {
  if (asked === undefined) return undefined;
  const kind = reviewKinds.find((one) => one === asked);
  if (kind) return kind;
  throw invalid([{ pointer: '/kind', message: `must be one of ${reviewKinds.join(', ')}` }]);
}

/** What waits for a person, of every kind, the oldest first. */
import type { Router } from 'express';
import type { BatchRecord } from '../operations/batch-record.ts';
import type { RecordOf } from '../operations/record.ts';
import { type ReviewKind, reviewKinds } from '../operations/review.ts';
import { directCreditView, invoiceView, paymentRequestView } from './collect-views.ts';
import { type ApiContext, queryNumber, queryText, requireRole } from './context.ts';
import { mayUseAccount } from './keys.ts';
import { invalid } from './problem.ts';
import { disbursementView } from './views.ts';

export function addReview(router: Router, { queries }: Pick<ApiContext, 'queries'>): void {
  router.get('/review', async (request, response) => {
    const key = requireRole(response, 'read');
    const kind = readKind(queryText(request, 'kind'));
    const limit = queryNumber(request, 'limit', 50, 500);
    const page = await queries.review({ after: queryText(request, 'after'), limit, kind });
    const items = page.items.filter(({ account }) => mayUseAccount(key, account));
    response.json({ items: items.map(viewOf), next: page.next ?? null });
  });
}

function viewOf(record: RecordOf[ReviewKind]): object {
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

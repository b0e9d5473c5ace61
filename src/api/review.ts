/** Operations that need review, of every kind, oldest first. */
import { z } from 'zod';

import type { BatchRecord, RecordOf } from '../operations/record.ts';
import { NoSuchPlace, type ReviewKind, reviewKinds } from '../operations/review.ts';
import { invoiceView, paymentRequestView } from './collect-views.ts';
import { accountsListed } from './gates.ts';
import { reviewList } from './openapi/answers-operating.ts';
import { answer, limit, listedAccount, NO_PLACE, route } from './route.ts';
import { written } from '../messages/schemas.ts';
import { invalid } from './problem.ts';
import { disbursementView, view } from './views.ts';

const listReview = route(
  {
    method: 'get',
    path: '/v1/review',
    id: 'listReview',
    cli: {
      name: 'review list',
      example: '--kind disbursement',
      columns: ['kind', 'id', 'reason', 'amount', 'accountAlias', 'withdrawMode', 'reference', 'updatedAt'],
      none: 'No operation needs review.',
      next:
        'Show the reason and the next step: relais review show ID for a disbursement, relais explain ID for any ' +
        'operation',
    },
    tag: 'Operating',
    summary: 'List operations that need review',
    role: 'read',
    scope: 'list',
    query: {
      account: listedAccount,
      after: z
        .string()
        .regex(/^[\w.-]{1,100}$/, written(NO_PLACE))
        .optional()
        .meta({ description: '`next` of the previous page, or the id of an operation in the list.' }),
      limit: limit(50, 500),
      kind: z
        .enum(reviewKinds)
        .optional()
        .meta({ description: 'Only operations of this kind.', example: 'disbursement' }),
    },
    answers: { 200: answer('A page of them, the oldest first, with their `kind`.', reviewList) },
  },
  async ({ context, key, query: { account, ...page } }) => {
    try {
      const accounts = accountsListed(context, key, account);
      const { items, next } = await context.queries.review({ ...page, accounts });
      return { items: items.map(viewOf), next: next ?? null };
    } catch (error) {
      if (error instanceof NoSuchPlace) throw invalid([{ pointer: '/after', message: NO_PLACE }]);
      throw error;
    }
  },
);

function viewOf(record: RecordOf[ReviewKind]) {
  const { kind } = record;
  if (record.kind === 'batch') return { kind, ...reviewedBatch(record) };
  if (record.kind === 'invoice') return { kind, ...invoiceView(record) };
  if (record.kind === 'payment_request') return { kind, ...paymentRequestView(record) };
  if (record.kind === 'disbursement') return { kind, ...disbursementView(record) };
  return { kind, ...view(record) };
}

/** Rows and their states are shown only when the batch is read alone. */
function reviewedBatch({ id, account, reason, contentHash, totals, by, updatedAt }: BatchRecord) {
  const { count, xof } = totals;
  const when = new Date(updatedAt).toISOString();
  return {
    id,
    state: 'needs_review' as const,
    account,
    reason: reason ?? null,
    contentHash,
    totals: { count, xof },
    uploadedBy: by,
    updatedAt: when,
  };
}

export const reviewRoutes = [listReview];

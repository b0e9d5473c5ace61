/**
 * Money to a wallet or an account of the provider.
 *
 * Transitions that look wrong and are not:
 *
 *   submitting → created      the request provably never left, so it may be repeated;
 *   unknown → submitting      the provider returned `created` twice after the settle delay: same token and disburse_id;
 *   needs_review → succeeded  a late status from the provider settles the review;
 *   created → queued          the token expired unused, so another one is requested;
 *   failed → succeeded        the provider corrected its status: reported with `late`, or it would be paid again;
 *   failed → needs_review     the provider withdrew its status without a valid new one;
 *   cancelled → succeeded     it had a token, and the provider reports that it was paid;
 *   cancelled → needs_review  the provider reports it as pending, or the journal shows that it left;
 *   succeeded → reversed      the provider reports later that the money was returned;
 *   succeeded → needs_review  the provider no longer confirms the success, without a valid new status;
 *   needs_review → reversed   a success was reported before, so it did not fail: it was returned.
 *
 * After a restore of PostgreSQL (`restored`), which does not show later changes:
 *
 *   queued → needs_review     the restored row does not prove that nothing was sent;
 *   created → succeeded       the restored row has no submit, and the provider reports the result of one;
 *   needs_review → queued     an operator who knows that it was never paid resumes it.
 */
import { z } from 'zod';
import { disbursementFields as fields, disbursementRequest as request } from './disbursement-fields.ts';
import { events, told } from './events.ts';
import { kind } from './kind.ts';

const money = { amount: 25_000, withdrawMode: 'wallet-a-senegal', disburseId: '0f6c8d4b2a1e49578c3d7b90a2e4f611' };
const paid = { ...money, transactionId: 'TX-20261121-0042' };

const rejected = { reason: 'not_approved', note: 'The amount is wrong', rejectedBy: 'checker' };

const PAY_ANEW = 'A new payment is a new disbursement with another reference.';

export const disbursement = kind({
  prefix: 'dsb',
  area: 'payments',
  money: 'out',
  payee: 'accountAlias',
  resolve: ['succeeded', 'failed', 'reversed', 'cancelled', 'resubmit'],
  states: {
    awaiting_approval: {
      says: 'It waits for the approval of a different person (four-eyes); nothing was sent.',
      next: 'A different person approves it: relais disburse approve {id}',
      to: ['queued', 'cancelled', 'needs_review'],
      restored: 'review',
    },
    queued: {
      says: 'It is accepted and waits for its turn; nothing was sent.',
      queue: 'disbursement',
      to: ['created', 'submitting', 'held', 'rejected', 'cancelled', 'needs_review'],
      is: ['unsent', 'in flight'],
      restored: 'review',
    },
    held: {
      says: 'It waits for a condition to clear; nothing was sent.',
      queue: 'disbursement',
      to: ['created', 'submitting', 'rejected', 'cancelled', 'needs_review'],
      is: ['unsent', 'in flight', 'reasoned'],
      restored: 'review',
    },
    created: {
      says: 'The provider gave a token; the payment itself was not sent yet.',
      queue: 'disbursement',
      to: ['queued', 'submitting', 'pending', 'succeeded', 'failed', 'rejected', 'cancelled', 'needs_review'],
      is: ['unsent', 'in flight'],
      restored: 'ask',
    },
    submitting: {
      says: 'The payment is being sent at this moment, or was when a worker died.',
      queue: 'status-poll',
      to: ['created', 'unknown', 'pending', 'succeeded', 'failed', 'needs_review'],
      is: ['in flight', 'in doubt'],
      restored: 'ask',
    },
    unknown: {
      says: 'The payment may or may not have been made; the provider is being asked.',
      queue: 'status-poll',
      to: ['submitting', 'pending', 'succeeded', 'failed', 'needs_review'],
      is: ['in flight', 'in doubt'],
      restored: 'ask',
    },
    pending: {
      says: 'The provider accepted it and is processing it.',
      queue: 'status-poll',
      to: ['succeeded', 'failed', 'needs_review'],
      is: ['in flight', 'in doubt'],
      restored: 'look',
    },
    needs_review: {
      says: 'A person must decide it.',
      next: 'See the evidence, ask the provider, then resolve it: relais review resolve {id}',
      queue: 'status-poll',
      to: ['queued', 'submitting', 'succeeded', 'failed', 'reversed', 'cancelled'],
      is: ['in doubt', 'reasoned'],
    },
    succeeded: {
      says: 'The beneficiary was paid; the provider confirmed it.',
      queue: 'status-poll',
      late: ['reversed', 'needs_review'],
    },
    failed: {
      says: 'The beneficiary was not paid; the provider reported the failure twice.',
      next: PAY_ANEW,
      queue: 'status-poll',
      late: ['succeeded', 'needs_review'],
      is: ['without effect', 'reasoned'],
    },
    reversed: {
      says: 'The beneficiary was paid, and the provider reports that the money came back.',
      next: `Compare with the dashboard of the provider. ${PAY_ANEW}`,
      is: ['without effect'],
    },
    rejected: {
      says: 'It was never submitted, so nothing was paid.',
      next: 'Correct the cause and send it again under another reference.',
      is: ['without effect', 'reasoned'],
    },
    cancelled: {
      says: 'It was cancelled before anything was paid.',
      queue: 'status-poll',
      late: ['succeeded', 'needs_review'],
      is: ['without effect', 'reasoned'],
    },
  },
  request,
  fields,
  events: events(
    {
      'disbursement.succeeded': { says: 'The provider confirmed that the beneficiary was paid.', example: paid },
      'disbursement.failed': {
        says: 'The disbursement was sent, and the provider confirmed that the beneficiary was not paid.',
        example: paid,
      },
      'disbursement.reversed': {
        says: 'The provider reports that the money of a payment reported as paid came back.',
        example: { ...paid, late: true },
      },
      'disbursement.awaiting_approval': {
        says: 'The disbursement waits for approval by a different person and is not paid before.',
        example: money,
      },
      'disbursement.rejected': {
        says: 'The disbursement was refused before anything was sent.',
        example: { ...money, reason: 'invalid_alias' },
      },
      'disbursement.cancelled': {
        says: 'The disbursement was cancelled or rejected before anything was sent.',
        example: { ...money, ...rejected },
      },
      'disbursement.needs_review': {
        says: 'The disbursement may or may not have been paid and needs review.',
        example: { ...money, reason: 'poll_exhausted' },
      },
      'disbursement.held': {
        says: 'The disbursement waits for a condition and then resumes.',
        example: { ...money, reason: 'funds' },
      },
    },
    {
      carries: {
        reference: told.reference,
        amount: told.xof,
        withdrawMode: z.string(),
        disburseId: z.string().meta({ description: 'Our unique reference at the provider.' }),
        transactionId: z.string().optional(),
        providerRef: z.string().optional(),
        payeeName: z.string().optional().meta({ description: 'Name of the payee.' }),
        purpose: z.string().optional().meta({ description: 'Purpose of the payment.' }),
        metadata: told.metadata,
      },
      more: {
        reason: told.reason,
        late: told.late,
        resolvedBy: told.resolvedBy,
        note: told.note,
        rejectedBy: told.rejectedBy,
      },
    },
  ),
});

/**
 * Money to an account of the provider, in one request. A sent request cannot be checked, so an attempt that finds
 * `sending` requests a review.
 *
 * `sending → queued`: the request provably never left; no other transition leads back.
 */
import { z } from 'zod';
import {
  account,
  createdAt,
  decisions,
  example,
  id,
  metadata,
  perhaps,
  reason,
  reference,
  stateLike,
  story,
  updatedAt,
  xof,
} from './answer-pieces.ts';
import { events, told } from './events.ts';
import { amount, maybeText, maybeTime, shown, sought, text } from './fields.ts';
import { kind } from './kind.ts';
import { accountName, amountXof, askedMetadata, askedReference, identityText } from './request-pieces.ts';

export const directCreditRequest = z
  .strictObject({
    accountAlias: identityText(64).meta({
      description: 'Provider account to credit.',
      example: 'shop-account',
    }),
    amount: amountXof.meta({ example: 10_000 }),
    account: accountName.default('main'),
    reference: askedReference.optional(),
    metadata: askedMetadata,
    allowDuplicate: z
      .boolean()
      .optional()
      .meta({ description: 'Allow the same amount to the same account within DUPLICATE_WINDOW.' }),
  })
  .meta({ id: 'DirectCreditRequest' });

const NOTHING_LEFT = 'nothing was sent';

export const directCredit = kind({
  prefix: 'dcr',
  area: 'direct_credit',
  money: 'out',
  payee: 'accountAlias',
  resolve: ['succeeded', 'failed'],
  states: {
    queued: {
      says: `It is accepted and waits for its turn; ${NOTHING_LEFT}.`,
      queue: 'direct-credit',
      to: ['sending', 'rejected', 'needs_review'],
      is: ['unsent'],
      restored: 'review',
    },
    held: {
      says: `It waits for a condition to clear; ${NOTHING_LEFT}.`,
      queue: 'direct-credit',
      to: ['sending', 'rejected', 'needs_review'],
      is: ['unsent', 'reasoned'],
      restored: 'review',
    },
    sending: {
      says: 'It was sent, or is being sent at this moment, and no answer has come.',
      queue: 'direct-credit',
      to: ['queued', 'held', 'succeeded', 'rejected', 'needs_review'],
      is: ['in doubt'],
      restored: 'review',
    },
    needs_review: {
      says: 'It may have been credited, and the provider has no status check for it.',
      next: 'Look in the dashboard of the provider, then resolve it: relais direct-credit resolve {id}',
      to: ['succeeded', 'failed'],
      is: ['in doubt', 'reasoned'],
    },
    succeeded: { says: 'It was credited.' },
    rejected: { says: 'It was refused, so nothing was credited.', is: ['without effect', 'reasoned'] },
    failed: { says: 'It was not credited.', is: ['without effect', 'reasoned'] },
  },
  request: directCreditRequest,
  fields: {
    id,
    state: stateLike('queued'),
    amount: shown(amount, xof),
    accountAlias: shown(text, example('shop-account')),
    transactionId: shown(sought(maybeText, 'transactionId'), perhaps(example('DC-77'))),
    reason,
    failure: shown(maybeText, perhaps(z.string()).meta({ description: 'What the provider said.' })),
    ...decisions,
    reference,
    metadata,
    account,
    createdAt,
    updatedAt,
    ...story,

    sentAt: maybeTime,
  },
  events: events(
    {
      'direct_credit.succeeded': {
        says: 'The account was credited.',
        example: { amount: 5_000, transactionId: 'DC-77' },
      },
      'direct_credit.rejected': {
        says: 'The direct credit was refused before anything was sent.',
        example: { amount: 5_000 },
      },
      'direct_credit.failed': { says: 'The provider refused the direct credit.', example: { amount: 5_000 } },
      'direct_credit.needs_review': {
        says: 'The account may or may not have been credited, and the direct credit needs review.',
        example: { amount: 5_000, reason: 'no_answer' },
      },
    },
    {
      carries: {
        reference: told.reference,
        amount: told.xof.optional(),
        transactionId: z.string().optional(),
        metadata: told.metadata,
      },
      more: { failure: told.failure, reason: told.reason, resolvedBy: told.resolvedBy },
    },
  ),
});

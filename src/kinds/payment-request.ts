/** A payment request that the provider sends to a customer. */
import { z } from 'zod';
import {
  account,
  createdAt,
  decisions,
  example,
  failure,
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
import { amount, derived, flag, maybeText, maybeTime, shown, shownAs, sought, word } from './fields.ts';
import { kind } from './kind.ts';
import { accountName, askedMetadata, email, phone, askedReference } from './request-pieces.ts';
import { says } from '../messages/schemas.ts';

export const paymentRequestRequest = z
  .strictObject({
    amount: z
      .int(says('whole_xof_plain'))
      .min(200, says('payment_request_amount'))
      .max(3_000_000, says('payment_request_amount'))
      .meta({ description: 'Amount in whole francs (XOF), 200 to 3000000.', example: 5_000 }),
    email: email.optional().meta({ description: 'E-mail address of the payer.' }),
    phone: phone
      .optional()
      .meta({ description: 'Phone number of the payer, in international form.', example: '+221771234567' }),
    feesPaidBy: z.enum(['customer', 'merchant']).meta({ description: 'Party that pays the fees.' }),
    notify: z.boolean().default(false).meta({
      description: 'true: the provider sends SMS and e-mail itself, and the payment can never be checked.',
    }),
    account: accountName.default('main'),
    reference: askedReference.optional(),
    metadata: askedMetadata,
  })
  .meta({ id: 'PaymentRequestRequest' });

const asked = { amount: 15_000, referenceNumber: 'PR-1042' };

export const paymentRequest = kind({
  prefix: 'prq',
  area: 'payments',
  money: 'in',
  payee: 'phone',
  resolve: ['completed', 'failed'],
  states: {
    creating: {
      says: 'It is being requested from the provider, or was when a process died.',
      queue: 'status-poll',
      to: ['pending', 'failed', 'needs_review'],
      restored: 'review',
    },
    pending: {
      says: 'It waits for the customer.',
      queue: 'status-poll',
      to: ['completed', 'failed', 'needs_review'],
      restored: 'look',
    },
    needs_review: {
      says: 'A person must decide it.',
      queue: 'status-poll',
      to: ['completed', 'failed'],
    },
    completed: { says: 'It was paid; the provider confirmed it.' },
    failed: { says: 'It was not paid.', queue: 'status-poll', late: ['completed'] },
  },
  request: paymentRequestRequest,
  fields: {
    id,
    state: stateLike('pending'),
    referenceNumber: shown(sought(maybeText, 'providerRef'), perhaps(example('PR-1042'))),
    url: shown(maybeText, perhaps(example('https://pay.example/PR-1042'))),
    askedAmount: shownAs(amount, 'amount', xof),
    feesPaidBy: shown(word<'customer' | 'merchant'>(), z.enum(['customer', 'merchant'])),
    notify: shown(flag, z.boolean().meta({ example: false })),
    tracked: derived(z.boolean().meta({ example: true, description: 'false: nobody can ask how it ends.' })),
    reason,
    failure,
    reference,
    metadata,
    account,
    createdAt,
    updatedAt,
    ...decisions,
    ...story,

    /** Erased when the request is created, like the phone number. */
    email: maybeText,
    phone: maybeText,
    /** A creation was about to be sent. An attempt that finds this without an answer must not send again. */
    intendedAt: maybeTime,
    publishedAt: maybeTime,
  },
  events: events(
    {
      'payment_request.completed': { says: 'The payment request was paid.', example: asked },
      'payment_request.failed': { says: 'The payment request was not paid.', example: asked },
      'payment_request.needs_review': {
        says: 'The payment request has no final status and needs review.',
        example: { amount: 15_000, reason: 'poll_exhausted' },
      },
      'payment_request.untracked': {
        says: 'The provider sent the payment request itself and gave no token, so no further status is expected.',
        example: { amount: 15_000, tracked: false },
        state: 'pending',
      },
    },
    {
      carries: {
        reference: told.reference,
        amount: told.xof.optional(),
        referenceNumber: z.string().optional(),
        metadata: told.metadata,
      },
      more: {
        tracked: z.boolean().optional().meta({ description: 'false: nobody can ask how it ends.' }),
        failure: told.failure,
        reason: told.reason,
        late: told.late,
      },
    },
  ),
});

/**
 * A bill that a payer pays on a page of the provider.
 *
 * `cancelled → completed`: a payer can pay late. Reported with `late`. If the payer paid less, the invoice needs
 * review.
 */
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
import {
  amount,
  derived,
  maybeJson,
  maybeNumber,
  maybeText,
  maybeTime,
  reportedAs,
  shown,
  sought,
} from './fields.ts';
import { invoiceRequest as request } from './invoice-request.ts';
import { kind } from './kind.ts';

const bill = { totalAmount: 42_300, token: 'test_jMcHr7X9kQ' };

/** The payer, by the names of the request. */
export interface Payer {
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
}

/** No event has a phone number. */
function withoutPhone(payer: unknown): Payer | undefined {
  const { name, email } = (payer ?? {}) as Payer;
  if (name === undefined && email === undefined) return undefined;
  return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
}

const text = z.string().optional();
const payer = z.looseObject({ name: text, email: text, phone: text });
const customData = z
  .looseObject({})
  .optional()
  .meta({ description: 'The `customData` of the request, as the provider returns it.', example: { order: 7 } });

export const invoice = kind({
  prefix: 'inv',
  area: 'payments',
  money: 'in',
  resolve: ['completed', 'cancelled', 'failed'],
  states: {
    creating: {
      says: 'It is being requested from the provider, or was when a process died.',
      queue: 'invoice-confirm',
      to: ['pending', 'failed', 'needs_review'],
      restored: 'review',
    },
    pending: {
      says: 'It waits for the payer.',
      queue: 'invoice-confirm',
      to: ['completed', 'cancelled', 'failed', 'needs_review'],
      restored: 'look',
    },
    needs_review: {
      says: 'A person must decide it.',
      queue: 'invoice-confirm',
      to: ['completed', 'cancelled', 'failed'],
    },
    completed: { says: 'It was paid; the provider confirmed it.' },
    cancelled: {
      says: 'The payer cancelled it, or it expired.',
      queue: 'invoice-confirm',
      late: ['completed', 'needs_review'],
    },
    failed: { says: 'It was not paid.', queue: 'invoice-confirm', late: ['completed', 'needs_review'] },
  },
  request,
  fields: {
    id,
    state: stateLike('pending'),
    token: shown(sought(maybeText, 'token'), perhaps(example('jMcHr7X9kQ'))),
    url: shown(
      maybeText,
      perhaps(example('https://pay.example/jMcHr7X9kQ')).meta({ description: 'The page where the payer pays.' }),
    ),
    totalAmount: shown(amount, xof),
    /** Stored if it differs from the billed amount. */
    amountPaid: shown(maybeNumber, perhaps(z.int()).meta({ description: 'Whole XOF, once it was paid.' })),
    totalWithoutFees: shown(
      maybeNumber,
      perhaps(z.int()).meta({ description: 'The amount without fees, if the provider names it. Whole XOF.' }),
    ),
    fees: shown(
      maybeNumber,
      perhaps(z.int()).meta({ description: 'Fees that the provider named last for a direct payment. Whole XOF.' }),
    ),
    receiptUrl: shown(maybeText, perhaps(z.string())),
    customer: reportedAs(
      shown(
        maybeJson<Payer>(),
        payer.optional().meta({
          description: 'The payer, as the provider names them once the invoice is paid, cancelled or failed.',
          example: { name: 'Awa Diop', email: 'awa@mail.example', phone: '771234567' },
        }),
      ),
      withoutPhone,
    ),
    customData: shown(maybeJson<Readonly<Record<string, unknown>>>(), customData),
    reason,
    failure,
    reference,
    metadata,
    account,
    createdAt,
    updatedAt,
    ...decisions,
    ...story,
    warnings: derived(
      z.array(z.string()).optional().meta({ description: 'Only when it is created: what may be a mistake.' }),
    ),

    /** JSON until the invoice is created; then erased, since it may name a person. */
    request: maybeText,
    publishedAt: maybeTime,
    /** The provider's amount if it is less than billed: the paid amount, if an operator confirms it. */
    amountNamed: maybeNumber,
    /** The last callback that required a check. */
    hintedAt: maybeTime,
  },
  events: events(
    {
      'invoice.completed': { says: 'The provider confirmed that the invoice was paid.', example: bill },
      'invoice.cancelled': { says: 'The payer cancelled the invoice, or it expired.', example: bill },
      'invoice.failed': { says: 'The payment of the invoice failed.', example: bill },
      'invoice.needs_review': {
        says: 'The report of the provider does not match the invoice, which needs review.',
        example: { ...bill, reason: 'amount_mismatch' },
      },
    },
    {
      carries: {
        reference: told.reference,
        totalAmount: told.xof.meta({ description: 'What was billed, in whole XOF.' }),
        token: z.string().optional(),
        totalWithoutFees: z
          .int()
          .optional()
          .meta({ description: 'The amount without fees, if the provider names it.' }),
        fees: z.int().optional().meta({ description: 'Fees that the provider named last for a direct payment.' }),
        customer: payer
          .omit({ phone: true })
          .optional()
          .meta({ description: 'Name and e-mail address of the payer.' }),
        customData,
        metadata: told.metadata,
      },
      more: {
        amountPaid: z.int().optional().meta({ description: 'Where it is not what was billed, in whole XOF.' }),
        receiptUrl: z.string().optional(),
        failure: told.failure.meta({ description: 'What the provider said about a payment that failed.' }),
        reason: told.reason,
        late: told.late,
      },
    },
  ),
});

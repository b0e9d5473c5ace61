/** The request, and the fields of a disbursement record. */
import { z } from 'zod';
import {
  account,
  createdAt,
  decisions,
  example,
  id,
  metadata,
  moment,
  perhaps,
  reason,
  reference,
  rejectedBy,
  stateLike,
  story,
  updatedAt,
  xof,
} from './answer-pieces.ts';
import { amount, count, flag, maybeJson, maybeText, maybeTime, shown, sought, text } from './fields.ts';
import { type NotifyPlan, notifiedStates, notifyRequest } from './notify.ts';
import {
  accountName,
  amountXof,
  askedTime,
  askedReference,
  identityText,
  paymentDescription,
  visible,
} from './request-pieces.ts';

export const disbursementRequest = z
  .strictObject({
    accountAlias: visible(64).meta({
      description: 'Phone number of the beneficiary without country code, or the provider account id for `service`.',
      example: '771234567',
    }),
    amount: amountXof.meta({ example: 25_000 }),
    withdrawMode: visible(64).meta({ description: 'Payment channel.', example: 'wallet-a-senegal' }),
    debitAccountNumber: identityText(32).optional().meta({ description: 'Account to debit, only with `service`.' }),
    account: accountName.default('main'),
    reference: askedReference.optional(),
    ...paymentDescription,
    notBefore: askedTime.optional().meta({ description: 'Earliest time of the payment.' }),
    notify: notifyRequest.optional(),
    allowDuplicate: z
      .boolean()
      .optional()
      .meta({ description: 'Allow the same amount to the same beneficiary within DUPLICATE_WINDOW.' }),
    allowUnusualNumber: z
      .boolean()
      .optional()
      .meta({ description: 'Allow a phone number with an unusual length for the country of the withdraw mode.' }),
  })
  .meta({ id: 'DisbursementRequest' });

/** In the order for callers, followed by internal fields. */
export const disbursementFields = {
  id,
  state: stateLike(
    'succeeded',
    '`succeeded failed reversed rejected cancelled` are final; only a late word of the provider leads on from `succeeded`, `failed` and `cancelled`. `unknown` is neither success nor failure.',
  ),
  amount: shown(amount, xof),
  accountAlias: shown(text, example('771234567')),
  withdrawMode: shown(text, example('wallet-a-senegal')),
  reference,
  payeeName: shown(maybeText, z.string().optional().meta({ description: 'Name of the payee.', example: 'Awa Diop' })),
  purpose: shown(
    maybeText,
    z.string().optional().meta({ description: 'Purpose of the payment.', example: 'Salary of November' }),
  ),
  metadata,
  account,
  /** Equal for every submit of this disbursement. */
  disburseId: shown(
    sought(text, 'disburseId'),
    example('0f6c8d4b2a1e49578c3d7b90a2e4f611').meta({ description: 'Our unique reference at the provider.' }),
  ),
  token: shown(
    sought(maybeText, 'token'),
    perhaps(example('jMcHr7X9kQ')).meta({ description: "The provider's name for it, once it has one." }),
  ),
  transactionId: shown(sought(maybeText, 'transactionId'), perhaps(example('TX-20261121-0042'))),
  providerRef: shown(sought(maybeText, 'providerRef'), perhaps(example('8842017'))),
  /** Machine-readable cause of `held`, `rejected`, `failed` and `needs_review`. */
  reason,
  late: shown(
    flag,
    z
      .literal(true)
      .optional()
      .meta({ description: 'It ended after we had given up on it, or otherwise than was told before.' }),
  ),
  batch: shown(
    sought(maybeText, 'batch'),
    z.string().optional().meta({ description: 'The batch that it is a row of.' }),
  ),
  notBefore: shown(maybeTime, moment.optional().meta({ description: 'Not sent before this time.' })),
  notify: shown(
    maybeJson<NotifyPlan>(),
    z
      .looseObject({
        phone: example('+221771234567'),
        on: z.array(z.enum(notifiedStates)).meta({ example: ['succeeded'] }),
        messages: z
          .array(z.looseObject({ on: z.enum(notifiedStates), id: z.string(), state: z.string() }))
          .optional()
          .meta({
            example: [{ on: 'succeeded', id: 'msg_4n7q0c1w2e3r4t5y6z7a8b9c0d', state: 'sent' }],
            description: 'Its SMS so far. Not in lists.',
          }),
      })
      .optional()
      .meta({ description: 'The payee is told these states by SMS.' }),
  ),
  approvedBy: shown(maybeText, z.string().optional().meta({ description: 'The name of the key that approved it.' })),
  rejectedBy,
  ...decisions,
  createdAt,
  updatedAt,
  ...story,

  debitAccountNumber: maybeText,
  disburseTxId: sought(maybeText, 'transactionId'),
  /** A submit was refused because our disburse_id is already used. */
  idUsed: flag,
  /** Number of submits that may have left, and the time of the last one. */
  sends: count,
  sentAt: maybeTime,
  tokenAt: maybeTime,
  /** Before this time, `created` is no valid answer about the last submit. */
  quietUntil: maybeTime,
  /** When a check after the settle delay first returned `created`. */
  createdSeenAt: maybeTime,
  /** When a check first reported a failure or a return. One report is not enough. */
  failedSeenAt: maybeTime,
  /**
   * The last callback that required a check, or the last check that contradicted the reported result, by the clock of
   * PostgreSQL; removed when a result is reported.
   */
  hintedAt: maybeTime,
  /** When a check first returned a final status without naming the payment, and the number of such checks since. */
  unnamedSeenAt: maybeTime,
  unnamedLooks: count,
  /**
   * When a check of a finished payment first contradicted the result without a valid status, and the number of such
   * checks since.
   */
  contrarySeenAt: maybeTime,
  contraryLooks: count,
  /** When a later check first confirmed the result. One is not enough, since the answer may be outdated. */
  agreedSeenAt: maybeTime,
  /** The payment was reported as paid before its review: it is never sent again. */
  toldPaid: flag,
  /** Unrecognised answers to its creation. */
  strangeAnswers: count,
  /** When a different person approved it; the time limit counts from then. */
  approvedAt: maybeTime,
} as const;

/** Scheduling fields, which a finished record no longer needs. */
export const goneAtTheEnd = [
  'sentAt',
  'tokenAt',
  'tries',
  'quietUntil',
  'createdSeenAt',
  'keys',
  'mode',
  'acceptedFor',
] as const;

/** Columns of a batch report: fields of the row, and of its disbursement. */
export const reportedOfRow = ['amount', 'accountAlias', 'withdrawMode'] as const;
export const reportedOfPayment = ['disburseId', 'token', 'transactionId', 'providerRef'] as const;
export const reportColumns = [
  'row',
  'reference',
  'id',
  'state',
  'reason',
  ...reportedOfRow,
  ...reportedOfPayment,
] as const;

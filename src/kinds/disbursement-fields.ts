/** What is asked for, and what the record of a disbursement holds. */
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
import { amount, count, flag, maybeText, maybeTime, shown, sought, text } from './fields.ts';
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

/** In the order in which callers see it; then what they do not see. */
export const disbursementFields = {
  id,
  state: stateLike(
    'succeeded',
    '`succeeded failed reversed rejected cancelled` are final; only a late word of the service leads on from `succeeded`, `failed` and `cancelled`. `unknown` is neither success nor failure.',
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
  /** The same for every submit of this disbursement, for ever. */
  disburseId: shown(
    sought(text, 'disburseId'),
    example('0f6c8d4b2a1e49578c3d7b90a2e4f611').meta({ description: 'Our unique reference at the service.' }),
  ),
  token: shown(
    sought(maybeText, 'token'),
    perhaps(example('jMcHr7X9kQ')).meta({ description: "The service's name for it, once it has one." }),
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
  approvedBy: shown(maybeText, z.string().optional().meta({ description: 'The name of the key that approved it.' })),
  rejectedBy,
  ...decisions,
  createdAt,
  updatedAt,
  ...story,

  debitAccountNumber: maybeText,
  disburseTxId: sought(maybeText, 'transactionId'),
  /** A submit was answered with the word that our disburse_id is used already. */
  idUsed: flag,
  /** How many submits may have left us, and when the last did. */
  sends: count,
  sentAt: maybeTime,
  tokenAt: maybeTime,
  /** No `created` counts as an answer about the last submit before this time. */
  quietUntil: maybeTime,
  /** When a look after the quiet period first said `created`. */
  createdSeenAt: maybeTime,
  /** When a look first said that it failed, or that the money came back. Once is not enough. */
  failedSeenAt: maybeTime,
  /**
   * When a callback was last a reason to look, or a look spoke against what was told, by the clock of PostgreSQL;
   * taken away when an end is told.
   */
  hintedAt: maybeTime,
  /** When a look first said a final word without naming the payment, and how many have since. */
  unnamedSeenAt: maybeTime,
  unnamedLooks: count,
  /** When a look after its end first said something else than its end, and nothing that counts; and how many have since. */
  contrarySeenAt: maybeTime,
  contraryLooks: count,
  /** When a look after that first said its end again. Once is not enough, since it may be an old answer. */
  agreedSeenAt: maybeTime,
  /** Callers were told that it was paid before it was given to a person: it is never sent again. */
  toldPaid: flag,
  /** Answers to its creation that nobody understands. */
  strangeAnswers: count,
  /** When a different person approved it; the time limit counts from then. */
  approvedAt: maybeTime,
} as const;

/** What says how and when to go on: once it is over nobody asks for it, and the record lets go of it. */
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

/** What the report of a batch has of each of its rows: of the row, and of the disbursement that it became. */
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

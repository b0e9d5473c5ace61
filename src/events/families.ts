/** What the events of each kind of operation carry in `data`. A reader must leave alone what it does not know. */
import { z } from 'zod';

const id = z.string().meta({ description: 'The id of the operation.' });
const reference = z.string().optional().meta({ description: 'The name that the caller gave it.' });
const reason = z.string().optional().meta({ description: 'Why, as a word for programs.' });
const xof = z.int().meta({ description: 'Whole XOF.' });
const late = z
  .boolean()
  .optional()
  .meta({ description: 'It came after we had given up on it: another word was told before.' });
const bins = ['total', 'queued', 'held', 'sending', 'sent', 'failed', 'unknown', 'skipped', 'expired', 'cancelled'];

export const families = {
  disbursement: z.looseObject({
    id,
    state: z.enum(['succeeded', 'failed', 'reversed', 'rejected', 'cancelled', 'needs_review', 'held']),
    reference,
    amount: xof,
    withdrawMode: z.string(),
    disburseId: z.string().meta({ description: 'Our unique reference at the service.' }),
    transactionId: z.string().optional(),
    providerRef: z.string().optional(),
    reason,
    late,
    resolvedBy: z.string().optional().meta({ description: 'The key of the person who resolved it.' }),
  }),
  message: z.looseObject({
    id,
    state: z.enum(['sent', 'failed', 'unknown', 'expired', 'skipped']),
    reference,
    code: z.string().optional().meta({ description: 'The code of the service, where it gave one.' }),
    reason,
  }),
  campaign: z.looseObject({
    id,
    state: z.enum(['finished', 'paused', 'cancelled', 'held']),
    reference,
    name: z.string().optional(),
    totals: z
      .object(Object.fromEntries(bins.map((bin) => [bin, z.int()])))
      .optional()
      .meta({ description: 'Recipients by what became of them; `total` is all of them.' }),
    reason,
  }),
  batch: z.looseObject({
    id,
    state: z.enum(['finished', 'needs_review']),
    contentHash: z.string().meta({ description: 'Of the bytes that were approved.' }),
    by: z.string().optional().meta({ description: 'The key that sent it.' }),
    approvedBy: z.string().optional().meta({ description: 'The key that approved it.' }),
    totals: z.looseObject({ count: z.int(), xof }).optional(),
    states: z.looseObject({}).optional().meta({ description: 'Its rows by what became of them.' }),
    reason,
  }),
  invoice: z.looseObject({
    id,
    state: z.enum(['completed', 'cancelled', 'failed', 'needs_review']),
    reference,
    totalAmount: xof.meta({ description: 'What was billed, in whole XOF.' }),
    token: z.string().optional(),
    amountPaid: z.int().optional().meta({ description: 'Where more was paid than was billed, in whole XOF.' }),
    receiptUrl: z.string().optional(),
    failure: z.string().optional().meta({ description: 'What the service said about a payment that failed.' }),
    reason,
    late,
  }),
  payment_request: z.looseObject({
    id,
    state: z.enum(['pending', 'completed', 'failed', 'needs_review']),
    reference,
    amount: xof.optional(),
    referenceNumber: z.string().optional(),
    tracked: z.boolean().optional().meta({ description: 'false: nobody can ask how it ends.' }),
    failure: z.string().optional().meta({ description: 'What the service said.' }),
    reason,
    late,
  }),
  direct_credit: z.looseObject({
    id,
    state: z.enum(['succeeded', 'rejected', 'failed', 'needs_review']),
    reference,
    amount: xof.optional(),
    transactionId: z.string().optional(),
    failure: z.string().optional().meta({ description: 'What the service said.' }),
    reason,
    resolvedBy: z.string().optional().meta({ description: 'The key of the person who resolved it.' }),
  }),
  account: z.looseObject({
    id: z.string().meta({ description: 'The name of the account.' }),
    area: z.enum(['payments', 'messaging', 'direct_credit']),
    reason: z.string().meta({ description: 'The condition, as a word for programs.' }),
  }),
  endpoint: z.looseObject({
    id: z.string().meta({ description: 'The id of the endpoint.' }),
    state: z.enum(['disabled']),
    url: z.string(),
    reason: z.string(),
  }),
  system: z.looseObject({
    id: z.string().meta({ description: '`system`: it is about relais itself.' }),
    state: z.enum(['recovering', 'recovered']),
    because: z.string().meta({ description: 'What was noticed, as a word for programs.' }),
    by: z.string().optional().meta({ description: 'The key of the person who ended it, or `witness`.' }),
  }),
} as const satisfies Readonly<Record<string, z.ZodObject>>;

export type Family = keyof typeof families;

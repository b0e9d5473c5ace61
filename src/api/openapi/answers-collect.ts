/** What is answered about money that comes in: invoices, softpay, payment requests. */
import { z } from 'zod';
import { statesOf } from '../../kinds/states.ts';
import {
  accountField,
  decisionFields,
  historyFields,
  perhaps,
  reasonField,
  referenceField,
  text,
  time,
  xof,
} from './answers-shared.ts';

const failure = perhaps(z.string()).meta({ description: 'What the service said about it.' });
const story = {
  reference: referenceField,
  account: accountField,
  createdAt: time,
  updatedAt: time,
  ...decisionFields,
  ...historyFields,
};

export const invoice = z
  .looseObject({
    id: text('inv_0f6c8d4b2a1e49578c3d'),
    state: z.enum(statesOf('invoice')).meta({ example: 'pending' }),
    token: perhaps(text('jMcHr7X9kQ')),
    url: perhaps(text('https://pay.example/jMcHr7X9kQ')).meta({ description: 'The page where the payer pays.' }),
    totalAmount: xof,
    amountPaid: perhaps(z.int()).meta({ description: 'Whole XOF, once it was paid.' }),
    receiptUrl: perhaps(z.string()),
    reason: reasonField,
    failure,
    ...story,
    warnings: z.array(z.string()).optional().meta({ description: 'Only when it is created: what may be a mistake.' }),
  })
  .meta({ id: 'Invoice' });

export const softpayStarted = z
  .looseObject({
    state: z.enum(['awaiting_payer', 'completed']).meta({
      description: 'Started is not paid: the state of the invoice says when it is.',
    }),
    message: z.string().optional(),
    url: z.string().optional().meta({ description: 'Where the payer goes on, if anywhere.' }),
    links: z.looseObject({ walletApp: z.string().optional(), partnerApp: z.string().optional() }).optional(),
    fees: z.number().optional().meta({ description: 'XOF; only when the payer bears them.' }),
    currency: z.string().optional(),
    transactionId: z.string().optional().meta({ description: 'What the second step asks for, where there is one.' }),
    returnUrl: z.string().optional(),
    token: z.string().optional(),
    data: z.looseObject({}).optional(),
  })
  .meta({ id: 'SoftpayStarted' });

export const paymentRequest = z
  .looseObject({
    id: text('prq_0f6c8d4b2a1e49578c3d'),
    state: z.enum(statesOf('payment_request')).meta({ example: 'pending' }),
    referenceNumber: perhaps(text('PR-1042')),
    url: perhaps(text('https://pay.example/PR-1042')),
    amount: xof,
    feesPaidBy: z.enum(['customer', 'merchant']),
    notify: z.boolean().meta({ example: false }),
    tracked: z.boolean().meta({ example: true, description: 'false: nobody can ask how it ends.' }),
    reason: reasonField,
    failure,
    ...story,
  })
  .meta({ id: 'PaymentRequest' });

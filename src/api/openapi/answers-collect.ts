/** Answers about incoming money: invoices, softpay, payment requests. */
import { z } from 'zod';
import { answerOf } from './answers-shared.ts';

export const invoice = answerOf('invoice');

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

export const paymentRequest = answerOf('payment_request');

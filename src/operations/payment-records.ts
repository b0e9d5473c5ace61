/** The records of what collects money, and of what credits it in one step. */
import type { RecordBase } from './record.ts';

export interface InvoiceRecord extends RecordBase<'invoice'> {
  /** Whole XOF, as billed. */
  readonly totalAmount: number;
  /** The request as JSON until the invoice is created; then it is forgotten, since it may name a person. */
  readonly request?: string;
  readonly token?: string;
  /** Where the payer pays. */
  readonly url?: string;
  readonly publishedAt?: number;
  /** Whole XOF, where upstream says that more was paid than was billed. */
  readonly amountPaid?: number;
  readonly receiptUrl?: string;
  /** What upstream said about a payment that failed, or a creation that was refused, at most 200 characters. */
  readonly failure?: string;
  readonly reason?: string;
}

export interface PaymentRequestRecord extends RecordBase<'payment_request'> {
  /** Whole XOF. */
  readonly askedAmount: number;
  readonly feesPaidBy: 'customer' | 'merchant';
  readonly notify: boolean;
  /** Forgotten when the request is created, as the telephone number is. */
  readonly email?: string;
  readonly phone?: string;
  /** A creation was about to be sent. Whoever finds this and no answer beside it must not send again. */
  readonly intendedAt?: number;
  readonly referenceNumber?: string;
  readonly url?: string;
  readonly publishedAt?: number;
  readonly failure?: string;
  readonly reason?: string;
}

export interface DirectCreditRecord extends RecordBase<'direct_credit'> {
  /** Whole XOF. */
  readonly amount: number;
  readonly accountAlias: string;
  readonly transactionId?: string;
  readonly sentAt?: number;
  readonly failure?: string;
  readonly reason?: string;
}

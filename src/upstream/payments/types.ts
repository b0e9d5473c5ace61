import type { CallOptions, UpstreamAccount } from '../account.ts';
import type { Verdict } from '../verdict.ts';
import type { SoftpayConfirmation, SoftpayMethod, SoftpayRequest, SoftpayStarted } from './softpay-table.ts';

type Call<Request, Value> = (
  account: UpstreamAccount,
  request: Request,
  call?: CallOptions,
) => Promise<Verdict<Value>>;

/** interface: Disbursement. `amount` in XOF; `accountAlias` already in the national form (capabilities.ts). */
export interface DisbursementRequest {
  readonly accountAlias: string;
  readonly amount: number;
  readonly callbackUrl: string;
  readonly withdrawMode: string;
  readonly debitAccountNumber?: string | undefined;
}

/** `status` is a hint only: `00` means accepted, and the status record alone says how it ended. */
export interface SubmittedDisbursement {
  readonly status?: string;
  readonly transactionId?: string;
  readonly providerRef?: string;
}

export interface DisbursementStatus {
  /** Lower-cased and trimmed; may be a word we do not know. */
  readonly status: string;
  readonly token?: string;
  /** XOF; absent when upstream wrote something that is not a whole number of francs. */
  readonly amount?: number;
  readonly amountRaw?: string;
  readonly disburseId?: string;
  readonly withdrawMode?: string;
  readonly transactionId?: string;
  readonly disburseTxId?: string;
  /** `NN/NN/YYYY HH:MM:SS`; the order of day and month is not told, so it is never read as a time. */
  readonly updatedAtRaw?: string;
}

export interface InvoiceItem {
  readonly name?: string | undefined;
  readonly quantity?: number | undefined;
  readonly unitPrice?: number | string | undefined;
  readonly totalPrice?: number | string | undefined;
  readonly description?: string | undefined;
}

export interface InvoiceTax {
  readonly name?: string | undefined;
  readonly amount?: number | undefined;
}

/** interface: Checkout invoice. `totalAmount` in XOF. */
export interface InvoiceRequest {
  readonly totalAmount: number;
  readonly description?: string | undefined;
  readonly items?: readonly InvoiceItem[] | undefined;
  readonly taxes?: readonly InvoiceTax[] | undefined;
  readonly customer?: InvoiceCustomer | undefined;
  readonly channels?: string | readonly string[] | undefined;
  readonly store: {
    readonly name: string;
    readonly tagline?: string | undefined;
    readonly postalAddress?: string | undefined;
    readonly phone?: string | undefined;
    readonly logoUrl?: string | undefined;
    readonly websiteUrl?: string | undefined;
  };
  readonly customData?: Readonly<Record<string, unknown>> | undefined;
  readonly cancelUrl?: string | undefined;
  readonly returnUrl?: string | undefined;
  readonly callbackUrl?: string | undefined;
}

interface InvoiceCustomer {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** interface: Invoice status record. The static `hash` and the card number are left at the door. */
export interface InvoiceRecord {
  /**
   * `pending completed cancelled failed`, lower-cased (`canceled` is read as `cancelled`), or a word we do not know.
   */
  readonly status: string;
  readonly token?: string;
  /** XOF; absent when unreadable. */
  readonly totalAmount?: number;
  /** XOF; only some answers carry it, when the payer bears the fees. */
  readonly totalWithoutFees?: number;
  readonly mode?: string;
  readonly customData?: Readonly<Record<string, unknown>>;
  readonly customer?: InvoiceCustomer;
  readonly receiptUrl?: string;
  readonly failReason?: string;
  readonly failure?: { readonly message?: string; readonly description?: string };
  readonly panLast4?: string;
}

/** interface: Payment request. `amount` in XOF, 200 to 3,000,000. */
export interface PaymentRequest {
  readonly amount: number;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly feesPaidBy: 'customer' | 'merchant';
  /**
   * true: upstream sends the SMS and e-mail, answers without a reference, and the request can never be looked at
   * again.
   */
  readonly notify?: boolean | undefined;
}

export interface CreatedPaymentRequest {
  readonly referenceNumber?: string;
  readonly url?: string;
}

export interface Balances {
  /** interface: Balance record. The exact balance is only in the account dashboard. */
  readonly approximate: true;
  /** XOF per country code; null when upstream wrote something unreadable, never 0. */
  readonly balances: Readonly<Record<string, number | null>>;
}

export interface Payments {
  readonly createInvoice: Call<InvoiceRequest, { readonly token: string; readonly url: string }>;
  readonly confirmInvoice: Call<{ readonly token: string }, InvoiceRecord>;
  readonly directCredit: Call<
    { readonly accountAlias: string; readonly amount: number },
    { readonly transactionId?: string; readonly description?: string }
  >;
  readonly createPaymentRequest: Call<PaymentRequest, CreatedPaymentRequest>;
  readonly paymentRequestStatus: Call<{ readonly referenceNumber: string }, { readonly status: string }>;
  readonly balances: (account: UpstreamAccount, call?: CallOptions) => Promise<Verdict<Balances>>;
  readonly balance: Call<{ readonly accountNumber: string }, Balances>;
  readonly createDisbursement: Call<DisbursementRequest, { readonly token: string }>;
  readonly submitDisbursement: Call<
    { readonly token: string; readonly disburseId?: string | undefined },
    SubmittedDisbursement
  >;
  readonly disbursementStatus: Call<{ readonly token: string }, DisbursementStatus>;
  readonly softpay: (
    account: UpstreamAccount,
    method: SoftpayMethod,
    request: SoftpayRequest,
    call?: CallOptions,
  ) => Promise<Verdict<SoftpayStarted>>;
  readonly confirmSoftpay: Call<SoftpayConfirmation, SoftpayStarted>;
}

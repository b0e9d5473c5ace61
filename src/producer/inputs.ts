/** Request types for the compiler: modes by their names, and money only with an identity. */
import type { InputOf } from '../kinds/index.ts';
import type { KnownWithdrawMode } from '../provider/capabilities.ts';

export type WithdrawMode = KnownWithdrawMode;

/** `Extra`: the modes of `extraWithdrawModes`. */
export type DisbursementInput<Extra extends string = never> = Omit<InputOf<'disbursement'>, 'withdrawMode'> & {
  /** The channel of the payment. */
  readonly withdrawMode: WithdrawMode | Extra;
};
/** A row of a batch: a disbursement with a `reference`, without the fields of single ones. */
export type BatchRowInput<Extra extends string = never> = Referenced<
  Pick<
    DisbursementInput<Extra>,
    'accountAlias' | 'amount' | 'withdrawMode' | 'debitAccountNumber' | 'account' | 'allowDuplicate'
  >
>;
export interface BatchOptions extends Identity {
  /** The paying account. Default: the one that the rows name, otherwise `main`. */
  readonly account?: string;
  /** The requesting user or program, by key name, which then cannot approve it. Default: `producer`. */
  readonly by?: string;
}
export type MessageInput = InputOf<'message'>;
export type CampaignInput = InputOf<'campaign'>;
export type InvoiceInput = InputOf<'invoice'>;
export type PaymentRequestInput = InputOf<'payment_request'>;
export type DirectCreditInput = InputOf<'direct_credit'>;

export interface Identity {
  /** Distinguishes a retry from a second request. Default: the request's own `reference`. */
  readonly idempotencyKey?: string;
}

export type Referenced<T> = T & { readonly reference: string };

/** A request with a `reference` or an idempotency key: without either, a retry would be a second request. */
export type Asking<T> =
  | readonly [request: Referenced<T>, identity?: Identity]
  | readonly [request: T, identity: Required<Identity>];

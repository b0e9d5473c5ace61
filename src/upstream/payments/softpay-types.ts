import type { softpayPaths } from './softpay-table.ts';

/** The nineteen ways to pay an invoice token directly; the confirm step of wallet-h has its own call. */
export type SoftpayMethod = Exclude<keyof typeof softpayPaths, 'wallet-h-senegal/confirm'>;

/** Our words for what the twenty paths ask, each under a name of its own. */
export type SoftpayWord =
  | 'name'
  | 'email'
  | 'phone'
  | 'address'
  | 'otp'
  | 'provider'
  | 'password'
  | 'token'
  | 'cardNumber'
  | 'cardCvv'
  | 'cardYear'
  | 'cardMonth'
  | 'authorizationCode'
  | 'transactionId';

/** Everything here is used once, in memory, and forgotten: nothing of it may be stored or logged. */
export interface SoftpayRequest {
  /** The invoice token. */
  readonly token: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly address?: string | undefined;
  /** The code the payer generated on the phone. */
  readonly otp?: string | undefined;
  /** The provider identifier of the `..._wallet_provider` fields. */
  readonly provider?: string | undefined;
  readonly password?: string | undefined;
  readonly card?: SoftpayCard | undefined;
  /** Wire fields to leave out, since the interface does not tell which are optional. */
  readonly omit?: readonly string[] | undefined;
}

interface SoftpayCard {
  readonly number: string;
  readonly cvv: string;
  /** Two digits. */
  readonly expiryYear: string;
  /** Two digits. */
  readonly expiryMonth: string;
}

export interface SoftpayConfirmation {
  readonly authorizationCode: string;
  readonly phone: string;
  readonly transactionId: string;
}

/** Started, not paid: the invoice's own status says when it is. */
export interface SoftpayStarted {
  readonly message?: string;
  readonly url?: string;
  readonly links?: { readonly walletApp?: string; readonly partnerApp?: string };
  /** XOF; only when the payer bears the fees. */
  readonly fees?: number;
  readonly currency?: string;
  /** What the second step of wallet-h asks for. */
  readonly transactionId?: string;
  readonly returnUrl?: string;
  readonly token?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

import type { Country } from '../../lib/countries.ts';

/** The nineteen ways to pay an invoice token directly; the confirm step of wallet-h has its own call. */
export type SoftpayMethod = Exclude<keyof typeof softpayPaths, 'wallet-h-senegal/confirm'>;

/** Our names for the fields of the twenty paths. */
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

/** All fields are used in memory and discarded: none may be stored or logged. */
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
  /** Fields to omit, since the interface does not document which are optional. */
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

/** Started, not paid: the invoice's own status shows when it is paid. */
export interface SoftpayStarted {
  readonly message?: string;
  readonly url?: string;
  readonly links?: { readonly walletApp?: string; readonly partnerApp?: string };
  /** XOF; only if the payer bears the fees. */
  readonly fees?: number;
  readonly currency?: string;
  /** Input for the second step of wallet-h. */
  readonly transactionId?: string;
  readonly returnUrl?: string;
  readonly token?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface SoftpayPath {
  /** The country of the phone number's dialling code; absent if the number is another kind of account. */
  readonly country?: Country;
  /** Wire name → our name, in the order of the interface. The names follow no rule: they are copied, never built. */
  readonly fields: Readonly<Record<string, SoftpayWord>>;
}

/** interface: Softpay. Key = the suffix of the path. */
export const softpayPaths = {
  card: {
    fields: {
      full_name: 'name',
      email: 'email',
      card_number: 'cardNumber',
      card_cvv: 'cardCvv',
      card_expired_date_year: 'cardYear',
      card_expired_date_month: 'cardMonth',
      token: 'token',
    },
  },
  'new-wallet-a-senegal': {
    country: 'SN',
    fields: { customer_name: 'name', customer_email: 'email', phone_number: 'phone', invoice_token: 'token' },
  },
  'wallet-b-senegal': {
    country: 'SN',
    fields: { customer_name: 'name', customer_email: 'email', phone_number: 'phone', payment_token: 'token' },
  },
  'wallet-c-senegal': {
    country: 'SN',
    fields: {
      wallet_c_sn_fullName: 'name',
      wallet_c_sn_email: 'email',
      wallet_c_sn_phone: 'phone',
      payment_token: 'token',
    },
  },
  'wallet-d-senegal': {
    country: 'SN',
    fields: {
      wallet_d_senegal_fullName: 'name',
      wallet_d_senegal_email: 'email',
      wallet_d_senegal_phone: 'phone',
      wallet_d_senegal_payment_token: 'token',
    },
  },
  'wallet-h-senegal': {
    country: 'SN',
    fields: { customer_name: 'name', customer_email: 'email', phone_number: 'phone', invoice_token: 'token' },
  },
  'wallet-h-senegal/confirm': {
    country: 'SN',
    fields: { authorization_code: 'authorizationCode', phone_number: 'phone', transaction_id: 'transactionId' },
  },
  'wallet-a-ci': {
    country: 'CI',
    fields: {
      wallet_a_ci_customer_fullname: 'name',
      wallet_a_ci_email: 'email',
      wallet_a_ci_phone_number: 'phone',
      wallet_a_ci_otp: 'otp',
      payment_token: 'token',
    },
  },
  'wallet-e-ci': {
    country: 'CI',
    fields: {
      wallet_e_ci_customer_fullname: 'name',
      wallet_e_ci_email: 'email',
      wallet_e_ci_phone_number: 'phone',
      wallet_e_ci_wallet_provider: 'provider',
      payment_token: 'token',
    },
  },
  'wallet-f-ci': {
    country: 'CI',
    fields: {
      wallet_f_ci_customer_fullname: 'name',
      wallet_f_ci_email: 'email',
      wallet_f_ci_phone_number: 'phone',
      payment_token: 'token',
    },
  },
  'wallet-d-ci': {
    country: 'CI',
    fields: {
      wallet_d_ci_fullName: 'name',
      wallet_d_ci_email: 'email',
      wallet_d_ci_phone: 'phone',
      wallet_d_ci_payment_token: 'token',
    },
  },
  'wallet-a-burkina': {
    country: 'BF',
    fields: { name_bf: 'name', email_bf: 'email', phone_bf: 'phone', otp_code: 'otp', payment_token: 'token' },
  },
  'wallet-f-burkina': {
    country: 'BF',
    fields: {
      wallet_f_burkina_faso_fullName: 'name',
      wallet_f_burkina_faso_email: 'email',
      wallet_f_burkina_faso_phone_number: 'phone',
      wallet_f_burkina_faso_payment_token: 'token',
    },
  },
  'wallet-f-benin': {
    country: 'BJ',
    fields: {
      wallet_f_benin_customer_fullname: 'name',
      wallet_f_benin_email: 'email',
      wallet_f_benin_phone_number: 'phone',
      payment_token: 'token',
    },
  },
  'wallet-e-benin': {
    country: 'BJ',
    fields: {
      wallet_e_benin_customer_fullname: 'name',
      wallet_e_benin_email: 'email',
      wallet_e_benin_phone_number: 'phone',
      wallet_e_benin_wallet_provider: 'provider',
      payment_token: 'token',
    },
  },
  'wallet-g-togo': {
    country: 'TG',
    fields: { name_wallet_g: 'name', email_wallet_g: 'email', phone_wallet_g: 'phone', payment_token: 'token' },
  },
  'wallet-f-togo': {
    country: 'TG',
    fields: {
      wallet_f_togo_customer_fullname: 'name',
      wallet_f_togo_email: 'email',
      wallet_f_togo_customer_address: 'address',
      wallet_f_togo_phone_number: 'phone',
      payment_token: 'token',
    },
  },
  'wallet-a-mali': {
    country: 'ML',
    fields: {
      wallet_a_mali_customer_fullname: 'name',
      wallet_a_mali_email: 'email',
      wallet_a_mali_phone_number: 'phone',
      wallet_a_mali_customer_address: 'address',
      payment_token: 'token',
    },
  },
  'wallet-f-mali': {
    country: 'ML',
    fields: {
      wallet_f_ml_customer_fullname: 'name',
      wallet_f_ml_email: 'email',
      wallet_f_ml_phone_number: 'phone',
      wallet_f_ml_customer_address: 'address',
      payment_token: 'token',
    },
  },
  service: {
    fields: {
      customer_name: 'name',
      customer_email: 'email',
      phone_phone: 'phone',
      password: 'password',
      invoice_token: 'token',
    },
  },
} as const satisfies Record<string, SoftpayPath>;

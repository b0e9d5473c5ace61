/**
 * The twenty softpay paths: the fields each one asks for, and which of them hold the invoice token and the payer's
 * telephone number (interface: Softpay). The names are as irregular as the page has them.
 */
export interface SoftpayMethod {
  readonly fields: readonly string[];
  readonly token: string;
  readonly phone?: string;
  /** Which extra fields a success carries. */
  readonly extra?: 'card' | 'qr' | 'wallet-b data' | 'redirect' | 'wallet-h data' | 'wallet-h confirmed';
  /** False where the page shows an answer of nothing but success and message. */
  readonly fees?: false;
}

export const softpayMethods = {
  card: {
    fields: [
      'full_name',
      'email',
      'card_number',
      'card_cvv',
      'card_expired_date_year',
      'card_expired_date_month',
      'token',
    ],
    token: 'token',
    extra: 'card',
  },
  'new-wallet-a-senegal': {
    fields: ['customer_name', 'customer_email', 'phone_number', 'invoice_token'],
    token: 'invoice_token',
    phone: 'phone_number',
    extra: 'qr',
  },
  'wallet-b-senegal': {
    fields: ['customer_name', 'customer_email', 'phone_number', 'payment_token'],
    token: 'payment_token',
    phone: 'phone_number',
    extra: 'wallet-b data',
  },
  'wallet-c-senegal': {
    fields: ['wallet_c_sn_fullName', 'wallet_c_sn_email', 'wallet_c_sn_phone', 'payment_token'],
    token: 'payment_token',
    phone: 'wallet_c_sn_phone',
  },
  'wallet-d-senegal': {
    fields: [
      'wallet_d_senegal_fullName',
      'wallet_d_senegal_email',
      'wallet_d_senegal_phone',
      'wallet_d_senegal_payment_token',
    ],
    token: 'wallet_d_senegal_payment_token',
    phone: 'wallet_d_senegal_phone',
    extra: 'redirect',
  },
  'wallet-h-senegal': {
    fields: ['customer_name', 'customer_email', 'phone_number', 'invoice_token'],
    token: 'invoice_token',
    phone: 'phone_number',
    extra: 'wallet-h data',
  },
  'wallet-h-senegal/confirm': {
    fields: ['authorization_code', 'phone_number', 'transaction_id'],
    token: 'transaction_id',
    phone: 'phone_number',
    extra: 'wallet-h confirmed',
  },
  'wallet-a-ci': {
    fields: [
      'wallet_a_ci_customer_fullname',
      'wallet_a_ci_email',
      'wallet_a_ci_phone_number',
      'wallet_a_ci_otp',
      'payment_token',
    ],
    token: 'payment_token',
    phone: 'wallet_a_ci_phone_number',
  },
  'wallet-e-ci': {
    fields: [
      'wallet_e_ci_customer_fullname',
      'wallet_e_ci_email',
      'wallet_e_ci_phone_number',
      'wallet_e_ci_wallet_provider',
      'payment_token',
    ],
    token: 'payment_token',
    phone: 'wallet_e_ci_phone_number',
  },
  'wallet-f-ci': {
    fields: ['wallet_f_ci_customer_fullname', 'wallet_f_ci_email', 'wallet_f_ci_phone_number', 'payment_token'],
    token: 'payment_token',
    phone: 'wallet_f_ci_phone_number',
  },
  'wallet-d-ci': {
    fields: ['wallet_d_ci_fullName', 'wallet_d_ci_email', 'wallet_d_ci_phone', 'wallet_d_ci_payment_token'],
    token: 'wallet_d_ci_payment_token',
    phone: 'wallet_d_ci_phone',
    extra: 'redirect',
  },
  'wallet-a-burkina': {
    fields: ['name_bf', 'email_bf', 'phone_bf', 'otp_code', 'payment_token'],
    token: 'payment_token',
    phone: 'phone_bf',
  },
  'wallet-f-burkina': {
    fields: [
      'wallet_f_burkina_faso_fullName',
      'wallet_f_burkina_faso_email',
      'wallet_f_burkina_faso_phone_number',
      'wallet_f_burkina_faso_payment_token',
    ],
    token: 'wallet_f_burkina_faso_payment_token',
    phone: 'wallet_f_burkina_faso_phone_number',
  },
  'wallet-f-benin': {
    fields: [
      'wallet_f_benin_customer_fullname',
      'wallet_f_benin_email',
      'wallet_f_benin_phone_number',
      'payment_token',
    ],
    token: 'payment_token',
    phone: 'wallet_f_benin_phone_number',
  },
  'wallet-e-benin': {
    fields: [
      'wallet_e_benin_customer_fullname',
      'wallet_e_benin_email',
      'wallet_e_benin_phone_number',
      'wallet_e_benin_wallet_provider',
      'payment_token',
    ],
    token: 'payment_token',
    phone: 'wallet_e_benin_phone_number',
  },
  'wallet-g-togo': {
    fields: ['name_wallet_g', 'email_wallet_g', 'phone_wallet_g', 'payment_token'],
    token: 'payment_token',
    phone: 'phone_wallet_g',
  },
  'wallet-f-togo': {
    fields: [
      'wallet_f_togo_customer_fullname',
      'wallet_f_togo_email',
      'wallet_f_togo_customer_address',
      'wallet_f_togo_phone_number',
      'payment_token',
    ],
    token: 'payment_token',
    phone: 'wallet_f_togo_phone_number',
  },
  'wallet-a-mali': {
    fields: [
      'wallet_a_mali_customer_fullname',
      'wallet_a_mali_email',
      'wallet_a_mali_phone_number',
      'wallet_a_mali_customer_address',
      'payment_token',
    ],
    token: 'payment_token',
    phone: 'wallet_a_mali_phone_number',
    fees: false,
  },
  'wallet-f-mali': {
    fields: [
      'wallet_f_ml_customer_fullname',
      'wallet_f_ml_email',
      'wallet_f_ml_phone_number',
      'wallet_f_ml_customer_address',
      'payment_token',
    ],
    token: 'payment_token',
    phone: 'wallet_f_ml_phone_number',
  },
  service: {
    fields: ['customer_name', 'customer_email', 'phone_phone', 'password', 'invoice_token'],
    token: 'invoice_token',
    phone: 'phone_phone',
  },
} as const satisfies Record<string, SoftpayMethod>;

export type SoftpaySuffix = keyof typeof softpayMethods;

/** The twenty softpay paths and the fields each one requires (interface: Softpay). The names are irregular there too. */
export const softpayMethods = {
  card: [
    'full_name',
    'email',
    'card_number',
    'card_cvv',
    'card_expired_date_year',
    'card_expired_date_month',
    'token',
  ],
  'new-wallet-a-senegal': ['customer_name', 'customer_email', 'phone_number', 'invoice_token'],
  'wallet-b-senegal': ['customer_name', 'customer_email', 'phone_number', 'payment_token'],
  'wallet-c-senegal': ['wallet_c_sn_fullName', 'wallet_c_sn_email', 'wallet_c_sn_phone', 'payment_token'],
  'wallet-d-senegal': [
    'wallet_d_senegal_fullName',
    'wallet_d_senegal_email',
    'wallet_d_senegal_phone',
    'wallet_d_senegal_payment_token',
  ],
  'wallet-h-senegal': ['customer_name', 'customer_email', 'phone_number', 'invoice_token'],
  'wallet-h-senegal/confirm': ['authorization_code', 'phone_number', 'transaction_id'],
  'wallet-a-ci': [
    'wallet_a_ci_customer_fullname',
    'wallet_a_ci_email',
    'wallet_a_ci_phone_number',
    'wallet_a_ci_otp',
    'payment_token',
  ],
  'wallet-e-ci': [
    'wallet_e_ci_customer_fullname',
    'wallet_e_ci_email',
    'wallet_e_ci_phone_number',
    'wallet_e_ci_wallet_provider',
    'payment_token',
  ],
  'wallet-f-ci': ['wallet_f_ci_customer_fullname', 'wallet_f_ci_email', 'wallet_f_ci_phone_number', 'payment_token'],
  'wallet-d-ci': ['wallet_d_ci_fullName', 'wallet_d_ci_email', 'wallet_d_ci_phone', 'wallet_d_ci_payment_token'],
  'wallet-a-burkina': ['name_bf', 'email_bf', 'phone_bf', 'otp_code', 'payment_token'],
  'wallet-f-burkina': [
    'wallet_f_burkina_faso_fullName',
    'wallet_f_burkina_faso_email',
    'wallet_f_burkina_faso_phone_number',
    'wallet_f_burkina_faso_payment_token',
  ],
  'wallet-f-benin': [
    'wallet_f_benin_customer_fullname',
    'wallet_f_benin_email',
    'wallet_f_benin_phone_number',
    'payment_token',
  ],
  'wallet-e-benin': [
    'wallet_e_benin_customer_fullname',
    'wallet_e_benin_email',
    'wallet_e_benin_phone_number',
    'wallet_e_benin_wallet_provider',
    'payment_token',
  ],
  'wallet-g-togo': ['name_wallet_g', 'email_wallet_g', 'phone_wallet_g', 'payment_token'],
  'wallet-f-togo': [
    'wallet_f_togo_customer_fullname',
    'wallet_f_togo_email',
    'wallet_f_togo_customer_address',
    'wallet_f_togo_phone_number',
    'payment_token',
  ],
  'wallet-a-mali': [
    'wallet_a_mali_customer_fullname',
    'wallet_a_mali_email',
    'wallet_a_mali_phone_number',
    'wallet_a_mali_customer_address',
    'payment_token',
  ],
  'wallet-f-mali': [
    'wallet_f_ml_customer_fullname',
    'wallet_f_ml_email',
    'wallet_f_ml_phone_number',
    'wallet_f_ml_customer_address',
    'payment_token',
  ],
  service: ['customer_name', 'customer_email', 'phone_phone', 'password', 'invoice_token'],
} as const satisfies Record<string, readonly string[]>;

export type SoftpaySuffix = keyof typeof softpayMethods;

export const softpaySuffixes = Object.keys(softpayMethods) as readonly SoftpaySuffix[];

/** The field with the invoice token, or with the transaction that the second step of wallet-h confirms. */
export const tokenFieldOf = (suffix: SoftpaySuffix): string | undefined =>
  softpayMethods[suffix].find((name) => /(token|transaction_id)$/.test(name));

/** The field with the phone number of the payer; `card` has none. */
export const phoneFieldOf = (suffix: SoftpaySuffix): string | undefined =>
  softpayMethods[suffix].find((name) => name.includes('phone'));

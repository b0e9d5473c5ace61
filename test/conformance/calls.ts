/** One client call per operation of the interface: with all optional fields, and with none. */
import type { Upstream, UpstreamAccount } from '../../src/provider/client.ts';
import type { SoftpayMethod } from '../../src/provider/payments/softpay-table.ts';
import type { Verdict } from '../../src/provider/verdict.ts';
import type { OperationName } from './interface-page.ts';

type Call = (upstream: Upstream, account: UpstreamAccount) => Promise<Verdict<unknown>>;

export interface Calls {
  readonly whole: Call;
  readonly least: Call;
  readonly notify?: Call;
}

const same = (call: Call): Calls => ({ whole: call, least: call });
const disbursement = {
  accountAlias: '771234567',
  amount: 1_000,
  callbackUrl: 'https://relais.example/cb',
  withdrawMode: 'wallet-a-senegal',
};

/** The sandbox's tokens, if it must know them. */
export interface Tokens {
  readonly invoice?: string;
  readonly disbursement?: string;
  readonly paymentRequest?: string;
}

export function callsWith(tokens: Tokens = {}): Readonly<Record<OperationName, Calls>> {
  const { invoice = 'inv-1', disbursement: disburse = 'disb-1', paymentRequest = 'PR-1' } = tokens;
  return {
    invoice_create: {
      whole: ({ payments }, account) => payments.createInvoice(account, wholeInvoice),
      least: ({ payments }, account) => payments.createInvoice(account, { totalAmount: 1, store: { name: 'Shop' } }),
    },
    invoice_confirm: same(({ payments }, account) => payments.confirmInvoice(account, { token: invoice })),
    direct_credit: same(({ payments }, account) =>
      payments.directCredit(account, { accountAlias: '771234567', amount: 1_000 }),
    ),
    payment_request_create: {
      whole: ({ payments }, account) => payments.createPaymentRequest(account, wholePaymentRequest),
      least: ({ payments }, account) =>
        payments.createPaymentRequest(account, { amount: 200, phone: '+221771234567', feesPaidBy: 'merchant' }),
      notify: ({ payments }, account) =>
        payments.createPaymentRequest(account, { ...wholePaymentRequest, notify: true }),
    },
    payment_request_status: same(({ payments }, account) =>
      payments.paymentRequestStatus(account, { referenceNumber: paymentRequest }),
    ),
    balance_all: same(({ payments }, account) => payments.balances(account)),
    balance_one: same(({ payments }, account) => payments.balance(account, { accountNumber: 'BBJ0000000003' })),
    disbursement_create: {
      whole: ({ payments }, account) =>
        payments.createDisbursement(account, {
          ...disbursement,
          withdrawMode: 'service',
          debitAccountNumber: 'BBJ0000000003',
        }),
      least: ({ payments }, account) => payments.createDisbursement(account, disbursement),
    },
    disbursement_submit: {
      whole: ({ payments }, account) => payments.submitDisbursement(account, { token: disburse, disburseId: 'id-1' }),
      least: ({ payments }, account) => payments.submitDisbursement(account, { token: disburse }),
    },
    disbursement_status: same(({ payments }, account) => payments.disbursementStatus(account, { token: disburse })),
    sms_login: same(({ messaging }, account) => messaging.prepare(account)),
    sms_send: same(({ messaging }, account) =>
      messaging.send(account, { messages: [{ to: '+221771234567', text: 'Bonjour' }] }),
    ),
    sms_statistics: same(({ messaging }, account) => messaging.statistics(account, { numbers: ['+221771234567'] })),
  };
}

const wholePaymentRequest = {
  amount: 3_000_000,
  email: 'awa@example.com',
  phone: '+221771234567',
  feesPaidBy: 'customer',
} as const;

const wholeInvoice = {
  totalAmount: 2_500,
  description: 'Shoes',
  items: [{ name: 'Shoe', quantity: 2, unitPrice: 1_000, totalPrice: '2000', description: '' }],
  taxes: [{ name: 'TVA', amount: 500 }],
  customer: { name: 'Awa', email: 'awa@example.com', phone: '771234567' },
  channels: ['card'],
  store: {
    name: 'Shop',
    tagline: 'Shoes for all',
    postalAddress: 'Rue 1, Dakar',
    phone: '338000000',
    logoUrl: 'https://shop.example/l.png',
    websiteUrl: 'https://shop.example',
  },
  customData: { order: 7 },
  cancelUrl: 'https://shop.example/basket',
  returnUrl: 'https://shop.example/thanks',
  callbackUrl: 'https://relais.example/cb',
};

/** A payer's number of each country that softpay supports. */
const PHONES: readonly (readonly [RegExp, string])[] = [
  [/ci$/, '0701020304'],
  [/benin$/, '0197112233'],
  [/(burkina|togo|mali)$/, '70112233'],
  [/./, '771234567'],
];

/** A softpay call with every field, of which the client sends those of the method. */
export function payBy(suffix: string, token: string, transactionId = 'tx-1'): Call {
  const phone = PHONES.find(([pattern]) => pattern.test(suffix))?.[1] ?? '';
  if (suffix === 'wallet-h-senegal/confirm') {
    return ({ payments }, account) =>
      payments.confirmSoftpay(account, { authorizationCode: 'auth-1', phone, transactionId });
  }
  const words = {
    name: 'Awa Diop',
    email: 'awa@example.com',
    phone,
    address: 'Rue 1',
    otp: '4321',
    provider: 'moov',
    password: 'pass-1',
    card: { number: '4242424242424242', cvv: '987', expiryYear: '29', expiryMonth: '08' },
  };
  return ({ payments }, account) => payments.softpay(account, suffix as SoftpayMethod, { ...words, token });
}

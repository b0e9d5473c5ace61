import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { softpayPaths, type SoftpayMethod, type SoftpayRequest } from '../../src/provider/payments/softpay-table.ts';
import {
  type Answerer,
  json,
  type Listener,
  listen,
  liveAccount,
  openUpstream,
  type Opened,
  raw,
} from './listener.ts';

let listener: Listener;
let opened: Opened;
const account = liveAccount();

beforeAll(async () => {
  listener = await listen(json({ success: true, message: 'ok' }));
  opened = openUpstream(listener.url, { softpayCard: true });
});
afterAll(async () => {
  await opened.upstream.close();
  await listener.close();
});
beforeEach(() => {
  listener.heard.length = 0;
  listener.answer(json({ success: true, message: 'ok' }));
});

/** The table of the interface, word for word: suffix, request fields. */
const INTERFACE = `
card | full_name, email, card_number, card_cvv, card_expired_date_year, card_expired_date_month, token
new-wallet-a-senegal | customer_name, customer_email, phone_number, invoice_token
wallet-b-senegal | customer_name, customer_email, phone_number, payment_token
wallet-c-senegal | wallet_c_sn_fullName, wallet_c_sn_email, wallet_c_sn_phone, payment_token
wallet-d-senegal | wallet_d_senegal_fullName, wallet_d_senegal_email, wallet_d_senegal_phone, wallet_d_senegal_payment_token
wallet-h-senegal | customer_name, customer_email, phone_number, invoice_token
wallet-h-senegal/confirm | authorization_code, phone_number, transaction_id
wallet-a-ci | wallet_a_ci_customer_fullname, wallet_a_ci_email, wallet_a_ci_phone_number, wallet_a_ci_otp, payment_token
wallet-e-ci | wallet_e_ci_customer_fullname, wallet_e_ci_email, wallet_e_ci_phone_number, wallet_e_ci_wallet_provider, payment_token
wallet-f-ci | wallet_f_ci_customer_fullname, wallet_f_ci_email, wallet_f_ci_phone_number, payment_token
wallet-d-ci | wallet_d_ci_fullName, wallet_d_ci_email, wallet_d_ci_phone, wallet_d_ci_payment_token
wallet-a-burkina | name_bf, email_bf, phone_bf, otp_code, payment_token
wallet-f-burkina | wallet_f_burkina_faso_fullName, wallet_f_burkina_faso_email, wallet_f_burkina_faso_phone_number, wallet_f_burkina_faso_payment_token
wallet-f-benin | wallet_f_benin_customer_fullname, wallet_f_benin_email, wallet_f_benin_phone_number, payment_token
wallet-e-benin | wallet_e_benin_customer_fullname, wallet_e_benin_email, wallet_e_benin_phone_number, wallet_e_benin_wallet_provider, payment_token
wallet-g-togo | name_wallet_g, email_wallet_g, phone_wallet_g, payment_token
wallet-f-togo | wallet_f_togo_customer_fullname, wallet_f_togo_email, wallet_f_togo_customer_address, wallet_f_togo_phone_number, payment_token
wallet-a-mali | wallet_a_mali_customer_fullname, wallet_a_mali_email, wallet_a_mali_phone_number, wallet_a_mali_customer_address, payment_token
wallet-f-mali | wallet_f_ml_customer_fullname, wallet_f_ml_email, wallet_f_ml_phone_number, wallet_f_ml_customer_address, payment_token
service | customer_name, customer_email, phone_phone, password, invoice_token`
  .trim()
  .split('\n')
  .map((line) => line.split(' | ') as [suffix: string, fields: string]);

/** What each kind of wire name must hold, told from the name alone. */
const HOLDS: readonly (readonly [name: RegExp, value: string])[] = [
  [/card_number/, '4000000000000002'],
  [/card_cvv/, '987'],
  [/date_year/, '29'],
  [/date_month/, '08'],
  [/authorization_code/, 'auth-1'],
  [/transaction_id/, 'tx-1'],
  [/provider/, 'prov-1'],
  [/otp/, '654321'],
  [/password/, 'pass-1'],
  [/address/, 'Rue 1'],
  [/email/, 'awa@example.com'],
  [/token/, 'inv-1'],
  [/phone/, '77000000'],
  [/name/i, 'Awa Diop'],
];

const request: SoftpayRequest = {
  token: 'inv-1',
  name: 'Awa Diop',
  email: 'awa@example.com',
  phone: '77000000',
  address: 'Rue 1',
  otp: '654321',
  provider: 'prov-1',
  password: 'pass-1',
  card: { number: '4000000000000002', cvv: '987', expiryYear: '29', expiryMonth: '08' },
};

test('the table has the twenty paths of the interface and no other', () => {
  expect(Object.keys(softpayPaths).sort()).toEqual(INTERFACE.map(([suffix]) => suffix).sort());
  expect(INTERFACE).toHaveLength(20);
});

test.for(INTERFACE)('%s sends the fields of the interface', async ([suffix, fields]) => {
  const verdict =
    suffix === 'wallet-h-senegal/confirm'
      ? await opened.upstream.payments.confirmSoftpay(account, {
          authorizationCode: 'auth-1',
          phone: '77000000',
          transactionId: 'tx-1',
        })
      : await opened.upstream.payments.softpay(account, suffix as SoftpayMethod, request);
  expect(verdict).toMatchObject({ is: 'ok', value: { message: 'ok' } });
  const [heard] = listener.heard;
  expect(heard).toMatchObject({ method: 'POST', path: `/api/v1/softpay/${suffix}` });
  expect(heard!.headers['service-master-key']).toBe('master-key-1');
  const expected = fields.split(', ').map((field) => [field, HOLDS.find(([name]) => name.test(field))?.[1]]);
  expect(heard!.json).toEqual(Object.fromEntries(expected));
});

function pay(method: SoftpayMethod, changes: Partial<SoftpayRequest> = {}) {
  return opened.upstream.payments.softpay(account, method, { ...request, ...changes });
}

test('what is missing is named and nothing is sent', async () => {
  expect(await pay('wallet-a-ci', { otp: ' ', email: undefined })).toMatchObject({
    is: 'refused',
    code: 'field_missing',
    exchange: { message: 'wallet_a_ci_email, wallet_a_ci_otp', sent: 'never' },
  });
  expect(listener.heard).toEqual([]);
});

test('a field can be left out on purpose', async () => {
  await pay('wallet-a-ci', { email: undefined, omit: ['wallet_a_ci_email'] });
  expect(listener.heard[0]!.json).not.toHaveProperty('wallet_a_ci_email');
});

test('a telephone number loses the code of its own country and no other', async () => {
  await pay('wallet-a-ci', { phone: '+2250701020304' });
  expect(listener.heard[0]!.json).toMatchObject({ wallet_a_ci_phone_number: '0701020304' });
  expect(await pay('wallet-a-ci', { phone: '+221771234567' })).toMatchObject({
    is: 'refused',
    code: 'field_invalid',
  });
});

test('a card is refused unless it is switched on', async () => {
  const careful = openUpstream(listener.url);
  const verdict = await careful.upstream.payments.softpay(account, 'card', request);
  expect(verdict).toMatchObject({ is: 'refused', code: 'softpay_card_off' });
  expect(listener.heard).toEqual([]);
  await careful.upstream.close();
});

test('the answers differ, and are read all the same', async () => {
  listener.answer(
    json({
      success: true,
      message: 'go',
      url: 'https://pay.example/q',
      other_url: { wallet_app_url: 'app://a', partner_app_url: 'app://b' },
      fees: 100,
      currency: 'XOF',
      data: { Operation: 'x', TransactionID: 'T-9', details: { cid: 1 } },
    }),
  );
  expect(await pay('wallet-h-senegal')).toMatchObject({
    is: 'ok',
    value: {
      message: 'go',
      url: 'https://pay.example/q',
      links: { walletApp: 'app://a', partnerApp: 'app://b' },
      fees: 100,
      currency: 'XOF',
      transactionId: 'T-9',
      data: { Operation: 'x' },
    },
  });
});

const failures: readonly (readonly [what: string, answer: Answerer, verdict: object])[] = [
  ['a refusal', json({ success: false, message: 'Bad code' }), { is: 'refused', code: 'softpay_refused' }],
  [
    'a refusal at HTTP 422',
    json({ success: false, message: 'OTP' }, 422),
    { is: 'refused', code: 'softpay_refused' },
  ],
  [
    'a payer who was too slow',
    json({ success: false, message: 'Le délai de validation est dépassé' }),
    { is: 'unknown', code: 'payer_too_slow' },
  ],
  ['HTTP 500', json({ success: false }, 500), { is: 'unknown', code: 'server_error' }],
  ['neither yes nor no', json({ message: 'ok' }), { is: 'unknown', code: 'unreadable' }],
  ['success as a text', json({ success: 'true' }), { is: 'unknown', code: 'unreadable' }],
  ['refused keys', raw('', 403), { is: 'unknown', code: 'http_403' }],
];
test.for(failures)('%s', async ([, answer, verdict]) => {
  listener.answer(answer);
  expect(await pay('wallet-f-ci')).toMatchObject(verdict);
});

test('what a payer typed is in nothing we keep', async () => {
  listener.answer(json({ success: false, message: 'card 4000000000000002 refused', errors: { message: 'x' } }));
  const verdict = await pay('card');
  const kept = JSON.stringify([verdict, opened.exchanges]);
  for (const typed of ['4000000000000002', '987"', '654321', 'pass-1']) expect(kept).not.toContain(typed);
});

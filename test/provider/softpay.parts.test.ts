import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SoftpayMethod, SoftpayRequest } from '../../src/provider/payments/softpay-table.ts';
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

function pay(method: SoftpayMethod, changes: Partial<SoftpayRequest> = {}) {
  return opened.upstream.payments.softpay(account, method, { ...request, ...changes });
}

test('missing fields are named and nothing is sent', async () => {
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

test('a payer’s input is not stored', async () => {
  listener.answer(json({ success: false, message: 'card 4000000000000002 refused', errors: { message: 'x' } }));
  const verdict = await pay('card');
  const kept = JSON.stringify([verdict, opened.exchanges]);
  for (const typed of ['4000000000000002', '987"', '654321', 'pass-1']) expect(kept).not.toContain(typed);
});

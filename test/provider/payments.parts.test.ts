import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
const live = liveAccount();
const sandbox = liveAccount({ mode: 'test' });

beforeAll(async () => {
  listener = await listen(json({}));
  // The slash at the end must not be doubled.
  opened = openUpstream(`${listener.url}/`, { timeoutMs: 400 });
});
afterAll(async () => {
  await opened.upstream.close();
  await listener.close();
});
beforeEach(() => {
  listener.heard.length = 0;
});

const payments = () => opened.upstream.payments;
const invoice = { totalAmount: 2_500, store: { name: 'Shop' } };
const created = json({ response_code: '00', response_text: 'https://pay.example/inv-1', token: 'inv-1' });

test('an invoice is written as the interface shows it', async () => {
  listener.answer(created);
  const verdict = await payments().createInvoice(live, {
    totalAmount: 2_500,
    description: 'Shoes',
    items: [{ name: 'Shoe', quantity: 2, unitPrice: 1_000, totalPrice: '2000', description: '' }, { name: 'Box' }],
    taxes: [{ name: 'VAT', amount: 500 }],
    customer: { name: 'Awa', email: 'a@example.com' },
    channels: ['card'],
    store: { name: 'Shop', logoUrl: 'https://shop.example/l.png' },
    customData: { order: 7 },
    returnUrl: 'https://shop.example/back',
    callbackUrl: 'https://relais.example/cb',
  });
  expect(verdict).toMatchObject({ is: 'ok', value: { token: 'inv-1', url: 'https://pay.example/inv-1' } });
  expect(listener.heard[0]).toMatchObject({ method: 'POST', path: '/api/v1/checkout-invoice/create' });
  expect(listener.heard[0]!.json).toEqual({
    invoice: {
      total_amount: 2_500,
      description: 'Shoes',
      items: {
        item_0: { name: 'Shoe', quantity: 2, unit_price: '1000', total_price: '2000', description: '' },
        item_1: { name: 'Box' },
      },
      taxes: { tax_0: { name: 'VAT', amount: 500 } },
      customer: { name: 'Awa', email: 'a@example.com' },
      channels: ['card'],
    },
    store: { name: 'Shop', logo_url: 'https://shop.example/l.png' },
    custom_data: { order: 7 },
    actions: { return_url: 'https://shop.example/back', callback_url: 'https://relais.example/cb' },
  });
});

test('a test account uses the sandbox paths where there are any', async () => {
  listener.answer(created);
  await payments().createInvoice(sandbox, invoice);
  await payments().confirmInvoice(sandbox, { token: 'inv/1' });
  await payments().directCredit(sandbox, { accountAlias: 'x', amount: 1 });
  expect(listener.heard.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /sandbox-api/v1/checkout-invoice/create',
    'GET /sandbox-api/v1/checkout-invoice/confirm/inv%2F1',
    'POST /sandbox-api/v1/direct-pay/credit-account',
  ]);
});

test('a test account is refused where there is only a live path', async () => {
  const p = payments();
  const refused = [
    await p.balances(sandbox),
    await p.balance(sandbox, { accountNumber: 'B1' }),
    await p.submitDisbursement(sandbox, { token: 't', disburseId: 'i' }),
    await p.disbursementStatus(sandbox, { token: 't' }),
    await p.softpay(sandbox, 'wallet-f-ci', { token: 't', name: 'n', email: 'e', phone: '0701020304' }),
    await p.createPaymentRequest(sandbox, { amount: 200, email: 'a@b', feesPaidBy: 'customer' }),
    await p.paymentRequestStatus(sandbox, { referenceNumber: 'r' }),
  ];
  for (const one of refused) expect(one).toMatchObject({ is: 'refused', code: 'live_only' });
  expect(listener.heard).toEqual([]);
});

test('payment requests stay live only, for any setting', async () => {
  const brave = openUpstream(listener.url, { livePathsInTest: true });
  const verdict = await brave.upstream.payments.paymentRequestStatus(sandbox, { referenceNumber: 'r' });
  expect(verdict).toMatchObject({ is: 'refused', code: 'live_only' });
  await brave.upstream.close();
});

const invoices: readonly (readonly [what: string, answer: Answerer, verdict: object])[] = [
  ['a code that is not 00', json({ response_code: '9' }), { is: 'refused', code: 'unlisted_code' }],
  ['a text that is no address', json({ response_code: '00', response_text: 'ok', token: 't' }), { is: 'transient' }],
  [
    'a script for an address',
    json({ response_code: '00', response_text: 'javascript:1', token: 't' }),
    { is: 'transient' },
  ],
  ['no token', json({ response_code: '00', response_text: 'https://x.example' }), { is: 'transient' }],
  ['HTTP 500', json({ response_code: '9' }, 500), { is: 'transient', code: 'server_error' }],
  ['refused keys', json({ response_code: '1000' }), { is: 'config', code: '1000' }],
  ['silence', () => undefined, { is: 'transient', code: 'no_answer' }],
];
test.for(invoices)('creating an invoice: %s', async ([, answer, verdict]) => {
  listener.answer(answer);
  expect(await payments().createInvoice(live, invoice)).toMatchObject(verdict);
});

test('a confirmation is read with numbers as texts, without hash and card number', async () => {
  listener.answer(
    json({
      response_code: '00',
      hash: 'a'.repeat(128),
      invoice: { token: 'inv-1', total_amount: '2500.00', total_amount_without_fees: 2_400 },
      custom_data: { order: 7 },
      mode: 'LIVE',
      status: 'Canceled',
      fail_reason: 'no funds',
      errors: { message: 'm', description: 'd' },
      customer: { name: 'Awa', phone: '77' },
      receipt_url: 'https://pay.example/r.pdf',
      pan: '4000 0000 0000 1234',
    }),
  );
  const verdict = await payments().confirmInvoice(live, { token: 'inv-1' });
  expect(verdict.is === 'ok' && verdict.value).toEqual({
    status: 'cancelled',
    token: 'inv-1',
    totalAmount: 2_500,
    totalWithoutFees: 2_400,
    mode: 'live',
    customData: { order: 7 },
    customer: { name: 'Awa', phone: '77' },
    receiptUrl: 'https://pay.example/r.pdf',
    failReason: 'no funds',
    failure: { message: 'm', description: 'd' },
    panLast4: '1234',
  });
});

test.for([
  ['an address as long as those of the provider are', `https://pay.example/${'r'.repeat(780)}`, true],
  ['one that nobody would keep', `https://pay.example/${'r'.repeat(2_000)}`, false],
  ['no web address', 'javascript:alert(1)', false],
] as const)('a receipt is given whole, or not at all: %s', async ([, address, isGiven]) => {
  listener.answer(json({ response_code: '00', status: 'completed', receipt_url: address }));
  const verdict = await payments().confirmInvoice(live, { token: 'inv-1' });
  expect(verdict.is === 'ok' && verdict.value).toEqual({
    status: 'completed',
    ...(isGiven ? { receiptUrl: address } : {}),
  });
});

test('a GET has the headers and no body', async () => {
  listener.answer(json({ response_code: '00', status: 'pending' }));
  await payments().confirmInvoice(live, { token: 'inv-1' });
  const [heard] = listener.heard;
  expect(heard!.text).toBe('');
  expect(heard!.headers['content-length']).toBeUndefined();
  expect(heard!.headers).toMatchObject({ 'content-type': 'application/json', 'service-token': 'token-1' });
});

test.for([
  ['an unknown token', json({ response_code: '42' }, 404)],
  ['no status word', json({ response_code: '00' })],
  ['HTML', raw('<html>')],
] as const)('confirming: %s is not final', async ([, answer]) => {
  listener.answer(answer);
  expect((await payments().confirmInvoice(live, { token: 'inv-1' })).is).toBe('transient');
});

test('a direct credit goes out on a connection of its own', async () => {
  listener.answer(json({ response_code: '00', transaction_id: 'tx', description: 'done' }));
  const before = listener.connections();
  for (let count = 0; count < 3; count += 1) {
    const verdict = await payments().directCredit(live, { accountAlias: ' acc ', amount: 700 });
    expect(verdict).toMatchObject({ is: 'ok', value: { transactionId: 'tx', description: 'done' } });
  }
  expect(listener.connections() - before).toBe(3);
  expect(listener.heard[0]!.json).toEqual({ account_alias: 'acc', amount: 700 });
});

const credits: readonly (readonly [what: string, answer: Answerer, verdict: object])[] = [
  ['silence', () => undefined, { is: 'unknown', code: 'no_answer' }],
  ['HTTP 500', raw('', 500), { is: 'unknown', code: 'server_error' }],
  ['5000', json({ response_code: '5000' }, 400), { is: 'unknown', code: '5000' }],
  ['a code nobody listed', json({ response_code: '9' }), { is: 'unknown', code: 'unlisted_code' }],
  ['the same at HTTP 400', json({ response_code: '9' }, 400), { is: 'refused', code: 'rejected' }],
  ['an option that is not enabled', raw('<html>', 404), { is: 'config', code: 'no_such_path' }],
  ['not authorised', json({ response_code: '401' }), { is: 'config', code: '401' }],
  ['a pause', raw('', 429, { 'retry-after': '1' }), { is: 'transient', code: 'throttled' }],
];
test.for(credits)('a direct credit: %s', async ([, answer, verdict]) => {
  listener.answer(answer);
  expect(await payments().directCredit(live, { accountAlias: 'acc', amount: 700 })).toMatchObject(verdict);
});

const wanted = { amount: 200, phone: '+221 77 123 45 67', feesPaidBy: 'customer' } as const;

test('a payment request asks for a reference and sends no notice', async () => {
  listener.answer(json({ 'response-code': '00', reference_number: 'REF', url: 'https://pay.example/REF' }));
  expect(await payments().createPaymentRequest(live, wanted)).toMatchObject({
    is: 'ok',
    value: { referenceNumber: 'REF', url: 'https://pay.example/REF' },
  });
  expect(listener.heard[0]).toMatchObject({ method: 'POST', path: '/api/v1/dmp-api' });
  expect(listener.heard[0]!.json).toEqual({
    recipient_phone: '221771234567',
    amount: 200,
    support_fees: 0,
    send_notification: 0,
  });
});

test('a payment request that the provider sends has no reference', async () => {
  listener.answer(json({ success: true, message: 'sent' }));
  const verdict = await payments().createPaymentRequest(live, { ...wanted, feesPaidBy: 'merchant', notify: true });
  expect(verdict).toMatchObject({ is: 'ok', value: {} });
  expect(listener.heard[0]!.json).toMatchObject({ support_fees: 1, send_notification: 1 });
});

const requests: readonly (readonly [what: string, answer: Answerer, verdict: object])[] = [
  ['a success nobody could follow', json({ 'response-code': '00' }), { is: 'unknown', code: 'unreadable' }],
  ['missing keys', json({ 'response-code': 4000 }), { is: 'config', code: '4000' }],
  ['test mode', json({ 'response-code': '4001' }, 400), { is: 'config', code: '4001' }],
  ['invalid keys', json({ 'response-code': '1000' }), { is: 'config', code: '1000' }],
  ['the other spelling', json({ response_code: '1000' }), { is: 'config', code: '1000' }],
  ['two spellings that differ', json({ response_code: '1000', 'response-code': '00' }), { is: 'unknown' }],
  ['success against its code', json({ success: true, 'response-code': '1000' }), { is: 'unknown' }],
  ['silence', () => undefined, { is: 'unknown', code: 'no_answer' }],
];
test.for(requests)('a payment request: %s', async ([, answer, verdict]) => {
  listener.answer(answer);
  expect(await payments().createPaymentRequest(live, wanted)).toMatchObject(verdict);
});

test.for([{ amount: 199 }, { amount: 3_000_001 }, { amount: 200.5 }, { phone: '' }, { email: 'no address' }])(
  'a payment request with %j is never sent',
  async (changes) => {
    const verdict = await payments().createPaymentRequest(live, { ...wanted, ...changes });
    expect(verdict).toMatchObject({ is: 'refused', code: 'field_invalid' });
    expect(listener.heard).toEqual([]);
  },
);

test('the status of a payment request', async () => {
  listener.answer(json({ 'response-code': '00', status: 'Completed' }));
  const look = () => payments().paymentRequestStatus(live, { referenceNumber: 'REF' });
  expect(await look()).toMatchObject({ is: 'ok', value: { status: 'completed' } });
  expect(listener.heard[0]!.json).toEqual({ reference_number: 'REF' });
  listener.answer(json({ 'response-code': '4004' }));
  expect(await look()).toMatchObject({ is: 'transient', code: '4004' });
});

test('balances: an unreadable one is null, never 0', async () => {
  listener.answer(
    json({
      success: true,
      description: 'approximate',
      'Balance SN': '1 250 000.00 XOF',
      'Balance CI': '12,500.00 XOF',
      'Balance BJ': 'soon',
      'Balance TG': '0.00 XOF',
    }),
  );
  const verdict = await payments().balances(live);
  expect(verdict.is === 'ok' && verdict.value).toEqual({
    approximate: true,
    balances: { SN: 1_250_000, CI: 12_500, BJ: null, TG: 0 },
  });
  expect(listener.heard[0]).toMatchObject({ method: 'GET', path: '/api/v2/disburse/check-balance', text: '' });
});

test('one balance, by an account number that cannot leave its path', async () => {
  listener.answer(json({ success: true, 'Balance BJ': '10 XOF' }));
  expect(await payments().balance(live, { accountNumber: 'BBJ0123456789' })).toMatchObject({
    value: { balances: { BJ: 10 } },
  });
  expect(listener.heard[0]!.path).toBe('/api/v2/disburse/check-balance/BBJ0123456789');
  expect(await payments().balance(live, { accountNumber: '../submit' })).toMatchObject({ is: 'refused' });
});

test.for(['User not found', 'Account user not found'])(
  'a balance refused with "%s" is about our settings',
  async (message) => {
    listener.answer(json({ success: false, message }, 404));
    expect(await payments().balances(live)).toMatchObject({
      is: 'config',
      code: 'balance_user_not_found',
      exchange: { message },
    });
  },
);

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { confirmed, invoiceBody, invoiceToken, sandboxForTest } from './sandbox-client.ts';

describe('an invoice', () => {
  test('is created with a payment page and confirmed as it was asked for', async () => {
    const sandbox = await sandboxForTest();
    const asked = {
      invoice: {
        total_amount: 5_000,
        description: 'Riz',
        items: { item_0: { name: 'Riz', quantity: 2, unit_price: '2500', total_price: '5000', description: '' } },
        taxes: { tax_0: { name: 'TVA', amount: 0 } },
        customer: { name: 'Awa', phone: '771234567' },
        channels: ['card'],
      },
      custom_data: { order: 7 },
    };
    const { body } = await sandbox.pay('/api/v1/checkout-invoice/create', invoiceBody(asked));
    expect(body).toMatchObject({ response_code: '00', response_text: expect.stringContaining(body.token) });
    expect(await confirmed(sandbox, body.token)).toMatchObject({
      response_code: '00',
      status: 'pending',
      mode: 'live',
      hash: createHash('sha512').update('sandbox-master').digest('hex'),
      custom_data: { order: 7 },
      customer: { name: 'Awa', phone: '771234567', email: '' },
      invoice: { token: body.token, total_amount: 5_000, description: 'Riz', items: { item_0: { quantity: 2 } } },
    });
  });

  test('is cancelled 24 hours after its creation, and not a minute before', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    await sandbox.advance('1439m');
    expect((await confirmed(sandbox, token)).status).toBe('pending');
    await sandbox.advance('1m');
    expect((await confirmed(sandbox, token)).status).toBe('cancelled');
  });

  test('of test mode is not known to the live path', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox, {}, 'sandbox-api');
    expect(await confirmed(sandbox, token, 'sandbox-api')).toMatchObject({ mode: 'test', status: 'pending' });
    expect((await confirmed(sandbox, token)).response_code).toBe('4004');
  });

  test.each([
    [99_901, 'completed'],
    [99_902, 'failed'],
    [99_903, 'cancelled'],
  ])('of %i XOF ends as %s by itself', async (total_amount, status) => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox, { invoice: { total_amount } });
    await sandbox.advance('1h');
    expect((await confirmed(sandbox, token)).status).toBe(status);
  });

  test('ends as the payer decides over the control API', async () => {
    const sandbox = await sandboxForTest();
    const token = await invoiceToken(sandbox);
    await sandbox.order(`/invoices/${token}`, { status: 'failed', failReason: 'Declined' });
    expect(await confirmed(sandbox, token)).toMatchObject({
      status: 'failed',
      fail_reason: 'Declined',
      errors: { message: 'Declined' },
    });
  });

  test.each([
    ['no store', { store: undefined }],
    ['a store inside the invoice', { invoice: { total_amount: 1, store: { name: 'x' } } }],
    ['an amount written as a string', { invoice: { total_amount: '5000' } }],
    ['a unit price written as a number', { invoice: { total_amount: 1, items: { item_0: { unit_price: 1 } } } }],
    ['items in an array', { invoice: { total_amount: 1, items: [] } }],
  ])('with %s is refused and booked as a breach', async (_what, more) => {
    const sandbox = await sandboxForTest();
    const refused = await sandbox.pay('/api/v1/checkout-invoice/create', invoiceBody(more));
    expect(refused.body.response_code).not.toBe('00');
    const { breaches, invoices } = await sandbox.books();
    expect([breaches.length, invoices.length]).toEqual([1, 0]);
  });
});

describe('a direct credit', () => {
  const ask = { account_alias: '771234567', amount: 1_000 };
  const path = '/api/v1/direct-pay/credit-account';

  test('moves money every time it is asked', async () => {
    const sandbox = await sandboxForTest();
    expect((await sandbox.pay(path, ask)).body).toMatchObject({
      response_code: '00',
      transaction_id: expect.any(String),
    });
    await sandbox.pay(path, ask);
    expect((await sandbox.books()).directCredits).toHaveLength(2);
  });

  test('of half a franc leaves a balance that can be shown, set and sent from', async () => {
    const sandbox = await sandboxForTest({ settings: { balances: { SN: 1_000_000 }, balanceFormat: 'spaces' } });
    await sandbox.pay(path, { ...ask, amount: 10.5 });
    expect((await sandbox.look('/api/v2/disburse/check-balance')).body['Balance SN']).toBe('999 989.50 XOF');
    const { status, body } = await sandbox.order('/settings', { smsBalance: 1 });
    expect([status, body.smsBalance, body.balances.SN]).toEqual([200, 1, 999_989.5]);
  });

  test.each([
    [{ directCreditEnabled: false }, '401'],
    [{ balances: { SN: 999 } }, '4002'],
  ])('is refused under %o with %s', async (settings, code) => {
    const sandbox = await sandboxForTest({ settings });
    expect((await sandbox.pay(path, ask)).body.response_code).toBe(code);
    expect((await sandbox.books()).directCredits).toEqual([]);
  });
});

describe('a payment request', () => {
  const ask = { recipient_phone: '771234567', amount: 500, support_fees: 0, send_notification: 0 };

  test('is created with a reference, and its status is known by it', async () => {
    const sandbox = await sandboxForTest();
    const { body } = await sandbox.pay('/api/v1/dmp-api', ask);
    expect(body).toMatchObject({ 'response-code': '00', url: expect.stringContaining(body.reference_number) });
    const status = async () =>
      (await sandbox.pay('/api/v1/dmp-api/check-status', { reference_number: body.reference_number })).body;
    expect(await status()).toEqual({ 'response-code': '00', status: 'pending' });
    await sandbox.order(`/payment-requests/${body.reference_number}`, { status: 'completed' });
    expect((await status()).status).toBe('completed');
  });

  test('with a notification answers without a reference', async () => {
    const sandbox = await sandboxForTest();
    const { body } = await sandbox.pay('/api/v1/dmp-api', { ...ask, send_notification: 1 });
    expect(body).toEqual({ success: true, message: expect.any(String) });
    await sandbox.order('/settings', { notifiedAnswer: 'code' });
    const other = await sandbox.pay('/api/v1/dmp-api', { ...ask, send_notification: 1 });
    expect(Object.keys(other.body)).toEqual(['response-code', 'message', 'description']);
  });

  test.each([[{ amount: 199 }], [{ amount: 3_000_001 }], [{ recipient_phone: undefined }], [{ support_fees: true }]])(
    'is refused with %o',
    async (more) => {
      const sandbox = await sandboxForTest();
      expect((await sandbox.pay('/api/v1/dmp-api', { ...ask, ...more })).body['response-code']).toBe('4000');
    },
  );

  test.each([200, 3_000_000])('of %i is within its bounds', async (amount) => {
    const sandbox = await sandboxForTest();
    expect((await sandbox.pay('/api/v1/dmp-api', { ...ask, amount })).body['response-code']).toBe('00');
  });

  test('that was never issued is 4004, wrong keys are 1000, missing keys 4000, test mode 4001', async () => {
    const sandbox = await sandboxForTest();
    const path = '/api/v1/dmp-api/check-status';
    const code = async (headers: Record<string, string> = {}) =>
      (await sandbox.pay(path, { reference_number: 'x' }, headers)).body['response-code'];
    expect(await code()).toBe('4004');
    expect(await code({ 'service-token': 'wrong' })).toBe('1000');
    expect(await code({ 'service-token': '' })).toBe('4000');
    await sandbox.order('/settings', { keyMode: 'test' });
    expect(await code()).toBe('4001');
  });
});

describe('balances', () => {
  test('are written with two decimals and their currency, one line per country', async () => {
    const sandbox = await sandboxForTest({ settings: { balances: { SN: 1_250_000 }, balanceFormat: 'spaces' } });
    const { body } = await sandbox.look('/api/v2/disburse/check-balance');
    expect(body).toMatchObject({ success: true, 'Balance SN': '1 250 000.00 XOF' });
    expect(Object.keys(body).filter((key) => key.startsWith('Balance '))).toHaveLength(6);
  });

  test('of one account hold only its country', async () => {
    const sandbox = await sandboxForTest();
    const { body } = await sandbox.look('/api/v2/disburse/check-balance/BBJ0000000002');
    expect(Object.keys(body)).toEqual(['success', 'description', 'Balance CI']);
    const unknown = await sandbox.look('/api/v2/disburse/check-balance/constructor');
    expect(unknown.body).toEqual({ success: false, message: 'Account user not found' });
  });
});

test('errors whose HTTP status is not documented can carry a meaningful one', async () => {
  const sandbox = await sandboxForTest({ settings: { errorStatus: '4xx' } });
  expect((await sandbox.look('/api/v2/disburse/check-balance/x')).status).toBe(404);
  expect((await sandbox.pay('/api/v1/dmp-api/check-status', { reference_number: 'x' })).status).toBe(404);
});

describe('admission', () => {
  const path = '/api/v2/disburse/check-status';
  const ask = { disburse_invoice: 'x' };

  test.each([
    ['another content type', { 'content-type': 'text/plain' }, 415],
    ['a missing key', { 'service-token': '' }, 200],
  ])('refuses %s and records a breach', async (_what, headers, status) => {
    const sandbox = await sandboxForTest();
    const refused = await sandbox.pay(path, ask, headers);
    expect(refused.status).toBe(status);
    expect(refused.body.response_code).not.toBe('00');
    expect((await sandbox.books()).breaches).toHaveLength(1);
  });

  test('refuses a wrong key, which is a matter of configuration and no breach', async () => {
    const sandbox = await sandboxForTest();
    expect((await sandbox.pay(path, ask, { 'service-private-key': 'wrong' })).body.response_code).toBe('401');
    expect((await sandbox.look('/api/v2/disburse/check-balance')).body.success).toBe(true);
    expect((await sandbox.books()).breaches).toEqual([]);
  });

  test('refuses another method, another path and another Accept header', async () => {
    const sandbox = await sandboxForTest();
    expect((await sandbox.look(path)).status).toBe(405);
    expect((await sandbox.pay('/api/v3/disburse', ask)).status).toBe(404);
    const login = await fetch(`${sandbox.crm}/api/v1/auth/login`, { method: 'POST', body: '{}' });
    expect(await login.json()).toMatchObject({ code: 'ERROR_104' });
    expect((await sandbox.books()).breaches).toHaveLength(3);
  });

  test('opens the paths of the mode the keys belong to', async () => {
    const sandbox = await sandboxForTest({ settings: { keyMode: 'test' } });
    expect(await invoiceToken(sandbox, {}, 'sandbox-api')).toEqual(expect.any(String));
    expect((await sandbox.pay('/api/v1/checkout-invoice/create', invoiceBody())).body.response_code).toBe('401');
  });

  test('records a body that is no JSON', async () => {
    const sandbox = await sandboxForTest();
    const headers = { 'content-type': 'application/json', 'service-master-key': 'sandbox-master' };
    const keys = { ...headers, 'service-private-key': 'sandbox-private', 'service-token': 'sandbox-token' };
    const answer = await fetch(`${sandbox.base}${path}`, { method: 'POST', headers: keys, body: '{"a":' });
    expect(answer.status).toBe(400);
    expect((await sandbox.books()).breaches[0].what).toBe('the body is not JSON');
  });
});

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
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
  listener = await listen(json({}));
  opened = openUpstream(listener.url, { timeoutMs: 400 });
});
afterAll(async () => {
  await opened.upstream.close();
  await listener.close();
});
beforeEach(() => {
  listener.heard.length = 0;
  opened.exchanges.length = 0;
});

const wanted = {
  accountAlias: '771234567',
  amount: 5_000,
  callbackUrl: 'https://relais.example/callbacks/1',
  withdrawMode: 'wallet-a-senegal',
};

function create(changes: object = {}) {
  return opened.upstream.payments.createDisbursement(account, { ...wanted, ...changes });
}

function submit() {
  return opened.upstream.payments.submitDisbursement(account, { token: 'tok-1', disburseId: 'id-1' });
}

function status() {
  return opened.upstream.payments.disbursementStatus(account, { token: 'tok-1' });
}

test('create sends exactly the fields and headers of the interface', async () => {
  listener.answer(json({ response_code: '00', disburse_token: ' tok-1 ' }));
  expect(await create()).toMatchObject({ is: 'ok', value: { token: 'tok-1' } });
  const [heard] = listener.heard;
  expect(heard).toMatchObject({ method: 'POST', path: '/api/v2/disburse/get-invoice' });
  expect(heard!.json).toEqual({
    account_alias: '771234567',
    amount: 5_000,
    callback_url: 'https://relais.example/callbacks/1',
    withdraw_mode: 'wallet-a-senegal',
  });
  expect(heard!.rawHeaders).toEqual(
    expect.arrayContaining(['SERVICE-MASTER-KEY', 'master-key-1', 'SERVICE-PRIVATE-KEY', 'SERVICE-TOKEN', 'token-1']),
  );
  expect(heard!.headers['content-type']).toBe('application/json');
});

test('the prefix of the headers is the account’s', async () => {
  listener.answer(json({ response_code: '00', disburse_token: 'tok-1' }));
  await opened.upstream.payments.createDisbursement({ ...account, headerPrefix: 'ACME' }, wanted);
  expect(listener.heard[0]!.rawHeaders).toContain('ACME-MASTER-KEY');
});

test('a debit account goes with service only', async () => {
  listener.answer(json({ response_code: '00', disburse_token: 'tok-1' }));
  await create({ withdrawMode: 'service', debitAccountNumber: 'BBJ0123456789' });
  expect(listener.heard[0]!.json).toMatchObject({ debit_account_number: 'BBJ0123456789' });
  expect(await create({ debitAccountNumber: 'BBJ0123456789' })).toMatchObject({
    is: 'refused',
    code: 'field_invalid',
  });
  expect(listener.heard).toHaveLength(1);
});

const creations: readonly (readonly [what: string, answer: Answerer, verdict: object])[] = [
  [
    'an unsupported mode',
    json({ response_code: '1001', response_text: 'mode' }, 400),
    { is: 'refused', code: '1001' },
  ],
  ['an initiation that is not authorised', json({ response_code: '401' }), { is: 'config', code: '401' }],
  [
    'insufficient funds',
    json({ response_code: '4002', response_text: 'Solde insuffisant' }),
    { is: 'held', condition: 'funds' },
  ],
  [
    'an unreachable callback',
    json({ response_code: 4002, response_text: 'The callback URL is not reachable' }),
    { is: 'held', condition: 'callback_unreachable' },
  ],
  [
    'insufficient funds, told in the description',
    json({ response_code: '4002', response_text: 'Refused', description: 'Insufficient funds' }),
    { is: 'held', condition: 'funds' },
  ],
  ['4002 without a text', json({ response_code: '4002' }), { is: 'held', condition: 'funds_or_callback' }],
  [
    '4002 that names both causes',
    json({ response_code: '4002', response_text: 'insufficient funds or callback not reachable' }),
    { is: 'held', condition: 'funds_or_callback' },
  ],
  [
    'a server error',
    json({ response_code: '5000', response_text: 'Server error' }),
    { is: 'transient', code: '5000' },
  ],
  [
    'maintenance',
    json({ response_code: '5000', response_text: 'maintenance' }, 400),
    { is: 'transient', code: '5000' },
  ],
  [
    'a used disburse_id',
    json({ response_code: '5000', response_text: 'disburse_id déjà utilisé' }),
    { is: 'unknown', code: 'disburse_id_used' },
  ],
  [
    'a used disburse_id at HTTP 500',
    json({ response_code: '5000', response_text: 'This id already exists' }, 500),
    { is: 'unknown', code: 'disburse_id_used' },
  ],
  ['another code', json({ response_code: '7777', response_text: 'no' }), { is: 'refused', code: 'unlisted_code' }],
  ['the number 0, which is not 00', json({ response_code: 0 }), { is: 'refused', code: 'unlisted_code' }],
  ['a success without a token', json({ response_code: '00' }), { is: 'transient', code: 'unreadable' }],
  [
    'a token of the wrong type',
    json({ response_code: '00', disburse_token: 7 }),
    { is: 'transient', code: 'unreadable' },
  ],
  ['an HTML page', raw('<html>502</html>', 502), { is: 'transient', code: 'server_error' }],
  [
    'two response codes',
    raw('{"response_code":"401","response_code":"00","disburse_token":"t"}'),
    { is: 'transient', code: 'unreadable' },
  ],
  ['real HTTP 401', raw('', 401), { is: 'config', code: 'http_401' }],
  ['a pause', json({}, 429, { 'retry-after': '7' }), { is: 'transient', code: 'throttled', retryAfterMs: 7_000 }],
  ['a pause with a fraction', json({}, 429, { 'retry-after': '30.5' }), { code: 'throttled', retryAfterMs: 31_000 }],
  ['a pause nobody can read', json({}, 429, { 'retry-after': 'soon' }), { code: 'throttled', retryAfterMs: 10_000 }],
];
test.for(creations)('creating: %s', async ([, answer, verdict]) => {
  listener.answer(answer);
  expect(await create()).toMatchObject(verdict);
});

test.for([
  'utilisateur inexistant',
  'Cet utilisateur existe, mais son compte est fermé',
  'Erreur: disburse_id manquant',
  'The beneficiary has already a pending case',
  'réutilisable',
])('creating: 5000 with "%s" is not about a used id', async (text) => {
  listener.answer(json({ response_code: '5000', response_text: text }));
  const verdict = await create();
  expect([verdict.is, verdict.exchange.code]).toEqual(['transient', '5000']);
});

test.for([
  'disburse_id already used',
  'disburse_id déjà utilisé',
  'Disburse ID has already been used',
  'Cet identifiant existe déjà',
  'This token was already submitted',
  'The disburse_id must be unique',
  'Duplicate disburse_id',
  'disburse_id de\u0301ja\u0300 utilise\u0301',
])('creating: 5000 with "%s" is about a used id', async (text) => {
  listener.answer(json({ response_code: '5000', response_text: text }));
  const verdict = await create();
  expect([verdict.is, verdict.exchange.code]).toEqual(['unknown', 'disburse_id_used']);
});

test('a similar mode is refused like by the provider, with the right one named', async () => {
  expect(await create({ withdrawMode: 'wallet-f-burkina' })).toMatchObject({
    is: 'refused',
    code: '1001',
    exchange: { sent: 'never', message: expect.stringContaining('wallet-f-burkina-faso') },
  });
  expect(listener.heard).toEqual([]);
});

test('a mode that the provider added since can be configured', async () => {
  const newer = openUpstream(listener.url, { extraWithdrawModes: ['wallet-h-senegal'] });
  listener.answer(json({ response_code: '00', disburse_token: 't' }));
  const verdict = await newer.upstream.payments.createDisbursement(account, {
    ...wanted,
    withdrawMode: 'wallet-h-senegal',
  });
  expect(verdict.is).toBe('ok');
  await newer.upstream.close();
});

test('submit sends token and id on a connection of its own', async () => {
  listener.answer(json({ response_code: '00', status: 'Pending', transaction_id: 'tx', provider_ref: 12 }));
  const before = listener.connections();
  for (let count = 0; count < 3; count += 1) {
    expect(await submit()).toMatchObject({
      is: 'ok',
      value: { status: 'pending', transactionId: 'tx', providerRef: '12' },
      exchange: { operation: 'disbursement_submit', sent: 'answered', httpStatus: 200, code: 'ok' },
    });
  }
  expect(listener.connections() - before).toBe(3);
  expect(listener.heard[0]).toMatchObject({ path: '/api/v2/disburse/submit-invoice' });
  expect(listener.heard[0]!.json).toEqual({ disburse_invoice: 'tok-1', disburse_id: 'id-1' });
});

const submissions: readonly (readonly [what: string, answer: Answerer, code: string])[] = [
  ['1001', json({ response_code: '1001' }, 400), '1001'],
  ['401', json({ response_code: '401' }), '401'],
  ['4002', json({ response_code: '4002', response_text: 'insufficient funds' }), '4002'],
  ['5000', json({ response_code: '5000' }), '5000'],
  [
    '5000 about a used id',
    json({ response_code: '5000', response_text: 'disburse_id already used' }),
    'disburse_id_used',
  ],
  ['another code', json({ response_code: '9' }), 'unlisted_code'],
  ['another code at HTTP 422', json({ response_code: '9' }, 422), 'rejected'],
  ['00 at HTTP 500', json({ response_code: '00' }, 500), 'unreadable'],
  ['no code', json({ status: 'success' }), 'unreadable'],
  ['a list', json([{ response_code: '00' }]), 'unreadable'],
  ['HTTP 401', raw('', 401), 'http_401'],
  ['HTTP 404', raw('<html>', 404), 'unreadable'],
  ['HTTP 408', raw('', 408), 'no_answer'],
  ['HTTP 429 without a pause', raw('', 429), 'throttled_silently'],
  ['00 under a pause', json({ response_code: '00' }, 429, { 'retry-after': '1' }), 'unreadable'],
  ['a redirect', raw('', 302, { location: '/' }), 'redirected'],
  ['HTTP 502 with HTML', raw('<html>', 502), 'server_error'],
  ['an empty answer', raw(''), 'unreadable'],
  ['silence', () => undefined, 'no_answer'],
  ['a cut connection', (_heard, response) => response.destroy() as never, 'cut'],
];
test.for(submissions)('submitting: %s is unknown', async ([, answer, code]) => {
  listener.answer(answer);
  expect(await submit()).toMatchObject({ is: 'unknown', code });
});

test('submitting: too fast, with a pause named, was not done', async () => {
  listener.answer(json({}, 429, { 'retry-after': '3' }));
  expect(await submit()).toMatchObject({ is: 'transient', code: 'throttled', retryAfterMs: 3_000 });
});

test('submitting without a listener was never sent', async () => {
  const nobody = await listen(json({}));
  await nobody.close();
  const { upstream } = openUpstream(nobody.url);
  const verdict = await upstream.payments.submitDisbursement(account, { token: 't', disburseId: 'i' });
  expect(verdict).toMatchObject({ is: 'transient', code: 'unreachable', exchange: { sent: 'never' } });
  await upstream.close();
});

test('the status is read whole', async () => {
  listener.answer(
    json({
      response_code: '00',
      status: ' SUCCESS ',
      token: ' tok-1',
      withdraw_mode: 'wallet-a-senegal',
      amount: '5000.00',
      updated_at: '11/01/2024 14:30:32',
      disburse_id: 'id-1',
      transaction_id: 'tx',
      disburse_tx_id: 'dtx',
    }),
  );
  expect(await status()).toMatchObject({
    is: 'ok',
    value: {
      status: 'success',
      token: 'tok-1',
      amount: 5_000,
      amountRaw: '5000.00',
      disburseId: 'id-1',
      withdrawMode: 'wallet-a-senegal',
      transactionId: 'tx',
      disburseTxId: 'dtx',
    },
  });
});

test('an amount with a part of a franc stays raw', async () => {
  listener.answer(json({ response_code: '00', status: 'success', amount: '5000.50' }));
  const verdict = await status();
  expect(verdict).toMatchObject({ is: 'ok', value: { amountRaw: '5000.50' } });
  expect(verdict.is === 'ok' && 'amount' in verdict.value).toBe(false);
});

const looks: readonly (readonly [what: string, answer: Answerer, is: string])[] = [
  ['another code', json({ response_code: '7' }), 'transient'],
  ['another code at HTTP 404', json({ response_code: '7' }, 404), 'transient'],
  ['1001', json({ response_code: '1001' }, 400), 'transient'],
  ['5000', json({ response_code: '5000' }), 'transient'],
  ['no status word', json({ response_code: '00' }), 'transient'],
  ['silence', () => undefined, 'transient'],
  ['our keys refused', json({ response_code: '401' }), 'config'],
];
test.for(looks)('checking: %s is no information about the disbursement', async ([, answer, is]) => {
  listener.answer(answer);
  expect((await status()).is).toBe(is);
});

test('the evidence has neither keys nor whole numbers, and is short', async () => {
  listener.answer(
    json({ response_code: '7', response_text: `key master-key-1 of +221771234567 \n ${'long '.repeat(100)}` }),
  );
  await create();
  const [exchange] = opened.exchanges;
  expect(exchange!.message).not.toContain('master-key-1');
  expect(exchange!.message).not.toContain('1234567');
  expect(exchange!.message!.length).toBeLessThanOrEqual(200);
  expect(exchange).toMatchObject({ account: 'main', code: 'unlisted_code', upstreamCode: '7', sent: 'answered' });
  expect(exchange!.durationMs).toBeGreaterThan(0);
});

test.for([
  ['masterKey', 'missing_master_key'],
  ['privateKey', 'missing_private_key'],
  ['token', 'missing_token'],
] as const)('without %s nothing is asked', async ([key, code]) => {
  const verdict = await opened.upstream.payments.createDisbursement({ ...account, [key]: undefined }, wanted);
  expect(verdict).toMatchObject({ is: 'config', code, exchange: { sent: 'never' } });
  expect(listener.heard).toEqual([]);
});

test('in test mode a disbursement is refused unless live paths are allowed', async () => {
  const sandbox = liveAccount({ mode: 'test' });
  expect(await opened.upstream.payments.createDisbursement(sandbox, wanted)).toMatchObject({
    is: 'refused',
    code: 'live_only',
  });
  expect(listener.heard).toEqual([]);
  listener.answer(json({ response_code: '00', disburse_token: 't' }));
  const brave = openUpstream(listener.url, { livePathsInTest: true });
  expect((await brave.upstream.payments.createDisbursement(sandbox, wanted)).is).toBe('ok');
  expect(listener.heard[0]!.path).toBe('/api/v2/disburse/get-invoice');
  await brave.upstream.close();
});

test.for([0, -1, 1.5, Number.NaN, 2 ** 53])('an amount of %d is never sent', async (amount) => {
  expect(await create({ amount })).toMatchObject({ is: 'refused', code: 'field_invalid' });
  expect(listener.heard).toEqual([]);
});

test('a key that cannot be written in a header is never sent nor shown', async () => {
  const verdict = await opened.upstream.payments.submitDisbursement(
    { ...account, token: new Secret('bad\nkey') },
    { token: 't', disburseId: 'i' },
  );
  expect(verdict).toMatchObject({ is: 'config', code: 'request_invalid', exchange: { sent: 'never' } });
  expect(JSON.stringify(verdict)).not.toContain('key"');
});

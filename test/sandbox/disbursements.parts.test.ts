import { describe, expect, test } from 'vitest';
import { createdToken, disbursement, receiverForTest, sandboxForTest, statusOf, submit } from './sandbox-client.ts';

const CREATE = '/api/v2/disburse/get-invoice';

describe('a disbursement', () => {
  test('is created, pending, then success, and money left once', async () => {
    const sandbox = await sandboxForTest();
    const token = await createdToken(sandbox);
    expect((await statusOf(sandbox, token)).body).toMatchObject({ response_code: '00', status: 'created', token });

    const submitted = await submit(sandbox, token, 'id-1');
    expect(submitted.body).toMatchObject({ response_code: '00', status: 'pending' });
    expect(submitted.body).not.toHaveProperty('provider_ref');
    expect((await statusOf(sandbox, token)).body.status).toBe('pending');

    await sandbox.advance('1h');
    const { body } = await statusOf(sandbox, token);
    expect(body).toMatchObject({ status: 'success', amount: '5000.00', disburse_id: 'id-1' });
    expect(body.updated_at).toMatch(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/);
    expect((await sandbox.books()).disbursements).toMatchObject([
      { token, submits: 1, effects: 1, status: 'success' },
    ]);
  });

  test('is not paid by being created', async () => {
    const sandbox = await sandboxForTest();
    await createdToken(sandbox);
    await sandbox.advance('48h');
    expect((await sandbox.books()).disbursements).toMatchObject([{ submits: 0, effects: 0 }]);
  });

  test('takes its money from the balance of its country, and gives it back when it fails', async () => {
    const sandbox = await sandboxForTest({ settings: { balances: { TG: 7_000 } } });
    const togo = async () => (await sandbox.look('/api/v2/disburse/check-balance')).body['Balance TG'];
    const alias = { withdraw_mode: 'wallet-g-togo', account_alias: '909999901' };
    const token = await createdToken(sandbox, alias);
    await submit(sandbox, token);
    expect(await togo()).toBe('2000.00 XOF');
    await sandbox.advance('1h');
    expect((await statusOf(sandbox, token)).body.status).toBe('failed');
    expect(await togo()).toBe('7000.00 XOF');
    expect((await sandbox.books()).disbursements).toMatchObject([{ effects: 0 }]);
  });
});

test('the operator has no verdict on a disbursement that was not submitted, and may change the one it gave', async () => {
  const sandbox = await sandboxForTest({ settings: { balances: { SN: 7_000 } } });
  const balance = async () => (await sandbox.look('/api/v2/disburse/check-balance')).body['Balance SN'];
  const token = await createdToken(sandbox, { account_alias: '779999902' });
  expect((await sandbox.order(`/disbursements/${token}`, { status: 'failed' })).status).toBe(409);
  await submit(sandbox, token);
  await sandbox.order(`/disbursements/${token}`, { status: 'failed' });
  expect(await balance()).toBe('7000.00 XOF');
  await sandbox.order(`/disbursements/${token}`, { status: 'success' });
  expect(await balance()).toBe('2000.00 XOF');
});

describe('money moves once for each verdict', () => {
  const START = 20_000;
  /** The remaining balance, and how often money left, after the operator's decisions and all events. */
  async function afterVerdicts(ending: string, verdicts: readonly string[], submits = 1) {
    const settings = { balances: { SN: START }, tokenSingleUse: submits === 1 };
    const sandbox = await sandboxForTest({ settings });
    const token = await createdToken(sandbox, { account_alias: `77${ending}` });
    for (let times = 0; times < submits; times += 1) await submit(sandbox, token);
    for (const status of verdicts) await sandbox.order(`/disbursements/${token}`, { status });
    await sandbox.advance('3h');
    const [{ effects, status }] = (await sandbox.books()).disbursements;
    const { balances } = (await sandbox.order('/settings', undefined, 'GET')).body;
    return { effects, status, moved: balances.SN - START };
  }

  test.each([
    ['a success that came before its time', '1234567', ['success'], { effects: 1, status: 'success', moved: -5_000 }],
    ['a failure that came before its time', '9999901', ['failed'], { effects: 0, status: 'failed', moved: 0 }],
    ['a failure where a success was to come', '1234567', ['failed'], { effects: 0, status: 'failed', moved: 0 }],
    [
      'a success that fails and is reversed',
      '9999902',
      ['success', 'failed', 'reversed'],
      { effects: 1, status: 'reversed', moved: 0 },
    ],
    [
      'a reversal that came before its time',
      '9999911',
      ['success', 'reversed'],
      { effects: 1, status: 'reversed', moved: 0 },
    ],
    ['a reversal of what failed', '9999911', ['failed'], { effects: 0, status: 'failed', moved: 0 }],
  ])('%s', async (_what, ending, verdicts, expected) => {
    expect(await afterVerdicts(ending, verdicts)).toEqual(expected);
  });

  test('two submits before the first is decided, of a token that is not single-use: twice', async () => {
    expect(await afterVerdicts('1234567', [], 2)).toEqual({ effects: 2, status: 'success', moved: -10_000 });
    expect(await afterVerdicts('9999901', [], 2)).toEqual({ effects: 0, status: 'failed', moved: 0 });
  });
});

describe('get-invoice refuses', () => {
  test.each([
    ['an unsupported withdraw_mode', { withdraw_mode: 'wallet-z-senegal' }, 400, '1001'],
    ['a mode named like a property of every object', { withdraw_mode: 'constructor' }, 400, '1001'],
    ['a decimal amount', { amount: 10.5 }, 400, '1001'],
    ['an amount written as a string', { amount: '5000' }, 400, '1001'],
    ['a field the page does not name', { disburse_id: 'x' }, 400, '1001'],
    ['a callback_url that is none', { callback_url: 'not a url' }, 200, '401'],
    ['a debit account of another form', { withdraw_mode: 'service', debit_account_number: '1' }, 400, '1001'],
  ])('%s, and records a breach', async (_what, more, status, code) => {
    const sandbox = await sandboxForTest();
    const refused = await sandbox.pay(CREATE, disbursement(more));
    expect([refused.status, refused.body.response_code]).toEqual([status, code]);
    const { breaches, disbursements } = await sandbox.books();
    expect(breaches).toHaveLength(1);
    expect(disbursements).toEqual([]);
  });

  test.each([
    ['9999903', 200, '4002', /funds/],
    ['9999904', 200, '4002', /callback/],
    ['9999905', 200, '401', /authorized/],
    ['9999906', 400, '5000', /maintenance/],
    ['9999907', 200, '5000', /error/],
  ])('the number that ends in %s, without a breach', async (ending, status, code, text) => {
    const sandbox = await sandboxForTest();
    const refused = await sandbox.pay(CREATE, disbursement({ account_alias: `77${ending}` }));
    expect([refused.status, refused.body.response_code]).toEqual([status, code]);
    expect(refused.body.response_text).toMatch(text);
    expect((await sandbox.books()).breaches).toEqual([]);
  });

  test('an amount above the balance', async () => {
    const sandbox = await sandboxForTest({ settings: { balances: { SN: 4_999 } } });
    expect((await sandbox.pay(CREATE, disbursement())).body.response_code).toBe('4002');
  });

  test('an application for which the option is off', async () => {
    const sandbox = await sandboxForTest({ settings: { disbursementEnabled: false } });
    expect((await sandbox.pay(CREATE, disbursement())).body.response_code).toBe('401');
  });

  test('a callback URL that does not answer, when it probes', async () => {
    const sandbox = await sandboxForTest({ settings: { probeCallbackUrl: true } });
    expect((await sandbox.pay(CREATE, disbursement())).body.response_code).toBe('4002');
    const receiver = await receiverForTest();
    expect((await sandbox.pay(CREATE, disbursement({ callback_url: receiver.url }))).body.response_code).toBe('00');
    expect((await receiver.next()).method).toBe('GET');
  });
});

describe('a second submit', () => {
  const twice = async (settings: object, ids: readonly [string | undefined, string | undefined]) => {
    const sandbox = await sandboxForTest({ settings });
    const token = await createdToken(sandbox);
    await submit(sandbox, token, ids[0]);
    const second = await submit(sandbox, token, ids[1]);
    await sandbox.advance('2h');
    const [booked] = (await sandbox.books()).disbursements;
    return { code: second.body.response_code, effects: booked.effects, submits: booked.submits };
  };

  test('is refused while tokens are single-use', async () => {
    expect(await twice({}, ['a', 'b'])).toEqual({ code: '5000', effects: 1, submits: 2 });
  });
  test('is refused by its disburse_id alone', async () => {
    expect(await twice({ tokenSingleUse: false }, ['a', 'a'])).toEqual({ code: '5000', effects: 1, submits: 2 });
  });
  test('repeats the status if so configured', async () => {
    const settings = { repeatedSubmit: 'repeats', disburseIdUnique: false };
    expect(await twice(settings, ['a', 'a'])).toEqual({ code: '00', effects: 1, submits: 2 });
  });
  test('pays twice when neither the token nor the id is a barrier', async () => {
    const settings = { tokenSingleUse: false, disburseIdUnique: false };
    expect(await twice(settings, ['a', 'a'])).toEqual({ code: '00', effects: 2, submits: 2 });
  });
  test('pays twice under another id when only ids are a barrier', async () => {
    expect(await twice({ tokenSingleUse: false }, ['a', 'b'])).toEqual({ code: '00', effects: 2, submits: 2 });
  });
});

test('a disburse_id is refused for another token too', async () => {
  const sandbox = await sandboxForTest();
  const [first, second] = [await createdToken(sandbox), await createdToken(sandbox)];
  await submit(sandbox, first, 'same');
  expect((await submit(sandbox, second, 'same')).body.response_code).toBe('5000');
  expect((await statusOf(sandbox, second)).body.status).toBe('created');
});

test.each([
  [true, '5000'],
  [false, '00'],
])('lostSubmitSpendsId %s: the retry of a submit without effect gets %s', async (lostSubmitSpendsId, code) => {
  const sandbox = await sandboxForTest({ settings: { lostSubmitSpendsId } });
  const token = await createdToken(sandbox);
  await sandbox.fault({ fault: 'answers 5000 before doing the work', operation: 'disbursement.submit', count: 1 });
  expect((await submit(sandbox, token, 'a')).body.response_code).toBe('5000');
  expect((await statusOf(sandbox, token)).body.status).toBe('created');
  expect((await submit(sandbox, token, 'a')).body.response_code).toBe(code);
});

describe('the answer to a good submit', () => {
  test.each([
    ['bare', {}, undefined],
    ['success', {}, 'success'],
    ['pending', { account_alias: '779999909' }, 'failed'],
    ['pending', { account_alias: '779999910' }, 'success'],
  ] as const)('setting %s, %o: status %s', async (submitAnswer, more, status) => {
    const sandbox = await sandboxForTest({ settings: { submitAnswer } });
    const { body } = await submit(sandbox, await createdToken(sandbox, more));
    expect(body.response_code).toBe('00');
    expect(body.status).toBe(status);
    expect(body.provider_ref).toEqual(expect.any(String));
  });

  test('has no provider_ref from account to account', async () => {
    const sandbox = await sandboxForTest({ settings: { submitAnswer: 'bare' } });
    const { body } = await submit(sandbox, await createdToken(sandbox, { withdraw_mode: 'service' }));
    expect(body).not.toHaveProperty('provider_ref');
  });

  test('can be 5000 although the money leaves', async () => {
    const sandbox = await sandboxForTest();
    const token = await createdToken(sandbox, { account_alias: '779999912' });
    expect((await submit(sandbox, token)).body.response_code).toBe('5000');
    await sandbox.advance('1h');
    expect((await sandbox.books()).disbursements).toMatchObject([{ effects: 1, status: 'success' }]);
  });
});

describe('check-status', () => {
  test('shows the old status while it lags', async () => {
    const sandbox = await sandboxForTest({ settings: { statusLagMs: 60_000 } });
    const token = await createdToken(sandbox);
    await submit(sandbox, token);
    expect((await statusOf(sandbox, token)).body.status).toBe('created');
    await sandbox.advance('1m');
    expect((await statusOf(sandbox, token)).body.status).toBe('pending');
  });

  test('refuses an unknown token, and one that is too old', async () => {
    const sandbox = await sandboxForTest({ settings: { disburseTokenLifetimeMs: 1_000, notFoundCode: '9' } });
    expect((await statusOf(sandbox, 'nonsense')).body.response_code).toBe('9');
    const token = await createdToken(sandbox);
    await sandbox.advance('2s');
    expect((await statusOf(sandbox, token)).body.response_code).toBe('9');
  });

  test('writes its date in the configured order', async () => {
    const sandbox = await sandboxForTest();
    const token = await createdToken(sandbox);
    const [day, month] = (await statusOf(sandbox, token)).body.updated_at.split('/');
    await sandbox.order('/settings', { dateOrder: 'mdy' });
    expect((await statusOf(sandbox, token)).body.updated_at).toMatch(new RegExp(`^${month}/${day}/`));
  });

  test('shows a success that was reversed', async () => {
    const sandbox = await sandboxForTest();
    const token = await createdToken(sandbox, { account_alias: '779999911' });
    await submit(sandbox, token);
    await sandbox.advance('1h');
    expect((await statusOf(sandbox, token)).body.status).toBe('success');
    await sandbox.advance('1h');
    expect((await statusOf(sandbox, token)).body.status).toBe('failed');
  });

  test('waits for the control API where the disbursement stays pending', async () => {
    const sandbox = await sandboxForTest();
    const token = await createdToken(sandbox, { account_alias: '779999902' });
    await submit(sandbox, token);
    await sandbox.advance('72h');
    expect((await statusOf(sandbox, token)).body.status).toBe('pending');
    expect((await sandbox.order(`/disbursements/${token}`, { status: 'success' })).status).toBe(204);
    expect((await sandbox.order(`/disbursements/${token}`, { status: 'success' })).status).toBe(409);
    expect((await sandbox.books()).disbursements).toMatchObject([{ effects: 1 }]);
    expect((await statusOf(sandbox, token)).body.status).toBe('success');
  });
});

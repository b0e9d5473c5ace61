import { describe, expect, test } from 'vitest';
import { type Loose, sandboxForTest, sendRequest, smsItem, smsToken } from './sandbox-client.ts';

const SEND = '/api/v1/sms/send';
const LOGIN = '/api/v1/auth/login';
const STATS = '/api/v1/sms/stats';
const ACCEPT = 'application/vnd.apisms.v1+json';
const KEYS = { user_key: 'sandbox-user', secret_key: 'sandbox-secret' };

const statsRequest = (numbers: readonly string[], more: object = {}) => ({
  sms_sent: {
    type: 'application',
    app_key: 'sandbox-app',
    filters: { receiver_address: numbers.map((value) => ({ value })), start_date: '', end_date: '', ...more },
  },
});

describe('the login', () => {
  const bodies = {
    json: [JSON.stringify(KEYS), 'application/json'],
    form: [new URLSearchParams(KEYS).toString(), 'application/x-www-form-urlencoded'],
    'form called JSON': [new URLSearchParams(KEYS).toString(), 'application/json'],
    multipart: [
      '--b\r\nContent-Disposition: form-data; name="user_key"\r\n\r\nsandbox-user\r\n--b\r\nContent-Disposition: form-data; name="secret_key"\r\n\r\nsandbox-secret\r\n--b--\r\n',
      'multipart/form-data; boundary=b',
    ],
  } as const;

  test.each([
    ['any', 'json', 200, true],
    ['any', 'form', 200, true],
    ['any', 'form called JSON', 200, true],
    ['any', 'multipart', 200, true],
    ['form', 'form called JSON', 200, true],
    ['form', 'json', 200, false],
    ['json', 'form', 200, false],
    ['json', 'json', 200, true],
  ] as const)('encoding %s reads %s: HTTP %i, token %s', async (loginEncoding, kind, status, given) => {
    const sandbox = await sandboxForTest({ settings: { loginEncoding } });
    const [body, type] = bodies[kind];
    const headers = { accept: ACCEPT, 'content-type': type };
    const answer = await fetch(`${sandbox.crm}${LOGIN}`, { method: 'POST', headers, body });
    const json = (await answer.json()) as Loose;
    expect(answer.status).toBe(status);
    expect(typeof json.access_token === 'string').toBe(given);
    if (given) expect(json).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect((await sandbox.books()).logins).toBe(given ? 1 : 0);
  });

  test.each([
    [{ user_key: 'wrong', secret_key: 'x' }, 'ERROR_117'],
    [{ user_key: 'sandbox-user' }, 'ERROR_118'],
  ])('refuses %o with %s', async (body, code) => {
    const sandbox = await sandboxForTest();
    expect((await sandbox.sms(LOGIN, body)).body.code).toBe(code);
  });

  test('makes the earlier tokens invalid only where it is made so', async () => {
    const sandbox = await sandboxForTest();
    const first = await smsToken(sandbox);
    await smsToken(sandbox);
    expect((await sandbox.sms(SEND, sendRequest([smsItem('+221771234567')]), first)).body.code).toBe('00');
    await sandbox.order('/settings', { loginKillsTokens: true });
    await smsToken(sandbox);
    expect((await sandbox.sms(SEND, sendRequest([smsItem('+221771234567')]), first)).body.code).toBe('ERROR_122');
  });
});

describe('a bearer token', () => {
  test('lives an hour', async () => {
    const sandbox = await sandboxForTest();
    const token = await smsToken(sandbox);
    const send = async () => (await sandbox.sms(SEND, sendRequest([smsItem('+221771234567')]), token)).body.code;
    await sandbox.advance('3599s');
    expect(await send()).toBe('00');
    await sandbox.advance('1s');
    expect(await send()).toBe('ERROR_121');
  });

  test('is asked for, and must be one of ours', async () => {
    const sandbox = await sandboxForTest();
    expect((await sandbox.sms(SEND, sendRequest([]))).body.code).toBe('ERROR_123');
    expect((await sandbox.sms(SEND, sendRequest([]), 'stranger')).body.code).toBe('ERROR_122');
  });
});

describe('sending', () => {
  test('answers with every item and records each message once', async () => {
    const sandbox = await sandboxForTest();
    const token = await smsToken(sandbox);
    const items = Array.from({ length: 50 }, (_, index) => smsItem(`+2217712345${10 + index}`));
    const { body } = await sandbox.sms(SEND, sendRequest(items), token);
    expect(body).toMatchObject({ code: '00', message: 'sms_sent' });
    expect(body.data.sms).toHaveLength(50);
    const [first] = body.data.sms;
    expect(first).toEqual({
      code: '00',
      sender_addresss: 'RELAIS',
      receiver_address: '+221771234510',
      text: 'Bonjour',
    });
    const { messages } = await sandbox.books();
    expect(messages).toHaveLength(50);
    expect(messages.every(({ times }: { times: number }) => times === 1)).toBe(true);
  });

  test('counts a message that is sent again', async () => {
    const sandbox = await sandboxForTest();
    const token = await smsToken(sandbox);
    const once = () => sandbox.sms(SEND, sendRequest([smsItem('+221771234567')]), token);
    await once();
    await once();
    expect((await sandbox.books()).messages).toMatchObject([{ to: '+221771234567', times: 2 }]);
    const { body } = await sandbox.order('/books/summary', undefined, 'GET');
    expect(body).toMatchObject({ messages: 1, messagesSent: 2, messagesRepeated: 1 });
  });

  test('uses the default sender for a signature that is not configured', async () => {
    const sandbox = await sandboxForTest();
    const item = { ...smsItem('+221771234567'), from: 'OTHER' };
    const { body } = await sandbox.sms(SEND, sendRequest([item]), await smsToken(sandbox));
    expect(body.data.sms[0].sender_addresss).toBe('SMS-TEST');
  });

  const one = smsItem('+221771234567');
  test.each([
    ['another root', { sms: [] }, 'ERROR_104'],
    ['another type', sendRequest([one], { type: 'person' }), 'ERROR_106'],
    ['another application key', sendRequest([one], { app_key: 'x' }), 'ERROR_107'],
    ['no array', sendRequest('x'), 'ERROR_105'],
    ['no item', sendRequest([]), 'ERROR_111'],
    ['51 items', sendRequest(Array.from({ length: 51 }, () => one)), 'ERROR_111'],
    ['an item with another field', sendRequest([{ ...one, id: 1 }]), 'ERROR_105'],
    ['an empty sender', sendRequest([{ ...one, from: '' }]), 'ERROR_108'],
    ['no number', sendRequest([{ ...one, to: '' }]), 'ERROR_109'],
    ['a national number', sendRequest([{ ...one, to: '0771234' }]), 'ERROR_110'],
    ['no text', sendRequest([{ ...one, text: '' }]), 'ERROR_112'],
    ['a text too long', sendRequest([{ ...one, text: 'x'.repeat(1_531) }]), 'ERROR_113'],
  ])('refuses %s, sends nothing and records a breach', async (_what, body, code) => {
    const sandbox = await sandboxForTest();
    expect((await sandbox.sms(SEND, body, await smsToken(sandbox))).body.code).toBe(code);
    const { messages, breaches } = await sandbox.books();
    expect([messages.length, breaches.length]).toEqual([0, 1]);
  });

  test.each([
    ['9999902', 'ERROR_110'],
    ['9999903', 'ERROR_102'],
    ['9999907', 'ERROR_116'],
  ])('refuses the whole request for a number that ends in %s', async (ending, code) => {
    const sandbox = await sandboxForTest();
    const items = [smsItem('+221771234567'), smsItem(`+22177${ending}`)];
    expect((await sandbox.sms(SEND, sendRequest(items), await smsToken(sandbox))).body.code).toBe(code);
    expect((await sandbox.books()).messages).toEqual([]);
  });

  test('refuses single items by their own code, or leaves them out', async () => {
    const sandbox = await sandboxForTest();
    const items = ['+221771234567', '+221779999901', '+221779999906'].map((to) => smsItem(to));
    const { body } = await sandbox.sms(SEND, sendRequest(items), await smsToken(sandbox));
    expect(body.data.sms.map(({ code }: { code: string }) => code)).toEqual(['00', 'ERROR_101']);
    const { messages } = await sandbox.books();
    expect(messages.map(({ times }: { times: number }) => times)).toEqual([1, 0, 0]);
  });

  test('stops when the balance of messages is used up', async () => {
    const sandbox = await sandboxForTest({ settings: { smsBalance: 1 } });
    const token = await smsToken(sandbox);
    const send = async (to: string) => (await sandbox.sms(SEND, sendRequest([smsItem(to)]), token)).body.code;
    expect([await send('+221771234567'), await send('+221771234568')]).toEqual(['00', 'ERROR_102']);
  });
});

describe('the statistics', () => {
  test('list sent SMS, with and without the plus sign, and nothing for the others', async () => {
    const sandbox = await sandboxForTest();
    const token = await smsToken(sandbox);
    await sandbox.sms(SEND, sendRequest([smsItem('+221771234567')]), token);
    const { body } = await sandbox.sms(STATS, statsRequest(['221771234567', '+221771234568', 'nonsense']), token);
    expect(body).toMatchObject({ code: '00', message: 'success' });
    expect(body.data).toEqual({
      invalid_number: [{ value: 'nonsense' }],
      valid_number: [{ '221771234567': [{ code: '00', content: 'Bonjour' }] }, { '+221771234568': [] }],
    });
  });

  test('lag behind, and keep to their period', async () => {
    const sandbox = await sandboxForTest({ settings: { statsLagMs: 60_000 } });
    const token = await smsToken(sandbox);
    await sandbox.sms(SEND, sendRequest([smsItem('+221771234567')]), token);
    const found = async (more: object) => {
      const { body } = await sandbox.sms(STATS, statsRequest(['+221771234567'], more), token);
      return body.data.valid_number[0]['+221771234567'].length;
    };
    expect(await found({})).toBe(0);
    await sandbox.advance('61s');
    expect(await found({})).toBe(1);
    expect(await found({ start_date: '2001-01-01 00:00:00', end_date: '2001-01-02 00:00:00' })).toBe(0);
  });

  test.each([
    [{ start_date: '01/01/2026' }, 'ERROR_114'],
    [{ start_date: '2026-02-30 00:00:00' }, 'ERROR_114'],
    [{ end_date: 'tomorrow' }, 'ERROR_115'],
    [{ receiver_address: [] }, 'ERROR_109'],
    [{ receiver_address: 'x' }, 'ERROR_105'],
  ])('refuse %o with %s', async (more, code) => {
    const sandbox = await sandboxForTest();
    const answer = await sandbox.sms(STATS, statsRequest(['+221771234567'], more), await smsToken(sandbox));
    expect(answer.body.code).toBe(code);
  });
});

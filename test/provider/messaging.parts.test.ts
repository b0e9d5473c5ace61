import { momentOf, systemClock } from '../../src/lib/clock.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';
import {
  type Answerer,
  type Heard,
  json,
  type Listener,
  listen,
  liveAccount,
  openUpstream,
  type Opened,
  raw,
} from './listener.ts';
import { logInLongAgo } from './old-bearer.ts';

let listener: Listener;
let fresh: OpenLedger;
let opened: Opened;
let logins = 0;
const account = liveAccount();

/** Logs in any client with `bearer-<n>` and leaves the other paths to the test. */
function service(others: Answerer, login: Answerer = goodLogin): Answerer {
  return (heard, response) => (heard.path.endsWith('/auth/login') ? login(heard, response) : others(heard, response));
}

const goodLogin: Answerer = (heard, response) => {
  logins += 1;
  json({ access_token: `bearer-${logins}`, token_type: 'bearer', expires_in: 3600 })(heard, response) as undefined;
};

beforeAll(async () => {
  listener = await listen(json({}));
});
afterAll(() => listener.close());
beforeEach(async () => {
  logins = 0;
  listener.heard.length = 0;
  fresh = await openLedger();
  opened = openUpstream(listener.url, { database: fresh.database, timeoutMs: 400 });
});
afterEach(async () => {
  await opened.upstream.close();
  await fresh.close();
});

const hello = { to: '+221771234567', text: 'Bonjour' };

function send(messages: readonly { to: string; text: string; from?: string }[] = [hello]) {
  return opened.upstream.messaging.send(account, { messages });
}

function sent(...items: object[]): Answerer {
  return json({ code: '00', message: 'sms_sent', description: 'ok', data: { sms: items } });
}

const logged = (): Heard[] => listener.heard.filter((one) => one.path.endsWith('/auth/login'));
const others = (): Heard[] => listener.heard.filter((one) => !one.path.endsWith('/auth/login'));

test('a send carries the bearer, the media type and the body of the interface', async () => {
  const item = { code: 'SMS-00001', sender_addresss: 'SHOP', receiver_address: '221771234567', text: 'Bonjour' };
  listener.answer(service(sent(item)));
  expect(await send()).toMatchObject({
    is: 'ok',
    value: { items: [{ index: 0, code: 'SMS-00001', sender: 'SHOP', outcome: 'sent' }] },
  });
  const [heard] = others();
  expect(heard).toMatchObject({ method: 'POST', path: '/api/v1/sms/send' });
  expect(heard!.headers).toMatchObject({
    authorization: 'Bearer bearer-1',
    accept: 'application/vnd.apisms.v1+json',
    'content-type': 'application/json',
  });
  expect(heard!.json).toEqual({
    send_sms_request: {
      type: 'application',
      app_key: 'sms-app-1',
      sms: [{ from: 'SHOP', to: '+221771234567', text: 'Bonjour' }],
    },
  });
});

test('the login is a form with its true content type first, and is remembered', async () => {
  listener.answer(service(sent()));
  expect(await opened.upstream.messaging.prepare(account)).toMatchObject({ is: 'ok' });
  await send();
  expect(logged()).toHaveLength(1);
  expect(logged()[0]!.headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/vnd.apisms.v1+json',
  });
  expect(logged()[0]!.text).toBe('user_key=sms-user-1&secret_key=sms-secret-1');
});

const isJson = (heard: Heard): boolean =>
  heard.headers['content-type'] === 'application/json' && heard.text.startsWith('{');
const isLiteral = (heard: Heard): boolean =>
  heard.headers['content-type'] === 'application/json' && !heard.text.startsWith('{');

test.for([
  ['JSON', isJson, 2],
  ['a form labelled as JSON', isLiteral, 3],
] as const)('a service that wants %s is found out once', async ([, accepts, tries]) => {
  const no = json({ code: 'ERROR_104', message: 'invalid_content_request' }, 400);
  const picky: Answerer = (heard, response) => (accepts(heard) ? goodLogin : no)(heard, response);
  listener.answer(service(sent(), picky));
  expect((await opened.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(logged()).toHaveLength(tries);
  await fresh.query('update relais.sms_token set sealed = null, usable_until = null');
  const other = openUpstream(listener.url, { database: fresh.database });
  expect((await other.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(logged()).toHaveLength(tries + 1);
  await other.upstream.close();
});

const badLogins: readonly (readonly [what: string, answer: Answerer, tries: number, verdict: object])[] = [
  ['wrong credentials', json({ code: 'ERROR_117' }, 401), 1, { is: 'config', code: 'ERROR_117' }],
  ['wrong credentials, at HTTP 400', json({ code: 'ERROR_117' }, 400), 1, { is: 'config', code: 'ERROR_117' }],
  ['credentials not found, in every encoding', json({ code: 'ERROR_118' }), 3, { is: 'config', code: 'ERROR_118' }],
  ['an unreadable body, in every encoding', raw('', 415), 3, { is: 'config', code: 'unreadable' }],
  ['no user', json({ code: 'ERROR_120' }), 1, { is: 'config', code: 'ERROR_120' }],
  ['no token made', json({ code: 'ERROR_119' }, 500), 1, { is: 'transient', code: 'ERROR_119' }],
  ['an HTML page', raw('<html>', 500), 1, { is: 'transient', code: 'server_error' }],
  ['silence', () => undefined, 1, { is: 'transient', code: 'no_answer' }],
  ['a token that fits in no header', json({ access_token: 'a\nb' }), 1, { is: 'transient', code: 'unreadable' }],
  ['a success without a token', json({ token_type: 'bearer' }), 1, { is: 'transient', code: 'unreadable' }],
];
test.for(badLogins)('a login answered with %s is not hammered', async ([, answer, tries, verdict]) => {
  listener.answer(service(sent(), answer));
  expect(await send()).toMatchObject(verdict);
  const again = await Promise.all([send(), send(), opened.upstream.messaging.prepare(account)]);
  for (const one of again) expect(one).toMatchObject({ ...verdict, retryAfterMs: expect.any(Number) });
  expect(logged()).toHaveLength(tries);
  expect(others()).toEqual([]);
});

test('new credentials are not held to account for the old ones', async () => {
  listener.answer(service(sent(), json({ code: 'ERROR_117' }, 401)));
  await send();
  listener.answer(service(sent()));
  const { smsAppKey: appKey } = account;
  const renewed = { ...liveAccount(), smsUserKey: appKey };
  expect((await opened.upstream.messaging.prepare(renewed)).is).toBe('ok');
});

/** A refusal and a sent SMS in one answer. */
function contradiction(code: string | undefined, status = 200, headers: Record<string, string> = {}): Answerer {
  const sms = [{ code: 'SMS-00001', receiver_address: hello.to, text: hello.text }];
  return raw(JSON.stringify({ code, data: { sms } }), status, headers);
}

const sends: readonly (readonly [what: string, answer: Answerer, verdict: object])[] = [
  ...['101', '102', '103', '116'].map(
    (code) => [`ERROR_${code}`, json({ code: `ERROR_${code}` }), { is: 'unknown', code: `ERROR_${code}` }] as const,
  ),
  ...['104', '105', '108', '109', '110', '111', '112', '113'].map(
    (code) =>
      [`ERROR_${code}`, json({ code: `ERROR_${code}` }, 500), { is: 'refused', code: `ERROR_${code}` }] as const,
  ),
  ...['106', '107', '117', '118', '120'].map(
    (code) => [`ERROR_${code}`, json({ code: `ERROR_${code}` }), { is: 'config', code: `ERROR_${code}` }] as const,
  ),
  ['a code nobody listed', json({ code: 'ERROR_999' }), { is: 'unknown', code: 'unlisted_code' }],
  ['HTTP 500', raw('<html>', 500), { is: 'unknown', code: 'server_error' }],
  ['HTTP 403', raw('', 403), { is: 'unknown', code: 'http_403' }],
  ['HTTP 403 of a gateway', json({ message: 'Forbidden' }, 403), { is: 'unknown', code: 'http_403' }],
  ['HTTP 403 with a code', json({ code: 'ERROR_107' }, 403), { is: 'config', code: 'ERROR_107' }],
  ['HTTP 408', raw('', 408), { is: 'unknown', code: 'no_answer' }],
  ['too fast', raw('', 429), { is: 'transient', code: 'throttled' }],
  ['too fast, with a pause', raw('', 429, { 'retry-after': '2' }), { is: 'transient', retryAfterMs: 2_000 }],
  ...(['ERROR_121', 'ERROR_106', 'ERROR_110'] as const).map(
    (code) =>
      [`${code} beside a text that was sent`, contradiction(code), { is: 'unknown', code: 'unreadable' }] as const,
  ),
  ['HTTP 401 beside one', contradiction(undefined, 401), { is: 'unknown', code: 'unreadable' }],
  [
    'a pause beside one',
    contradiction('success', 429, { 'retry-after': '2' }),
    { is: 'unknown', code: 'unreadable' },
  ],
  ['silence', () => undefined, { is: 'unknown', code: 'no_answer' }],
  ['cut JSON', raw('{"code":"00"'), { is: 'unknown', code: 'unreadable' }],
];
test.for(sends)('sending: %s', async ([, answer, verdict]) => {
  listener.answer(service(answer));
  expect(await send()).toMatchObject(verdict);
  expect(others()).toHaveLength(1);
});

test.for(['ERROR_121', 'ERROR_122', 'ERROR_123', 'ERROR_124', '401'])(
  'a bearer refused with %s is renewed once and the send repeated once',
  async (code) => {
    const refusal = code === '401' ? raw('', 401) : json({ code });
    const old: Answerer = (heard, response) =>
      (heard.headers.authorization === 'Bearer bearer-1' ? refusal : sent())(heard, response);
    listener.answer(service(old));
    expect(await send()).toMatchObject({ is: 'ok' });
    expect(logged()).toHaveLength(2);
    expect(others()).toHaveLength(2);
  },
);

test('an old bearer that is refused, and then one that is fresh, are tried again: the login is not contested', async () => {
  listener.answer(service(json({ code: 'ERROR_121' }, 401)));
  await logInLongAgo(opened.upstream, fresh, account);
  expect(await send()).toMatchObject({ is: 'transient', code: 'ERROR_121', retryAfterMs: expect.any(Number) });
  expect([logged().length, others().length]).toEqual([2, 2]);
});

test('one fresh bearer that is refused to many at once is one bearer, and no contest', async () => {
  listener.answer(service(json({ code: 'ERROR_121' }, 401)));
  await logInLongAgo(opened.upstream, fresh, account);
  const answers = await Promise.all(Array.from({ length: 8 }, () => send()));
  expect(answers.map(({ is }) => is)).toEqual(Array.from({ length: 8 }, () => 'transient'));
  expect(logged().length).toBe(2);
});

test('two fresh bearers that are refused within a minute are a login that is contested', async () => {
  listener.answer(service(json({ code: 'ERROR_121' }, 401)));
  expect(await send()).toMatchObject({ is: 'held', condition: 'login_contested' });
  expect([logged().length, others().length]).toEqual([2, 2]);
});

test('bearers that are always refused end in a pause, not in a storm of logins', async () => {
  listener.answer(service(json({ code: 'ERROR_122' }, 401)));
  for (let count = 0; count < 6; count += 1) expect((await send()).is).not.toBe('ok');
  expect(await send()).toMatchObject({
    is: 'held',
    condition: 'login_contested',
    code: 'token_refused_repeatedly',
  });
  expect(logged().length).toBeLessThanOrEqual(2);
});

test('results are matched by receiver and text, in order among equals', async () => {
  const a = { to: '+221771111111', text: 'one' };
  const b = { to: '+221772222222', text: 'two' };
  listener.answer(
    service(
      sent(
        { code: 'for-b-01', receiver_address: '00221772222222', text: 'two' },
        { code: 'ERROR_110', receiver_address: '+221771111111', text: 'one' },
        { code: 'second-a-1', receiver_address: '+221771111111', text: 'one' },
        { code: 'nobody-01', receiver_address: '+221770000000', text: 'x' },
      ),
    ),
  );
  expect(await send([a, b, a, { to: '+221773333333', text: 'three' }])).toMatchObject({
    value: {
      items: [
        { index: 0, code: 'ERROR_110', outcome: 'failed' },
        { index: 1, code: 'for-b-01', outcome: 'sent' },
        { index: 2, code: 'second-a-1', outcome: 'sent' },
        { index: 3, outcome: 'unknown' },
      ],
    },
  });
});

test('two SMS to one receiver are distinguished by their text', async () => {
  const to = '+221771111111';
  const results = ['two', 'one'].map((text) => ({ code: `number-1-${text}`, receiver_address: to, text }));
  listener.answer(service(sent(...results)));
  const both = ['one', 'two'].map((text) => ({ to, text }));
  expect(await send(both)).toMatchObject({ value: { items: [{ code: 'number-1-one' }, { code: 'number-1-two' }] } });
});

test('two SMS that came back rewritten match no message', async () => {
  const to = '+221771111111';
  const results = ['tw?', '?ne'].map((text) => ({ code: 'SMS00001', receiver_address: to, text }));
  listener.answer(service(sent(...results)));
  const both = ['one', 'two'].map((text) => ({ to, text }));
  expect(await send(both)).toMatchObject({ value: { items: [{ outcome: 'unknown' }, { outcome: 'unknown' }] } });
});

test('an SMS that came back rewritten still belongs to its only receiver', async () => {
  listener.answer(service(sent({ code: 'SMS00001', receiver_address: '221771234567', text: 'Bonj?ur' })));
  expect(await send()).toMatchObject({ value: { items: [{ code: 'SMS00001', outcome: 'sent' }] } });
});

test('an SMS with an unrecognised code may or may not have been sent, and is counted', async () => {
  const items = ['FAILED', '00'].map((code, at) => ({
    code,
    receiver_address: `+22177000000${at}`,
    text: 'Bonjour',
  }));
  listener.answer(service(sent(...items)));
  const verdict = await send(items.map(({ receiver_address: to, text }) => ({ to, text })));
  expect(verdict).toMatchObject({ is: 'ok', value: { items: [{ outcome: 'unknown' }, { outcome: 'sent' }] } });
  expect(verdict.exchange.strangeCodes).toBe(1);
});

test('00 without items leaves every message unknown', async () => {
  listener.answer(service(json({ code: '00', message: 'sms_sent' })));
  expect(await send()).toMatchObject({ is: 'ok', value: { items: [{ index: 0, outcome: 'unknown' }] } });
});

test.for([0, 51])('%d messages are not a request', async (count) => {
  expect(await send(Array.from({ length: count }, () => hello))).toMatchObject({ is: 'refused', code: 'ERROR_111' });
  expect(listener.heard).toEqual([]);
});

test('without a sender ID nothing is sent under another name', async () => {
  const nameless = { ...account, smsSender: undefined };
  const verdict = await opened.upstream.messaging.send(nameless, { messages: [hello] });
  expect(verdict).toMatchObject({ is: 'config', code: 'missing_sms_sender' });
});

test('a send past its deadline is never sent', async () => {
  listener.answer(service(sent()));
  await opened.upstream.messaging.prepare(account);
  const verdict = await opened.upstream.messaging.send(
    account,
    { messages: [hello] },
    { sendBy: { since: momentOf(systemClock), ms: -1 } },
  );
  expect(verdict).toMatchObject({ is: 'transient', code: 'send_deadline', exchange: { sent: 'never' } });
  expect(others()).toEqual([]);
});

test('statistics entries with an error or an unknown code prove nothing', async () => {
  const entries = [
    { code: 'FAILED', content: 'a' },
    { code: 'ERROR_110', content: 'b' },
    { content: 'c' },
    { code: '00', status: 'rejected', content: 'd' },
    { code: '00', content: 'e' },
  ];
  const data = { valid_number: [{ [hello.to]: entries }] };
  listener.answer(service(json({ code: '00', message: 'success', data })));
  const verdict = await opened.upstream.messaging.statistics(account, { numbers: [hello.to] });
  expect(verdict.is === 'ok' && verdict.value).toEqual({
    invalid: [],
    sent: new Map([['221771234567', [{ code: '00', content: 'e' }]]]),
    unclear: new Map([['221771234567', ['a', 'b', 'c', 'd']]]),
  });
  expect(verdict.exchange.strangeCodes).toBe(3);
});

test('statistics are flattened by number', async () => {
  listener.answer(
    service(
      json({
        code: '00',
        message: 'success',
        data: {
          invalid_number: [{ value: '+22177' }],
          valid_number: [
            { '+221771234567': [{ code: 'SMS00001', content: 'Bonjour' }] },
            { '221772222222': [], '00221773333333': [{ code: 900_000_001, content: 'x' }] },
          ],
        },
      }),
    ),
  );
  const verdict = await opened.upstream.messaging.statistics(account, { numbers: ['+221771234567'] });
  expect(verdict.is === 'ok' && verdict.value).toEqual({
    invalid: ['22177'],
    unclear: new Map(),
    sent: new Map([
      ['221771234567', [{ code: 'SMS00001', content: 'Bonjour' }]],
      ['221772222222', []],
      ['221773333333', [{ code: '900000001', content: 'x' }]],
    ]),
  });
  expect(others()[0]).toMatchObject({ path: '/api/v1/sms/stats' });
  expect(others()[0]!.json).toEqual({
    sms_sent: {
      type: 'application',
      app_key: 'sms-app-1',
      filters: { receiver_address: [{ value: '+221771234567' }], start_date: '', end_date: '' },
    },
  });
});

test('the bearer is not in PostgreSQL in clear', async () => {
  listener.answer(service(sent()));
  await opened.upstream.messaging.prepare(account);
  const kept = JSON.stringify(await fresh.query('select * from relais.sms_token'));
  expect(kept).toContain('sealed');
  expect(kept).not.toContain('bearer-1');
  expect(kept).not.toContain(Buffer.from('bearer-1').toString('base64'));
});

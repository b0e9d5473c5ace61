import { describe, expect, test } from 'vitest';
import { faultNames } from '../../src/sandbox/fault-table.ts';
import {
  createdToken,
  disbursement,
  receiverForTest,
  sandboxForTest,
  sendRequest,
  smsItem,
  smsToken,
  statusOf,
  submit,
  type TestSandbox,
} from './sandbox-client.ts';

const booked = async (sandbox: TestSandbox) => (await sandbox.books()).disbursements[0];

/** The code and the system call of a request that ended without an answer. */
async function failureOf(request: Promise<unknown>): Promise<{ code?: string; syscall?: string }> {
  const thrown = await request.then(() => undefined).catch((error: unknown) => error);
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined;
  return cause ?? {};
}

/** Applies a fault to a submit; returns the answer and the resulting records. */
async function struckSubmit(fault: string, more: object = {}) {
  const sandbox = await sandboxForTest();
  const token = await createdToken(sandbox);
  await sandbox.fault({ fault, operation: 'disbursement.submit', ...more });
  const reply = await submit(sandbox, token, 'id');
  return { reply, status: (await booked(sandbox)).status, sandbox, token };
}

/** Applies a fault to a submit without a complete answer. */
async function brokenSubmit(fault: string) {
  const sandbox = await sandboxForTest();
  const token = await createdToken(sandbox);
  await sandbox.fault({ fault, operation: 'disbursement.submit' });
  const failure = await failureOf(submit(sandbox, token, 'id'));
  return { failure, status: (await booked(sandbox)).status };
}

/** Applies a fault to a submit that is never answered, and stops waiting once the sandbox has accepted it. */
async function hungSubmit(fault: string, more: object = {}) {
  const sandbox = await sandboxForTest();
  const token = await createdToken(sandbox);
  await sandbox.fault({ fault, operation: 'disbursement.submit', ...more });
  let answered = false;
  const noted = submit(sandbox, token, 'id').finally(() => {
    answered = true;
  });
  // It ends when the sandbox stops, and its result is irrelevant here.
  void noted.catch(() => undefined);
  await sandbox.heard('disbursement.submit');
  return { answered, status: (await booked(sandbox)).status, sandbox };
}

describe('before doing the work', () => {
  test.each([
    ['answers 5xx before doing the work', (status: number) => status >= 500],
    ['answers 5000 before doing the work', (status: number) => status === 200],
    ['answers 429 with Retry-After', (status: number) => status === 429],
    ['says it is under maintenance', (status: number) => status === 400],
    ['answers HTML before doing the work', (status: number) => status === 200],
    ['redirects', (status: number) => status === 302],
  ])('%s', async (fault, fits) => {
    const { reply, status } = await struckSubmit(fault);
    expect(fits(reply.status)).toBe(true);
    expect(status).toBe('created');
  });

  test('429 names the seconds to wait', async () => {
    const { reply } = await struckSubmit('answers 429 with Retry-After', { retryAfterSeconds: 7 });
    expect(reply.headers.get('retry-after')).toBe('7');
  });

  test('resets the connection', async () => {
    const { failure, status } = await brokenSubmit('resets the connection before doing the work');
    expect(failure.code).toBe('ECONNRESET');
    expect(status).toBe('created');
  });

  test('hangs', async () => {
    const { answered, status } = await hungSubmit('hangs before doing the work');
    expect([answered, status]).toEqual([false, 'created']);
  });

  test('does the work late', async () => {
    const { sandbox, status } = await hungSubmit('does the work late', { delayMs: 60_000 });
    expect(status).toBe('created');
    await sandbox.advance('1m');
    expect((await booked(sandbox)).status).toBe('pending');
  });
});

describe('after doing the work', () => {
  test.each([
    ['answers 5xx after doing the work', (text: string) => text === 'upstream error'],
    ['answers 5000 after doing the work', (text: string) => text.includes('5000')],
    ['answers an unknown code', (text: string) => text.includes('7777')],
    ['cuts its JSON', (text: string) => text.startsWith('{') && !text.endsWith('}')],
    ['answers HTML', (text: string) => text.startsWith('<!DOCTYPE')],
    ['answers empty', (text: string) => text === ''],
  ])('%s', async (fault, fits) => {
    const { reply, status } = await struckSubmit(fault);
    expect(fits(reply.text)).toBe(true);
    expect(status).toBe('pending');
  });

  test.each([
    ['resets the connection after doing the work', 'ECONNRESET'],
    ['closes the connection after doing the work', 'UND_ERR_SOCKET'],
    ['breaks off in the middle of its answer', 'UND_ERR_SOCKET'],
  ])('%s', async (fault, code) => {
    const { failure, status } = await brokenSubmit(fault);
    expect(failure.code).toBe(code);
    expect(status).toBe('pending');
  });

  test('hangs', async () => {
    const { answered, status } = await hungSubmit('hangs after doing the work');
    expect([answered, status]).toEqual([false, 'pending']);
  });

  test('answers late', async () => {
    const { reply, status } = await struckSubmit('answers late', { delayMs: 20 });
    expect(reply.body.response_code).toBe('00');
    expect(status).toBe('pending');
  });
});

test('answers a given code in the envelope of its area', async () => {
  const { reply, status } = await struckSubmit('answers a given code', { code: '9876' });
  expect([reply.body.response_code, status]).toEqual(['9876', 'created']);
  const sandbox = await sandboxForTest({
    faults: [{ fault: 'answers a given code', operation: 'sms', code: 'ERROR_124' }],
  });
  const { body } = await sandbox.sms('/api/v1/sms/send', {});
  expect(body).toEqual({ code: 'ERROR_124', message: 'logout_token', description: 'authorization token logged out' });
});

test('maintenance and codes of another area use the called area’s format', async () => {
  const sandbox = await sandboxForTest({
    faults: [
      { fault: 'says it is under maintenance', operation: 'payment-request' },
      { fault: 'answers a given code', code: 'ERROR_124' },
    ],
  });
  const refused = await sandbox.pay('/api/v1/dmp-api', {});
  expect([refused.status, refused.body['response-code']]).toEqual([400, '5000']);
  expect((await statusOf(sandbox, 'x')).body).toMatchObject({ response_code: 'ERROR_124' });
});

describe('a listener that refuses', () => {
  test('refuses on its own port, and listens there again', async () => {
    const sandbox = await sandboxForTest();
    const token = await createdToken(sandbox);
    const { body } = await sandbox.fault({ fault: 'refuses the connection', operation: 'disbursement' });
    expect(await failureOf(statusOf(sandbox, token))).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
    expect(await smsToken(sandbox)).toEqual(expect.any(String));
    await sandbox.order(`/faults/${body.id}`, undefined, 'DELETE');
    expect((await statusOf(sandbox, token)).body.status).toBe('created');
  });

  test('can be the messaging host alone', async () => {
    const sandbox = await sandboxForTest({ faults: [{ fault: 'refuses the connection', operation: 'sms' }] });
    expect((await failureOf(smsToken(sandbox))).code).toBe('ECONNREFUSED');
    expect(await createdToken(sandbox)).toEqual(expect.any(String));
  });
});

describe('inside the work', () => {
  test.each([
    ['says not authorized', '401'],
    ['says funds are insufficient', '4002'],
    ['says the callback URL is not reachable', '4002'],
    ['says 4002 and nothing else', '4002'],
    ['probes the callback URL', '4002'],
  ])('%s: get-invoice answers %s and gives no token', async (fault, code) => {
    const sandbox = await sandboxForTest();
    await sandbox.fault({ fault });
    expect((await sandbox.pay('/api/v2/disburse/get-invoice', disbursement())).body.response_code).toBe(code);
    expect((await sandbox.books()).disbursements).toEqual([]);
  });

  test.each([
    ['fails the disbursement', 'failed', 0],
    ['leaves the disbursement pending', 'pending', 0],
    ['reverses a success', 'failed', 1],
  ])('%s', async (fault, status, effects) => {
    const { sandbox } = await struckSubmit(fault);
    await sandbox.advance('2h');
    expect(await booked(sandbox)).toMatchObject({ status, effects });
  });

  test('get-invoice gives the token of another, and makes none', async () => {
    const { sandbox, token } = await struckSubmit('answers empty');
    await sandbox.fault({ fault: 'gives the token of another' });
    const again = await sandbox.pay('/api/v2/disburse/get-invoice', disbursement());
    expect(again.body).toMatchObject({ response_code: '00', disburse_token: token });
    expect((await sandbox.books()).disbursements).toHaveLength(1);
  });

  test('check-status reports an old status, an unknown one, another amount, or no token', async () => {
    const { sandbox, token } = await struckSubmit('answers empty');
    const struck = async (fault: string) => {
      await sandbox.fault({ fault, operation: 'disbursement.status', count: 1 });
      return (await statusOf(sandbox, token)).body;
    };
    expect((await struck('reports an old status')).status).toBe('created');
    expect((await struck('reports an unknown status')).status).toBe('in_review');
    expect((await struck('reports another amount')).amount).toBe('4999.00');
    expect((await struck('forgets the token')).response_code).toBe('4004');
    expect(await struck('leaves out the disburse_id')).not.toHaveProperty('disburse_id');
    expect((await statusOf(sandbox, token)).body).toMatchObject({ status: 'pending', amount: '5000.00' });
  });
});

describe('an SMS request', () => {
  const struckSend = async (fault: string) => {
    const sandbox = await sandboxForTest();
    const token = await smsToken(sandbox);
    await sandbox.fault({ fault, operation: 'sms.send', count: 1 });
    const items = ['1', '2', '3'].map((last) => smsItem(`+22177123456${last}`));
    const send = () => sandbox.sms('/api/v1/sms/send', sendRequest(items), token);
    const { body } = await send();
    return { body, send, sent: (await sandbox.books()).messages.length };
  };

  test('whose token is reported as expired stays refused', async () => {
    const { body, send, sent } = await struckSend('says the token expired');
    expect([body.code, sent]).toEqual(['ERROR_121', 0]);
    expect((await send()).body.code).toBe('ERROR_121');
  });

  test('of which only a part is accepted', async () => {
    const { body, sent } = await struckSend('accepts only part of an SMS chunk');
    expect([body.code, body.data.sms.length, sent]).toEqual(['00', 2, 2]);
  });

  test.each([
    ['refuses the chunk for one bad number', 'ERROR_110', 0],
    ['says the SMS balance is insufficient', 'ERROR_102', 0],
    ['answers 5000 before doing the work', 'ERROR_116', 0],
    ['answers 5000 after doing the work', 'ERROR_116', 3],
  ])('%s: %s', async (fault, code, expected) => {
    const { body, sent } = await struckSend(fault);
    expect([body.code, sent]).toEqual([code, expected]);
  });
});

test('the rate limit answers 429 above its number', async () => {
  const sandbox = await sandboxForTest({ settings: { rateLimitPerSecond: 2 } });
  const replies = await Promise.all(Array.from({ length: 8 }, () => statusOf(sandbox, 'x')));
  const refused = replies.filter(({ status }) => status === 429);
  // Eight requests may cross one border of a second, never two.
  expect(refused.length).toBeGreaterThanOrEqual(4);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
});

test('an order that cannot be is refused with the reason', async () => {
  const sandbox = await sandboxForTest();
  for (const order of [
    { fault: 'eats the request' },
    { fault: 'says the token expired', operation: 'disbursement' },
    { fault: 'answers empty', probability: 2 },
    { fault: 'answers empty', colour: 'red' },
    { fault: 'answers a given code' },
  ])
    expect((await sandbox.fault(order)).status).toBe(400);
});

test('every fault can be ordered by its name', async () => {
  const sandbox = await sandboxForTest();
  const receiver = await receiverForTest();
  for (const fault of faultNames.filter((name) => name !== 'refuses the connection'))
    expect((await sandbox.fault({ fault, match: 'nothing like this', code: 'x' })).status).toBe(201);
  // All are active, none matches, so the provider behaves normally.
  const token = await createdToken(sandbox, { callback_url: receiver.url });
  await submit(sandbox, token);
  await sandbox.advance('1h');
  expect((await receiver.next()).text).toContain(token);
});

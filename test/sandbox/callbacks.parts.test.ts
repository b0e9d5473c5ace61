import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { createdToken, receiverForTest, sandboxForTest, statusOf, submit } from './sandbox-client.ts';

/** A disbursement that succeeds at once, and whose callback goes to a receiver that answers `status`. */
async function paidDisbursement(faults: SandboxOptions['faults'] = [], settings: object = {}, status = 200) {
  const sandbox = await sandboxForTest({ faults, settings });
  const receiver = await receiverForTest(status);
  const token = await createdToken(sandbox, { callback_url: receiver.url });
  await submit(sandbox, token, 'id-1');
  await sandbox.advance('1h');
  return { sandbox, receiver, token };
}

describe('a disbursement that succeeds', () => {
  test('calls back with the status record', async () => {
    const { sandbox, receiver, token } = await paidDisbursement();
    const { text, method } = await receiver.next();
    const { response_code: _, ...record } = (await statusOf(sandbox, token)).body;
    expect(method).toBe('POST');
    expect(JSON.parse(text)).toEqual(record);
    expect(record).toMatchObject({ status: 'success', token, disburse_id: 'id-1', amount: '5000.00' });
  });

  test('calls back twice', async () => {
    const { receiver } = await paidDisbursement([{ fault: 'calls back twice' }]);
    expect((await receiver.next()).text).toBe((await receiver.next()).text);
  });

  test('calls back before the submit is answered', async () => {
    const sandbox = await sandboxForTest({ faults: [{ fault: 'calls back early' }] });
    const receiver = await receiverForTest();
    const token = await createdToken(sandbox, { callback_url: receiver.url });
    expect((await submit(sandbox, token)).body.status).toBe('pending');
    // The callback arrived before the submit's answer.
    expect(receiver.posted).toHaveLength(1);
    expect((await sandbox.books()).disbursements).toMatchObject([{ effects: 1, status: 'success', callbacks: 1 }]);
  });

  test('calls back late', async () => {
    const { sandbox, receiver } = await paidDisbursement([{ fault: 'calls back late', delayMs: 60_000 }]);
    expect((await sandbox.books()).disbursements).toMatchObject([{ effects: 1, callbacks: 0 }]);
    await sandbox.advance('1m');
    expect((await receiver.next()).text).toContain('success');
  });

  test('never calls back', async () => {
    const { sandbox, token } = await paidDisbursement([{ fault: 'never calls back' }]);
    expect((await sandbox.books()).disbursements).toMatchObject([{ effects: 1, callbacks: 0 }]);
    // The operator's decision over the control API waits for the callback, so none can be in flight.
    await sandbox.order(`/callbacks/${token}`, {});
    expect((await sandbox.books()).callbacks).toEqual([]);
  });

  test('calls back mutilated', async () => {
    const { receiver } = await paidDisbursement([{ fault: 'calls back mutilated' }]);
    const { text } = await receiver.next();
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test('calls back with fields missing', async () => {
    const { receiver } = await paidDisbursement([{ fault: 'calls back with fields missing' }]);
    const record = JSON.parse((await receiver.next()).text);
    expect(Object.keys(record).length).toBe(4);
    expect(record).not.toHaveProperty('token');
  });

  test('carries a hash where it is made so, and a wrong one by fault', async () => {
    const right = await paidDisbursement([], { callbackHash: true });
    const hash = createHash('sha512').update('sandbox-master').digest('hex');
    expect(JSON.parse((await right.receiver.next()).text).hash).toBe(hash);
    const wrong = await paidDisbursement([{ fault: 'calls back with a wrong hash' }]);
    expect(JSON.parse((await wrong.receiver.next()).text).hash).toMatch(/^0{128}$/);
  });

  test('is posted again while it is not answered 2xx, where it is made so', async () => {
    const settings = { callbackRetries: 2, callbackRetryDelayMs: 0 };
    const { receiver } = await paidDisbursement([], settings, 500);
    expect([await receiver.next(), await receiver.next(), await receiver.next()]).toHaveLength(3);
  });

  test('is booked with the answer it got', async () => {
    const { sandbox, token } = await paidDisbursement([], {}, 503);
    await sandbox.order(`/callbacks/${token}`, {});
    expect((await sandbox.books()).callbacks).toContainEqual({
      kind: 'disbursement',
      token,
      status: 'success',
      encoding: 'flat JSON',
      answer: 503,
    });
  });
});

test.each([
  [false, 0],
  [true, 1],
])('callbackOnFailure %s: a failed disbursement calls back %i times', async (callbackOnFailure, times) => {
  const sandbox = await sandboxForTest({ settings: { callbackOnFailure } });
  const receiver = await receiverForTest();
  const token = await createdToken(sandbox, { callback_url: receiver.url });
  await submit(sandbox, token);
  await sandbox.order(`/disbursements/${token}`, { status: 'failed' });
  expect(receiver.posted).toHaveLength(times);
});

test('a reset answers the request that waits for a dropped callback', async () => {
  const sandbox = await sandboxForTest({ settings: { callbackDelayMs: 3_600_000 } });
  const token = await createdToken(sandbox);
  await submit(sandbox, token);
  const verdict = sandbox.order(`/disbursements/${token}`, { status: 'success' });
  await expect.poll(async () => (await statusOf(sandbox, token)).body.status).toBe('success');
  await sandbox.order('/reset');
  expect((await verdict).status).toBe(204);
  expect((await sandbox.books()).callbacks).toEqual([]);
});

test('a callback in flight at a reset is not in the new records', async () => {
  const sandbox = await sandboxForTest({ settings: { callbackRetries: 1, callbackRetryDelayMs: 0 } });
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const token = await createdToken(sandbox, { callback_url: `http://127.0.0.1:${port}/` });
  await submit(sandbox, token);
  const verdict = sandbox.order(`/disbursements/${token}`, { status: 'success' });
  const [, answer] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  await sandbox.order('/reset');
  answer.writeHead(500).end();
  await verdict;
  expect((await sandbox.books()).callbacks).toEqual([]);
});

test('a payer’s decision is notified as a form with a data table', async () => {
  const sandbox = await sandboxForTest();
  const receiver = await receiverForTest();
  const ask = {
    invoice: { total_amount: 5_000, items: { item_0: { name: 'Riz & café', quantity: 2 } } },
    store: { name: 'Chez Awa' },
    actions: { callback_url: receiver.url },
  };
  const { body } = await sandbox.pay('/api/v1/checkout-invoice/create', ask);
  await sandbox.order(`/invoices/${body.token}`, { status: 'completed' });
  const { text, headers } = await receiver.next();
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  const form = new URLSearchParams(text);
  expect(form.get('data[status]')).toBe('completed');
  expect(form.get('data[hash]')).toMatch(/^[0-9a-f]{128}$/);
  expect(form.get('data[invoice][token]')).toBe(body.token);
  expect(form.get('data[invoice][total_amount]')).toBe('5000');
  expect(form.get('data[invoice][items][item_0][name]')).toBe('Riz & café');
  expect(form.get('data[receipt_url]')).toContain('.pdf');
});

test('a fault picks the writing of invoices too', async () => {
  const sandbox = await sandboxForTest({ faults: [{ fault: 'calls back as data holding JSON' }] });
  const receiver = await receiverForTest();
  const ask = { invoice: { total_amount: 1 }, store: { name: 'x' }, actions: { callback_url: receiver.url } };
  const { body } = await sandbox.pay('/sandbox-api/v1/checkout-invoice/create', ask);
  await sandbox.order(`/invoices/${body.token}`, { status: 'cancelled' });
  const data = new URLSearchParams((await receiver.next()).text).get('data');
  expect(JSON.parse(data ?? '')).toMatchObject({ status: 'cancelled', invoice: { token: body.token } });
});

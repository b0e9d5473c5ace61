import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Disbursement } from '../../src/sandbox/records.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import {
  createdToken,
  invoiceToken,
  sandboxForTest,
  sendRequest,
  smsItem,
  smsToken,
  statusOf,
  submit,
  type TestSandbox,
} from './sandbox-client.ts';

function fileForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'relais-books-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'books');
}

/** The file that a *kill* would leave now: the running sandbox continues to write its own. */
function leftOf(books: string): string {
  const left = `${books}-left`;
  copyFileSync(books, left);
  return left;
}

test('a stopped sandbox knows its earlier actions afterwards', async () => {
  const books = fileForTest();
  const before = await sandboxForTest({ books });
  const token = await createdToken(before);
  await submit(before, token);
  await before.advance('2h');
  await createdToken(before);
  const bearer = await smsToken(before);
  for (const text of ['one', 'two', 'one'])
    await before.sms('/api/v1/sms/send', sendRequest([smsItem('+221771234511', text)]), bearer);
  const [told, summary] = [await before.books(), await before.order('/books/summary', undefined, 'GET')];
  const { now } = (await before.order('/clock', undefined, 'GET')).body;
  expect(told.disbursements).toHaveLength(2);
  expect(told.disbursements[0]).toMatchObject({ status: 'success', effects: 1, submits: 1 });
  expect(told.messages.map(({ text, times }: { text: string; times: number }) => [text, times])).toEqual([
    ['two', 1],
    ['one', 2],
  ]);
  await before.stop();

  const after = await sandboxForTest({ books });
  expect(await after.books()).toEqual(told);
  expect((await after.order('/books/summary', undefined, 'GET')).body).toEqual(summary.body);
  expect((await after.order('/clock', undefined, 'GET')).body.now).toBeGreaterThanOrEqual(now);
  expect((await statusOf(after, token)).body).toMatchObject({ response_code: '00', status: 'success' });
  // The token was spent before, and its disburse_id too.
  expect((await submit(after, token)).body.response_code).toBe('5000');
});

test('a pending payment is settled after the start, and money left once', async () => {
  const books = fileForTest();
  const before = await sandboxForTest({ books });
  const token = await createdToken(before);
  await submit(before, token);
  const { balances } = (await before.order('/settings', undefined, 'GET')).body;
  await before.stop();

  const after = await sandboxForTest({ books });
  expect((await after.order('/settings', undefined, 'GET')).body.balances).toEqual(balances);
  expect((await statusOf(after, token)).body.status).toBe('pending');
  await after.advance('2h');
  expect((await after.books()).disbursements).toMatchObject([{ token, status: 'success', effects: 1 }]);
});

test('a seed restarted over its records issues no token and no transaction twice', async () => {
  const books = fileForTest();
  const start = () => sandboxForTest({ books, seed: 1 });
  const credit = { account_alias: '771234567', amount: 1_000 };
  const runs = [];
  for (let times = 0; times < 2; times += 1) {
    const sandbox = await start();
    const { transaction_id } = (await sandbox.pay('/api/v1/direct-pay/credit-account', credit)).body;
    const token = await createdToken(sandbox);
    await submit(sandbox, token);
    await sandbox.advance('2h');
    runs.push({ transaction_id, token, invoice: await invoiceToken(sandbox) });
    await sandbox.stop();
  }
  const after = await (await start()).books();
  expect(after.disbursements).toMatchObject(runs.map(({ token }) => ({ token, status: 'success', effects: 1 })));
  expect(after.invoices).toMatchObject(runs.map(({ invoice }) => ({ token: invoice })));
  expect(new Set(runs.map(({ transaction_id }) => transaction_id)).size).toBe(2);
});

test.for(['invoices', 'payment-requests'])('a decision about %s without a callback is stored', async (what) => {
  const books = fileForTest();
  const killed = await sandboxForTest({ books });
  const ask = { recipient_phone: '771234567', amount: 500, support_fees: 0, send_notification: 0 };
  const id =
    what === 'invoices'
      ? await invoiceToken(killed)
      : (await killed.pay('/api/v1/dmp-api', ask)).body.reference_number;
  await killed.kept();
  await killed.order(`/${what}/${id}`, { status: 'completed' });
  await killed.kept();
  const { invoices, paymentRequests } = await (await sandboxForTest({ books: leftOf(books) })).books();
  expect([...invoices, ...paymentRequests]).toMatchObject([{ status: 'completed' }]);
});

test('configured balances are stored, also after a reset', async () => {
  const books = fileForTest();
  const killed = await sandboxForTest({ books });
  await killed.kept();
  await killed.order('/settings', { balances: { SN: 7 } });
  await killed.kept();
  const { body } = await (await sandboxForTest({ books: leftOf(books) })).order('/settings', undefined, 'GET');
  expect(body.balances.SN).toBe(7);
  await invoiceToken(killed);
  await killed.kept();
  await killed.order('/reset');
  const token = await invoiceToken(killed);
  await killed.order('/settings', { balances: { SN: 7 } });
  await killed.kept();
  expect((await (await sandboxForTest({ books: leftOf(books) })).books()).invoices).toMatchObject([{ token }]);
});

test('a scheduled result of a pending one stays after a restart, and so does its time', async () => {
  const books = fileForTest();
  const before = await sandboxForTest({ books });
  const tokens: Record<string, string> = {};
  for (const fault of ['fails the disbursement', 'leaves the disbursement pending', 'reverses a success']) {
    await before.fault({ fault, count: 1 });
    tokens[fault] = await createdToken(before);
    await submit(before, tokens[fault]);
  }
  await before.advance('30m');
  await before.stop();

  const after = await sandboxForTest({ books });
  const standing = async () =>
    Object.fromEntries(
      (await after.books()).disbursements.map(({ token, status }: Disbursement) => [
        Object.keys(tokens).find((fault) => tokens[fault] === token),
        status,
      ]),
    );
  await after.advance('31m');
  const unchanged = { 'fails the disbursement': 'failed', 'leaves the disbursement pending': 'pending' };
  expect(await standing()).toEqual({ ...unchanged, 'reverses a success': 'success' });
  await after.stop();
  const last = await sandboxForTest({ books });
  await last.advance('1h');
  expect((await last.books()).disbursements.map(({ status }: Disbursement) => status)).toEqual([
    'failed',
    'pending',
    'failed',
  ]);
});

test('a payment that was accepted is made after a start', async () => {
  const books = fileForTest();
  const before = await sandboxForTest({ books });
  const token = await invoiceToken(before);
  const payer = { customer_name: 'x', customer_email: 'x', phone_phone: '771234567', password: 'x' };
  await before.pay('/api/v1/softpay/service', { ...payer, invoice_token: token });
  await before.stop();
  const after = await sandboxForTest({ books });
  await after.advance('1h');
  expect((await after.books()).invoices).toMatchObject([{ token, status: 'completed', payments: 1 }]);
});

test('its actions are in the file soon after, without a stop', async () => {
  const books = fileForTest();
  const killed = await sandboxForTest({ books });
  const token = await createdToken(killed);
  await killed.kept();
  const after = await sandboxForTest({ books: leftOf(books) });
  expect((await after.books()).disbursements).toMatchObject([{ token }]);
});

test('money that moves during a write of the records is in them whole, or not at all', async () => {
  const books = fileForTest();
  const model = await sandboxForTest({ books });
  await submit(model, await createdToken(model, { account_alias: '779999901' }));
  await model.stop();
  const lines = readFileSync(books, 'utf8').split('\n');
  const one = lines.find((line) => line.startsWith('["disbursements"')) ?? '';
  const { token } = JSON.parse(one)[1];
  const many = Array.from({ length: 10_000 }, (_, nth) => one.replace(token, `token-${nth}`));
  writeFileSync(books, [...lines.filter((line) => line !== '' && line !== one), ...many].join('\n'));
  const balanceOf = async (sandbox: TestSandbox) =>
    (await sandbox.order('/settings', undefined, 'GET')).body.balances.SN;

  const killed = await sandboxForTest({ books });
  const kept = killed.kept();
  await vi.waitFor(() => expect(existsSync(`${books}.new`)).toBe(true), { interval: 1 });
  await killed.advance('2h');
  await kept;
  const after = await sandboxForTest({ books: leftOf(books) });
  const whole = await balanceOf(killed);
  await after.advance('2h');
  expect((await after.books()).disbursements.every(({ status }: { status: string }) => status === 'failed')).toBe(
    true,
  );
  expect(await balanceOf(after)).toBe(whole);
});

test('a reset empties the file too', async () => {
  const books = fileForTest();
  const before = await sandboxForTest({ books });
  await createdToken(before);
  await before.order('/reset');
  await before.stop();
  expect((await (await sandboxForTest({ books })).books()).disbursements).toEqual([]);
  expect(readdirSync(join(books, '..'))).toEqual(['books']);
});

test('a foreign file is left unchanged, and the sandbox does not start', async () => {
  const books = fileForTest();
  writeFileSync(books, 'to;text\n');
  await expect(startSandbox({ books })).rejects.toThrow(`${books} holds no books of a sandbox: line 1`);
});

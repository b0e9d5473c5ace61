import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createdToken, sandboxForTest, sendRequest, smsItem, smsToken, statusOf, submit } from './sandbox-client.ts';

function fileForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'relais-books-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'books');
}

test('a sandbox that was stopped knows afterwards what it had done', async () => {
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

test('what was pending is settled after the start, and money left once', async () => {
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

test('what it did is in the file soon after, without a stop', async () => {
  const books = fileForTest();
  const killed = await sandboxForTest({ books });
  const token = await createdToken(killed);
  await killed.kept();
  const after = await sandboxForTest({ books });
  expect((await after.books()).disbursements).toMatchObject([{ token }]);
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

test('a file that is none of its own is left alone, and it does not start', async () => {
  const books = fileForTest();
  writeFileSync(books, 'to;text\n');
  await expect(startSandbox({ books })).rejects.toThrow(`${books} holds no books of a sandbox: line 1`);
});

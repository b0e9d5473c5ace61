import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let paid: { readonly id: string; readonly transactionId: string; readonly day: string };
beforeAll(async () => {
  service = await startService();
  const body = { accountAlias: '771234567', amount: 25_000, withdrawMode: 'wallet-a-senegal', reference: 'salary' };
  const { id } = (await service.call('POST', '/v1/disbursements', { body })).body;
  const now = await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
  paid = { id, transactionId: now.transactionId, day: String(now.updatedAt).slice(0, 10) };
});
afterAll(() => service.stop());

const compare = (rows: readonly string[], query = '', headers: Readonly<Record<string, string>> = {}) =>
  service.call('POST', `/v1/reconciliations${query}`, {
    key: 'reader-secret',
    body: ['Relevé de novembre', 'Transaction;Montant;Jour', ...rows].join('\n'),
    headers: { 'content-type': 'text/csv', ...headers },
  });

test('a statement that says the same leaves nothing over, and one that does not says what', async () => {
  const same = await compare([`${paid.transactionId};25 000 F;${paid.day}`]);
  expect([same.status, same.body.columns]).toEqual([
    200,
    { transactionId: 'Transaction', amount: 'Montant', date: 'Jour' },
  ]);
  expect(same.body.result).toMatchObject({
    matched: { count: 1, xof: 25_000 },
    onlyOurs: [],
    onlyTheirs: [],
    differentAmount: [],
    unreadable: [],
  });
  const { body } = await compare([
    `${paid.transactionId};24 500;${paid.day}`,
    `TX-NOBODY;12 500;${paid.day}`,
    `;1;${paid.day}`,
  ]);
  expect(body.result).toMatchObject({
    matched: { count: 0 },
    differentAmount: [{ id: paid.id, amount: 24_500, ours: 25_000 }],
    onlyTheirs: [{ row: 4, transactionId: 'TX-NOBODY' }],
    unreadable: [{ row: 5, problem: 'Transaction is empty' }],
  });
  const without = await compare([`TX-NOBODY;12 500;${paid.day}`]);
  expect(without.body.result.onlyOurs).toMatchObject([{ id: paid.id, transactionId: paid.transactionId }]);
});

test('the differences are a table, too, in the language of the reader', async () => {
  const { body: text } = await compare([`TX-NOBODY;12 500;${paid.day}`, ';1;2026-11-01'], '', {
    accept: 'text/csv',
    'accept-language': 'fr',
  });
  const lines = text.trim().split('\r\n');
  expect(lines[0]).toMatch(/^\ufeff?result;row;id;transactionId;date;theirs;ours;reference;state;problem$/);
  expect(lines.slice(1).map((line: string) => line.split(';')[0])).toEqual(['onlyOurs', 'onlyTheirs', 'unreadable']);
  expect(lines[3]).toContain('Transaction : vide');
});

test('while a column is missing the headings are told, and the query can name it', async () => {
  const rows = ['x', `Id op;Net;Jour`, `${paid.transactionId};25000;${paid.day}`].join('\n');
  const ask = (query: string) =>
    service.call('POST', `/v1/reconciliations${query}`, {
      key: 'reader-secret',
      body: rows,
      headers: { 'content-type': 'text/csv' },
    });
  const unknown = await ask('');
  expect(unknown.body.result).toBeNull();
  const named = await ask('?transactionColumn=Id%20op&amountColumn=Net');
  expect(named.body.result.matched).toEqual({ count: 1, xof: 25_000 });
});

test('a file that is no table is refused', async () => {
  const { status, body } = await service.call('POST', '/v1/reconciliations', {
    key: 'reader-secret',
    body: '',
    headers: { 'content-type': 'text/csv' },
  });
  expect([status, body.problems[0].code]).toEqual([422, 'empty_file']);
});

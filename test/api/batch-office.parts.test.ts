import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { xlsxOfTexts } from '../files/workbooks.ts';
import { deskOf } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { send, approve, get, disbursements } = deskOf(() => service);
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const FILE = xlsxOfTexts([
  ['Salaires de novembre'],
  ['Matricule', 'Nom', 'Téléphone', 'Opérateur', 'Net à payer'],
  ['T-001', 'Awa Diop', '77 512 04 08', 'Orange Money', '346 500'],
  ['T-002', 'Moussa Fall', '76 513 08 85', 'Orange Money', '262.000,00 F'],
  ['', 'TOTAL', '', '', '608 500'],
]);
const queryOf = (asked: Readonly<Record<string, string>>): string => `?${new URLSearchParams(asked).toString()}`;
const SAID = { wallets: 'Orange Money:wallet-a-senegal', referencePrefix: 'nov', leaveOut: '5' };

test('a check says how the table was read and what is refused, and nothing is written', async () => {
  const before = await disbursements();
  const { status, body } = await send(FILE, {
    type: XLSX,
    query: queryOf({ dryRun: 'true', referencePrefix: 'nov' }),
  });
  expect([status, body.state]).toEqual([200, 'invalid']);
  expect(body.table).toMatchObject({
    fields: { accountAlias: 'Téléphone', amount: 'Net à payer' },
    wallets: [{ name: 'Orange Money', rows: 2, mode: null }],
  });
  expect(body.refusedRows).toEqual([3, 4, 5]);
  const said = await send(FILE, { type: XLSX, query: queryOf({ ...SAID, dryRun: 'true' }) });
  expect(said.body).toMatchObject({
    state: 'awaiting_approval',
    totals: { count: 2, xof: 608_500 },
    refusedRows: [],
    sample: [{ row: 3, payeeName: 'Awa Diop', amount: 346_500, reference: 'nov-T-001' }, { row: 4 }],
  });
  expect(await disbursements()).toBe(before);
});

test('what is approved is the bytes and how they were read', async () => {
  const { status, body } = await send(FILE, { type: XLSX, query: queryOf(SAID) });
  expect([status, body.state]).toEqual([201, 'awaiting_approval']);
  expect(body.reading).toMatchObject({ leaveOut: [5], columns: { amount: 'Net à payer' } });
  const other = await send(FILE, { type: XLSX, query: queryOf({ ...SAID, referencePrefix: 'dec' }) });
  expect(other.body.id).not.toBe(body.id);
  expect(other.body.contentHash).not.toBe(body.contentHash);
  expect((await send(FILE, { type: XLSX, query: queryOf(SAID) })).body.id).toBe(body.id);
  expect((await approve(body.id, other.body.contentHash)).status).toBe(409);
  expect((await approve(body.id, body.contentHash)).status).toBe(200);
  const { items } = await get(`${body.id}/report`);
  expect(items.map((one: { reference: string }) => one.reference)).toEqual(['nov-T-001', 'nov-T-002']);
});

test.for([
  ['wallets', 'Orange Money'],
  ['leaveOut', '5,x'],
  ['referencePrefix', 'a\u200bb'],
] as const)('a reading that says nothing is refused: %s', async ([name, value]) => {
  const { status, body } = await send(FILE, { type: XLSX, query: queryOf({ [name]: value }) });
  expect([status, body.problems?.[0]?.pointer]).toEqual([422, `/${name}`]);
});

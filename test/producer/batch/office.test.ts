import { expect, test } from 'vitest';
import type { OfficeReading } from '../../../src/producer/batch/layout.ts';
import { readBatchFile as readFile } from '../../../src/producer/batch/read-file.ts';
import { xlsxOfTexts } from '../../files/workbooks.ts';
import { reworded } from '../../support/reworded.ts';

const WALLETS = { 'Orange Money': 'wallet-a-senegal', wave: 'wallet-d-senegal' };
const SALARIES = [
  ['Société Teranga SARL'],
  ['Salaires du mois de novembre 2026'],
  [],
  ['Matricule', 'Nom', 'Téléphone', 'Opérateur', 'Salaire brut', 'Net à payer'],
  ['T-001', 'Awa Diop', '77 512 04 08', 'Orange Money', '400 000', '346 500'],
  ['T-002', 'Moussa Fall', '+221 76 513 08 85', 'ORANGE MONEY', '300.000', '262.000,00 F'],
  ['T-003', 'Fatou Sarr', '70 514 13 62', 'Wave', '210000', '180500'],
  ['', 'TOTAL', '', '', '', '789 000'],
];

const read = async (table: readonly (readonly string[])[], office: OfficeReading = {}) =>
  reworded(await readFile(xlsxOfTexts(table), { format: 'xlsx', office })) as Awaited<ReturnType<typeof readFile>>;

test('a table of salaries is read by its own headings, with the wallets and the references that were said', async () => {
  const file = await read(SALARIES, { wallets: WALLETS, referencePrefix: 'salaires-2026-11', leaveOut: [8] });
  expect(file.problems).toEqual([]);
  expect(file.rows.map(({ row, request }) => [row, request])).toEqual(
    [
      [5, 'T-001', '77 512 04 08', 'wallet-a-senegal', 346_500, 'Awa Diop'],
      [6, 'T-002', '+221 76 513 08 85', 'wallet-a-senegal', 262_000, 'Moussa Fall'],
      [7, 'T-003', '70 514 13 62', 'wallet-d-senegal', 180_500, 'Fatou Sarr'],
    ].map(([row, own, accountAlias, withdrawMode, amount, payeeName]) => [
      row,
      { reference: `salaires-2026-11-${own}`, accountAlias, withdrawMode, amount, payeeName },
    ]),
  );
  expect(file.table).toMatchObject({
    titleRows: 2,
    fields: { accountAlias: 'Téléphone', amount: 'Net à payer', withdrawMode: 'Opérateur', reference: 'Matricule' },
    wallets: [
      { name: 'Orange Money', rows: 2, mode: 'wallet-a-senegal' },
      { name: 'Wave', rows: 1, mode: 'wallet-d-senegal' },
    ],
  });
  // The gross pay and the name stand beside each row for its approver.
  expect(file.own).toEqual(['Nom', 'Salaire brut']);
  expect(file.warnings?.map(({ reason }) => reason)).toContain('has rows that are left out on request: 8');
});

test('a name of a wallet that nobody explained is told with its rows, and guessed by nobody', async () => {
  const { rows, table } = await read(SALARIES, { referencePrefix: 'x' });
  expect(rows[0]?.request['withdrawMode']).toBe('Orange Money');
  expect(table?.wallets.map(({ mode }) => mode)).toEqual([null, null]);
});

test('a column of any name is read as the field that the request names', async () => {
  const table = [
    ['Qui', 'Où', 'Combien'],
    ['Awa', '771234567', '25 000'],
  ];
  expect((await read(table)).problems.map(({ column }) => column)).toEqual([
    'accountAlias',
    'amount',
    'withdrawMode',
    'reference',
  ]);
  const file = await read(table, {
    columns: { accountAlias: 'où', amount: 'Combien', payeeName: 'Qui' },
    wallet: 'wallet-a-senegal',
    referencePrefix: 'primes',
  });
  expect(file.rows.map(({ request }) => request)).toEqual([
    {
      accountAlias: '771234567',
      amount: 25_000,
      payeeName: 'Awa',
      withdrawMode: 'wallet-a-senegal',
      reference: 'primes-2',
    },
  ]);
});

test('two columns that may be the amount are a question, and not the first of them', async () => {
  const file = await read(
    [
      ['Téléphone', 'Montant', 'Montant à payer'],
      ['771234567', '1', '2'],
    ],
    { wallet: 'service', referencePrefix: 'x' },
  );
  expect(file.problems).toEqual([
    { row: 1, column: 'amount', reason: 'may be one of several columns: Montant, Montant à payer' },
  ]);
});

test('an amount with two meanings is refused until somebody says what its point means', async () => {
  const table = [
    ['Téléphone', 'Montant'],
    ['771234567', '346.500'],
    ['771234568', '12,50'],
  ];
  const said = { wallet: 'wallet-a-senegal', referencePrefix: 'x' };
  expect((await read(table, said)).rows.map(({ problems }) => problems[0]?.reason)).toEqual([
    'is 346.500: it may be francs and a part, or thousands; confirm thousands, or write 25000',
    'must be an amount in whole francs, such as 25 000',
  ]);
  const { rows } = await read(table, { ...said, thousands: true });
  expect(rows.map(({ request }) => request['amount'])).toEqual([346_500, undefined]);
});

test('how it was read is told whole, and nothing is told of a table with our own columns', async () => {
  const named = { referencePrefix: 'x', wallets: WALLETS, leaveOut: [8] };
  expect((await read(SALARIES, named)).reading).toEqual({
    referencePrefix: 'x',
    leaveOut: [8],
    wallets: { orangemoney: 'wallet-a-senegal', wave: 'wallet-d-senegal' },
    columns: {
      accountAlias: 'Téléphone',
      amount: 'Net à payer',
      withdrawMode: 'Opérateur',
      reference: 'Matricule',
      payeeName: 'Nom',
    },
  });
  const ours = [
    ['reference', 'accountAlias', 'amount', 'withdrawMode'],
    ['a', '771234567', '25000', 'wallet-a-senegal'],
  ];
  expect((await read(ours)).reading).toBeUndefined();
});

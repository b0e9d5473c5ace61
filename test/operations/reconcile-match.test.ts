/** Statements in the formats of banks and spreadsheets. */
import { describe, expect, test } from 'vitest';
import { columnsIn, match, type Ours, readTheirs, type Theirs } from '../../src/operations/reconcile-match.ts';

const WANTED = { transactionId: 'Référence', amount: 'Montant', date: 'Date' };
const HEADINGS = ['Référence', 'Montant', 'Date'];
const read = (cells: readonly string[]) => readTheirs({ row: 2, cells }, columnsIn(HEADINGS, WANTED), WANTED);

describe('an amount', () => {
  test.for([
    ['25000', 25_000],
    ['25 000 FCFA', 25_000],
    ['25\u202f000 F CFA', 25_000],
    ['CFA 25 000', 25_000],
    ['25000F', 25_000],
    ['25 000,00 XOF', 25_000],
    ['25.000', 25_000],
    ['1.225.000,00', 1_225_000],
    ['+25000', 25_000],
    ['25\u200b 000', 25_000],
    ['-25 000', -25_000],
    ['\u221225 000', -25_000],
    ['25 000-', -25_000],
    ['(25 000)', -25_000],
    ['(25 000 FCFA)', -25_000],
  ] as const)('%j is read', ([amount, francs]) => {
    expect(read(['TX1', amount, '22/11/2026'])).toEqual({
      row: 2,
      transactionId: 'TX1',
      amount: francs,
      date: '2026-11-22',
    });
  });

  test.for(['12.5', '25,000,5', '25 EUR', '(25 000', '', '--25', '1e3', 'F'])('%j is none', (amount) => {
    expect(read(['TX1', amount, '22/11/2026'])).toMatchObject({ code: 'amount' });
  });
});

test.for([
  ['22/11/26', '2026-11-22'],
  ['1.2.27', '2027-02-01'],
  ['22-11-26 14:03', '2026-11-22'],
] as const)('the year of %s has two digits', ([written, date]) => {
  expect(read(['TX1', '1', written])).toMatchObject({ date });
});

test.for(['11/22/26', '22/11/126', '22/11/2'])('%s is no date', (written) => {
  expect(read(['TX1', '1', written])).toMatchObject({ code: 'date' });
});

test('invisible characters are no part of an id', () => {
  expect(read(['\u200eTX6DE995616280\u200b', '1', '22/11/2026'])).toMatchObject({ transactionId: 'TX6DE995616280' });
  expect(read(['\u200b', '1', '22/11/2026'])).toMatchObject({ code: 'empty' });
});

test('a heading is the same in both forms of Unicode, with unseen characters, and in capitals where no other is', () => {
  const written = ['Re\u0301fe\u0301rence', '\u200bMontant ', 'DATE'];
  expect(columnsIn(written, WANTED)).toEqual({ transactionId: 0, amount: 1, date: 2 });
  expect(columnsIn(['date', 'Date', 'Montant'], WANTED)).toEqual({ transactionId: -1, amount: 2, date: 1 });
});

describe('a bank that writes money out as negative', () => {
  const ours = (id: string, amount: number): Ours => ({
    id,
    state: 'succeeded',
    account: 'main',
    amount,
    transactionId: `TX-${id}`,
    reference: null,
  });
  const theirs = (id: string, amount: number): Theirs => ({
    row: 2,
    transactionId: `TX-${id}`,
    amount,
    date: '2026-11-22',
  });
  const two = [ours('a', 500), ours('b', 700)];

  test('is matched', () => {
    expect(match([theirs('a', -500), theirs('b', -700)], two)).toMatchObject({
      matched: { count: 2, xof: 1_200 },
      differentAmount: [],
    });
  });

  test('shows a payment that came back as a different amount', () => {
    const { differentAmount } = match([theirs('a', -500), theirs('b', 700), theirs('c', -1)], [...two, ours('c', 1)]);
    expect(differentAmount).toMatchObject([{ id: 'b', amount: 700, ours: 700 }]);
  });

  test('shows a payment that came back where money out is positive', () => {
    const { differentAmount } = match([theirs('a', 500), theirs('b', -700)], two);
    expect(differentAmount).toMatchObject([{ id: 'b', amount: -700, ours: 700 }]);
  });
});

import { describe, expect, test } from 'vitest';
import type { Limits } from '../../../src/kinds/limits.ts';
import { accountOf, judgeFile as judgeRead } from '../../../src/producer/batch/door.ts';
import { readBatchFile } from '../../../src/producer/batch/read-file.ts';
import { reworded } from '../../support/reworded.ts';

/** With its messages as texts. */
const judgeFile = async (...given: Parameters<typeof judgeRead>): Promise<Awaited<ReturnType<typeof judgeRead>>> =>
  reworded(await judgeRead(...given)) as Awaited<ReturnType<typeof judgeRead>>;

const row = {
  reference: 'sal-1',
  accountAlias: '771234567',
  amount: 25_000,
  withdrawMode: 'wallet-a-senegal',
};
type Row = Readonly<Record<string, unknown>>;

async function judge(
  rows: readonly Row[],
  { limits = {}, spentToday = 0 }: { limits?: Limits; spentToday?: number } = {},
) {
  const file = await readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
  return judgeFile(file, {
    environment: 'test',
    account: 'main',
    accounts: new Set(['main', 'shop']),
    limits,
    spentToday,
  });
}

const people = (count: number, more: Row = {}): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    ...row,
    reference: `sal-${at}`,
    accountAlias: String(770_000_000 + at),
    ...more,
  }));

describe('a row that is wrong by itself is named with its column', () => {
  test.for<[Row, string | null, string]>([
    [{ amount: 0 }, 'amount', ''],
    [{ amount: -5 }, 'amount', ''],
    [{ amount: 25.5 }, 'amount', 'whole number of XOF'],
    [{ amount: '25000' }, 'amount', 'whole number of XOF'],
    [{ amount: null }, 'amount', ''],
    [{ amount: undefined }, 'amount', 'whole number of XOF'],
    [{ amount: 1e15 }, 'amount', ''],
    [{ reference: undefined }, 'reference', 'is required'],
    [{ reference: '  ' }, 'reference', ''],
    [{ reference: 'a\u0000b' }, 'reference', 'the invisible character U+0000'],
    [{ reference: 7 }, 'reference', ''],
    [{ accountAlias: '+2250700000000' }, 'accountAlias', 'must be a phone number of'],
    [{ accountAlias: '7.71E+08' }, 'accountAlias', 'digits'],
    [{ withdrawMode: 'wallet-a-sn' }, 'withdrawMode', 'did you mean "wallet-a-senegal"?'],
    [{ withdrawMode: 'wallet-f-burkina' }, 'withdrawMode', 'did you mean "wallet-f-burkina-faso"?'],
    [{ debitAccountNumber: 'BBJ0123456789' }, 'debitAccountNumber', 'only with the withdraw mode "service"'],
    [{ account: 'elsewhere' }, 'account', 'must be a configured account'],
    [{ account: 'shop' }, 'account', 'one batch is paid by one account'],
    [{ allowDuplicate: 'yes' }, 'allowDuplicate', ''],
    [{ amountt: 5 }, 'amountt', 'is not a column here'],
  ])('%j', async ([wrong, column, reason]) => {
    const { problems, totals } = await judge([row, { ...row, reference: 'sal-2', ...wrong }]);
    expect(problems.list).toContainEqual({ row: 2, column, reason: expect.stringContaining(reason) });
    expect(problems.list.every((problem) => problem.row === 2)).toBe(true);
    expect(totals.count).toBe(1);
  });

  test('every problem of a row is reported at once', async () => {
    const { problems } = await judge([{ amount: 0, accountAlias: '', withdrawMode: '' }]);
    const columns = new Set(problems.list.map(({ column }) => column));
    expect(columns).toEqual(new Set(['accountAlias', 'amount', 'reference', 'withdrawMode']));
  });

  test('an unreadable cell is reported once, and hides no other', async () => {
    const csv = 'reference;accountAlias;amount;withdrawMode\nsal-1;771234567;1e3;wallet-a-sn\n';
    const file = await readBatchFile(Buffer.from(csv), { format: 'csv' });
    const { problems } = await judgeFile(file, { environment: 'test', account: 'main', limits: {} });
    expect(problems.list.map(({ column }) => column)).toEqual(['amount', 'withdrawMode']);
  });
});

describe('rows against each other', () => {
  test('the same reference twice is refused, and the first row is named', async () => {
    const { problems, totals } = await judge([row, { ...row, amount: 1, accountAlias: '770000001' }]);
    expect(problems.list).toEqual([
      { row: 2, column: 'reference', reason: 'is already used by row 1; each row needs its own' },
    ]);
    expect(totals).toMatchObject({ count: 1, xof: 25_000 });
  });

  test('the same payment under another reference is pointed at', async () => {
    const again = { ...row, reference: 'sal-2', accountAlias: '+221 77 123 45 67' };
    const { problems, warnings } = await judge([row, again]);
    expect(problems.count).toBe(0);
    expect(warnings.list).toEqual([{ row: 2, column: 'amount', reason: 'to this beneficiary is also in row 1' }]);
  });

  test('the same payment is refused where DUPLICATE_WINDOW is set, unless it is meant', async () => {
    const again = { ...row, reference: 'sal-2' };
    const limits = { DUPLICATE_WINDOW: 60_000 };
    expect((await judge([row, again], { limits })).problems.list).toMatchObject([{ row: 2, column: 'amount' }]);
    expect((await judge([row, { ...again, allowDuplicate: true }], { limits })).problems.count).toBe(0);
  });

  test('the same payment through another channel is the same payment', async () => {
    const { warnings } = await judge([row, { ...row, reference: 'sal-2', withdrawMode: 'wallet-b-senegal' }]);
    expect(warnings.list).toEqual([{ row: 2, column: 'amount', reason: 'to this beneficiary is also in row 1' }]);
  });

  test('an account of the provider in other letters is the same beneficiary', async () => {
    const shop = { ...row, withdrawMode: 'service', accountAlias: 'shop-7741' };
    const again = { ...shop, reference: 'sal-2', accountAlias: 'Shop-7741' };
    const { problems } = await judge([shop, again], { limits: { DUPLICATE_WINDOW: 60_000 } });
    expect(problems.list).toEqual([
      { row: 2, column: 'amount', reason: expect.stringContaining('to this beneficiary is also in row 1') },
    ]);
    const each = await judge([shop, { ...again, amount: 1 }], { limits: { MAX_PER_BENEFICIARY_DAY: 25_000 } });
    expect(each.problems.list).toMatchObject([{ row: 2, column: 'amount' }]);
  });

  test('an account of the provider with an invisible character is refused by name', async () => {
    const csv =
      'reference;accountAlias;amount;withdrawMode\nr-1;shop-7741;25000;service\nr-2;shop-7741\u200b;25000;service\n';
    const file = await readBatchFile(Buffer.from(csv), { format: 'csv' });
    const { problems } = await judgeFile(file, { environment: 'test', account: 'main', limits: {} });
    expect(problems.list).toEqual([
      { row: 3, column: 'accountAlias', reason: expect.stringContaining('the invisible character U+200B') },
    ]);
  });

  test('another amount or beneficiary is another payment', async () => {
    const others = [{ amount: 1 }, { accountAlias: '770000001' }];
    const { warnings } = await judge([
      row,
      ...others.map((other, at) => ({ ...row, reference: `o-${at}`, ...other })),
    ]);
    expect(warnings.count).toBe(0);
  });
});

describe('references that already exist', () => {
  const reading = readBatchFile(Buffer.from(JSON.stringify(people(3))), { format: 'json' });
  const options = { environment: 'test', account: 'main', limits: { MAX_PER_DAY: 50_000 } };

  test('another request: refused, and named', async () => {
    const { problems } = await judgeFile(await reading, { ...options, limits: {} }, async () => [
      undefined,
      { id: 'dsb_other', same: false, differs: ['/amount'] },
      undefined,
    ]);
    expect(problems.list).toEqual([
      {
        row: 2,
        column: 'reference',
        reason: 'is already used by dsb_other, another disbursement; not the same: /amount',
      },
    ]);
  });

  test('the very same request: not paid again, and not counted against a limit again', async () => {
    const { problems, warnings, totals } = await judgeFile(await reading, options, async () => [
      undefined,
      { id: 'dsb_same', same: true, differs: [] },
      undefined,
    ]);
    expect(problems.count).toBe(0);
    expect(warnings.list).toEqual([
      { row: 2, column: 'reference', reason: 'was accepted before as dsb_same; it is not paid again' },
    ]);
    expect(totals.xof).toBe(75_000);
  });
});

describe('the limits of money', () => {
  test('MAX_DISBURSEMENT holds for each row', async () => {
    const rows = people(3).map((person, at) => ({ ...person, amount: 100 * (at + 1) }));
    const { problems } = await judge(rows, { limits: { MAX_DISBURSEMENT: 200 } });
    expect(problems.list).toMatchObject([{ row: 3, column: 'amount' }]);
  });

  test('MAX_PER_BENEFICIARY_DAY applies to one person’s rows together', async () => {
    const rows = people(3, { accountAlias: '771234567' }).map((one, at) => ({ ...one, amount: 100 + at }));
    const { problems } = await judge(rows, { limits: { MAX_PER_BENEFICIARY_DAY: 250 } });
    expect(problems.list).toMatchObject([{ row: 3, column: 'amount' }]);
  });

  test('MAX_PER_DAY applies to the file, together with what was accepted today', async () => {
    const limits = { MAX_PER_DAY: 75_000 };
    expect((await judge(people(3), { limits })).problems.count).toBe(0);
    expect((await judge(people(3), { limits, spentToday: 1 })).problems.list).toMatchObject([
      { row: null, column: 'amount' },
    ]);
    expect((await judge(people(4), { limits })).problems.list).toMatchObject([{ row: null, column: 'amount' }]);
  });
});

describe('totals', () => {
  test('per country, per mode and overall', async () => {
    const rows = [
      ...people(2),
      { ...row, reference: 'ci', accountAlias: '0700000000', withdrawMode: 'wallet-a-ci', amount: 7 },
      { ...row, reference: 'srv', accountAlias: 'ACC1', withdrawMode: 'service', amount: 3 },
    ];
    expect((await judge(rows)).totals).toEqual({
      count: 4,
      xof: 50_010,
      countries: { SN: { count: 2, xof: 50_000 }, CI: { count: 1, xof: 7 }, service: { count: 1, xof: 3 } },
      modes: {
        'wallet-a-senegal': { count: 2, xof: 50_000 },
        'wallet-a-ci': { count: 1, xof: 7 },
        service: { count: 1, xof: 3 },
      },
    });
  });

  test('a sum that is no longer exact to the franc is refused', async () => {
    const { problems } = await judge(people(9_100, { amount: 1e12 }));
    expect(problems.list).toMatchObject([{ row: null, column: 'amount', reason: expect.stringContaining('add up') }]);
  });

  test('an odd number is pointed at and not refused', async () => {
    const { problems, warnings } = await judge([{ ...row, accountAlias: '7712345' }]);
    expect(problems.count).toBe(0);
    expect(warnings.list).toMatchObject([{ row: 1, column: 'accountAlias' }]);
  });
});

test('ten thousand problems are counted, and a hundred are stored', async () => {
  const { problems } = await judge(people(10_000, { amount: 0 }));
  expect(problems.count).toBe(10_000);
  expect(problems.list).toHaveLength(100);
});

test('the account is the one asked for, else the first that a row names, else main', async () => {
  const file = (...rows: Row[]) => readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
  expect(accountOf(await file(row), undefined)).toBe('main');
  expect(accountOf(await file(row, { ...row, account: 'shop' }), undefined)).toBe('shop');
  expect(accountOf(await file({ ...row, account: 'shop' }), 'other')).toBe('other');
  expect(accountOf(await file({ ...row, account: 'not a name' }), undefined)).toBe('main');
});

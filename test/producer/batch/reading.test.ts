import { describe, expect, test } from 'vitest';
import { type BatchFormat, readBatchFile } from '../../../src/producer/batch/read-file.ts';
import { ROWS_MAX } from '../../../src/producer/batch/rows.ts';

const HEADER = 'reference;accountAlias;amount;withdrawMode';
const ROW = 'sal-1;771234567;25000;wallet-a-senegal';
const read = (text: string | Buffer, format: BatchFormat = 'csv') => readBatchFile(Buffer.from(text), format);
const request = {
  reference: 'sal-1',
  accountAlias: '771234567',
  amount: 25_000,
  withdrawMode: 'wallet-a-senegal',
};

describe('a CSV file', () => {
  test.for([
    [';', '\n'],
    [',', '\r\n'],
    ['\t', '\r'],
  ] as const)('is read whatever separates it: %j %j', ([delimiter, newline]) => {
    const text = [HEADER, ROW, ''].join(newline).replaceAll(';', delimiter);
    expect(read(text).rows).toEqual([{ row: 2, request, problems: [] }]);
  });

  test('a byte order mark belongs to the bytes and not to the header', () => {
    const marked = read(`\ufeff${HEADER}\n${ROW}\n`);
    expect(marked.rows).toEqual([{ row: 2, request, problems: [] }]);
    expect(marked.contentHash).not.toBe(read(`${HEADER}\n${ROW}\n`).contentHash);
  });

  test('rows are numbered as a spreadsheet does, blank ones too', () => {
    const { rows } = read(`${HEADER}\n\n${ROW}\n;;;\n${ROW}\n`);
    expect(rows.map(({ row }) => row)).toEqual([3, 5]);
  });

  test('quotes keep a separator together', () => {
    expect(read(`${HEADER}\n"a;b";771234567;1;service\n`).rows[0]?.request['reference']).toBe('a;b');
  });

  test.for([
    '1e3',
    '25 000',
    ' 25000',
    '25000.00',
    '25000,5',
    '-5',
    '+5',
    '0',
    '025000',
    '0x10',
    '25000F',
    '٢٥',
    '9'.repeat(14),
  ])('the amount %j is not written plainly', (amount) => {
    const { rows } = read(`${HEADER}\nsal-1;771234567;"${amount}";wallet-a-senegal\n`);
    expect(rows[0]?.problems).toEqual([
      { row: 2, column: 'amount', reason: 'must be whole francs in plain digits, such as 25000' },
    ]);
    expect(rows[0]?.request).not.toHaveProperty('amount');
  });

  test('an empty cell is a field that is not there', () => {
    const { rows } = read(`${HEADER};debitAccountNumber;allowDuplicate\n${ROW};;\n`);
    expect(rows[0]?.request).toEqual(request);
  });

  test.for([
    ['true', true],
    ['false', false],
  ] as const)('allowDuplicate %s', ([cell, value]) => {
    expect(read(`${HEADER};allowDuplicate\n${ROW};${cell}\n`).rows[0]?.request['allowDuplicate']).toBe(value);
  });

  test('allowDuplicate is true or false and nothing like them', () => {
    const { rows } = read(`${HEADER};allowDuplicate\n${ROW};yes\n`);
    expect(rows[0]?.problems[0]).toMatchObject({ row: 2, column: 'allowDuplicate' });
  });

  test.for([`${ROW};more`, 'sal-1;771234567;25000'])('a row of another length is refused: %s', (row) => {
    const { rows } = read(`${HEADER}\n${row}\n`);
    expect(rows[0]?.problems[0]?.reason).toMatch(/has \d cells, where the header has 4/);
  });
});

describe('a header', () => {
  test.for([
    ['reference;accountAlias;montant;withdrawMode', 'montant', 'is not a column here; the columns are reference,'],
    ['reference;account_alias;amount;withdrawMode', 'account_alias', 'did you mean "accountAlias"?'],
    ['reference;accountAlias;Amount;withdrawMode', 'Amount', 'did you mean "amount"?'],
    ['reference;accountAlias;amount;amount;withdrawMode', 'amount', 'is there twice'],
    ['accountAlias;amount;withdrawMode', 'reference', 'is missing'],
    ['reference;accountAlias;amount;withdrawMode;notBefore', 'notBefore', 'is not a column here'],
    ['reference;accountAlias;amount;withdrawMode;', '', 'is not a column here'],
    ['reference;accountAlias;amount;withdrawMode;__proto__', '__proto__', 'is not a column here'],
  ] as const)('%s', ([header, column, reason]) => {
    const { rows, problems } = read(`${header}\n${ROW}\n`);
    expect(rows).toEqual([]);
    expect(problems).toContainEqual({ row: 1, column, reason: expect.stringContaining(reason) });
  });
});

describe('JSON', () => {
  test('an array and lines are read to the same rows', () => {
    const rows = [{ row: 1, request, problems: [] }];
    expect(read(JSON.stringify([request]), 'json').rows).toEqual(rows);
    expect(read(`${JSON.stringify(request)}\n`, 'ndjson').rows).toEqual(rows);
  });

  test('lines are numbered as they stand in the file', () => {
    expect(read(`\n${JSON.stringify(request)}\n`, 'ndjson').rows[0]?.row).toBe(2);
  });

  test('a broken line spoils itself only', () => {
    const { rows } = read(`{"reference":\n${JSON.stringify(request)}`, 'ndjson');
    expect(rows[0]?.problems[0]?.reason).toContain('is not JSON');
    expect(rows[1]?.problems).toEqual([]);
  });

  test.for(['[1]', '[null]', '[[]]', '["x"]'])('%s is no disbursement', (text) => {
    expect(read(text, 'json').rows[0]?.problems).toEqual([{ row: 1, column: null, reason: 'must be an object' }]);
  });

  test('a field that a batch does not take is named, and so is one that looks like another', () => {
    const given = { ...request, notBefore: '2030-01-01T00:00:00Z', Amount: 1 };
    const { rows } = read(JSON.stringify([given]), 'json');
    expect(rows[0]?.problems.map(({ column }) => column)).toEqual(['notBefore', 'Amount']);
    expect(rows[0]?.request).toEqual(request);
  });

  test('nothing that is written in it reaches a prototype', () => {
    const { rows } = read('[{"__proto__":{"amount":1}}]', 'json');
    expect(rows[0]?.problems[0]).toMatchObject({ column: '__proto__' });
    expect(rows[0]?.request['amount']).toBeUndefined();
  });
});

describe('a file that is no list of disbursements is refused as a whole', () => {
  test.for([
    ['nothing', '', 'csv', 'is missing'],
    ['nothing', '', 'ndjson', 'has no rows'],
    ['no elements', '[]', 'json', 'has no rows'],
    ['a header alone', `${HEADER}\n`, 'csv', 'has no rows'],
    ['an object', '{"rows":[]}', 'json', 'must be a JSON array'],
    ['half of an array', '[{"a":1}', 'json', 'is not JSON'],
    ['a quote that never ends', `${HEADER}\n"sal-1;77\n`, 'csv', 'CSV_QUOTE_NOT_CLOSED'],
    ['a row without an end', `${HEADER}\n"${'x'.repeat(20_000)}`, 'csv', 'CSV_MAX_RECORD_SIZE'],
    ['a workbook', 'PK\x03\x04....', 'csv', 'is a workbook'],
  ] as const)('%s', ([, text, format, reason]) => {
    const { rows, problems } = read(text, format);
    expect(rows).toEqual([]);
    expect(problems[0]?.reason).toContain(reason);
  });

  test('text that is not UTF-8', () => {
    const latin = Buffer.concat([
      Buffer.from(`${HEADER}\nsal-`),
      Buffer.from([0xe9]),
      Buffer.from(';77;1;service\n'),
    ]);
    expect(read(latin).problems[0]?.reason).toContain('is not UTF-8');
    expect(read(Buffer.from(`${HEADER}\n${ROW}`, 'utf16le')).problems[0]?.reason).toContain('is not UTF-8');
  });

  test.for([
    ['csv', (rows: number) => `${HEADER}\n${`${ROW}\n`.repeat(rows)}`],
    ['ndjson', (rows: number) => '{}\n'.repeat(rows)],
    ['json', (rows: number) => `[${Array.from({ length: rows }, () => '{}').join(',')}]`],
  ] as const)('more than ten thousand rows of %s', ([format, text]) => {
    expect(read(text(ROWS_MAX), format).rows).toHaveLength(ROWS_MAX);
    expect(read(text(ROWS_MAX + 1), format)).toMatchObject({ rows: [], problems: [{ row: null }] });
  });

  test('a wall of blank rows hides nothing behind it', () => {
    const { rows, problems } = read(`${HEADER}\n${ROW}\n${';;;\n'.repeat(12_000)}${ROW}\n`);
    expect(rows).toEqual([]);
    expect(problems[0]?.reason).toContain('has more than');
  });
});

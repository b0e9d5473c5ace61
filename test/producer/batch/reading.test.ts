import { describe, expect, test } from 'vitest';
import { type BatchFormat, readBatchFile as readFile } from '../../../src/producer/batch/read-file.ts';
import { ROWS_MAX } from '../../../src/producer/batch/rows.ts';
import { rowOf, xlsxOf, xlsxOfTexts } from '../../files/workbooks.ts';
import { reworded } from '../../support/reworded.ts';

/** With its messages as texts. */
const readBatchFile = async (...given: Parameters<typeof readFile>): ReturnType<typeof readFile> =>
  reworded(await readFile(...given)) as Awaited<ReturnType<typeof readFile>>;
const HEADER = 'reference;accountAlias;amount;withdrawMode';
const ROW = 'sal-1;771234567;25000;wallet-a-senegal';
const read = (text: string | Buffer, format: BatchFormat = 'csv') => readBatchFile(Buffer.from(text), { format });
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
  ] as const)('is read with any separator: %j %j', async ([delimiter, newline]) => {
    const text = [HEADER, ROW, ''].join(newline).replaceAll(';', delimiter);
    expect((await read(text)).rows).toEqual([{ row: 2, request, problems: [] }]);
  });

  test('a byte order mark belongs to the bytes and not to the header', async () => {
    const marked = await read(`\ufeff${HEADER}\n${ROW}\n`);
    expect(marked.rows).toEqual([{ row: 2, request, problems: [] }]);
    expect(marked.contentHash).not.toBe((await read(`${HEADER}\n${ROW}\n`)).contentHash);
  });

  test('rows are numbered as a spreadsheet does, blank ones too', async () => {
    const { rows } = await read(`${HEADER}\n\n${ROW}\n;;;\n${ROW}\n`);
    expect(rows.map(({ row }) => row)).toEqual([3, 5]);
  });

  test('quotes keep a separator together', async () => {
    expect((await read(`${HEADER}\n"a;b";771234567;1;service\n`)).rows[0]?.request['reference']).toBe('a;b');
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
  ])('the amount %j is not written plainly', async (amount) => {
    const { rows } = await read(`${HEADER}\nsal-1;771234567;"${amount}";wallet-a-senegal\n`);
    expect(rows[0]?.problems).toEqual([
      { row: 2, column: 'amount', reason: 'must be whole francs in plain digits, such as 25000' },
    ]);
    expect(rows[0]?.request).not.toHaveProperty('amount');
  });

  test('an empty cell is a field that is not there', async () => {
    const { rows } = await read(`${HEADER};debitAccountNumber;allowDuplicate\n${ROW};;\n`);
    expect(rows[0]?.request).toEqual(request);
  });

  test.for([
    ['true', true],
    ['false', false],
  ] as const)('allowDuplicate %s', async ([cell, value]) => {
    expect((await read(`${HEADER};allowDuplicate\n${ROW};${cell}\n`)).rows[0]?.request['allowDuplicate']).toBe(value);
  });

  test('allowDuplicate is true or false and nothing like them', async () => {
    const { rows } = await read(`${HEADER};allowDuplicate\n${ROW};yes\n`);
    expect(rows[0]?.problems[0]).toMatchObject({ row: 2, column: 'allowDuplicate' });
  });

  test.for([`${ROW};more`, 'sal-1;771234567;25000'])('a row of another length is refused: %s', async (row) => {
    const { rows } = await read(`${HEADER}\n${row}\n`);
    expect(rows[0]?.problems[0]?.reason).toMatch(/has \d cells, where the header has 4/);
  });
});

describe('a header', () => {
  test.for([
    ['reference;accountAlias;montant;withdrawMode', 'amount', 'is missing'],
    [
      'reference;accountAlias;amount;withdrawMode;allow_duplicates',
      'allow_duplicates',
      'did you mean "allowDuplicate"?',
    ],
    ['reference;accountAlias;amount;withdrawMode;ammount', 'ammount', 'did you mean "amount"?'],
    ['reference;accountAlias;amount;withdrawMode;Not before', 'Not before', 'is not taken from a file'],
    ['reference;account_alias;amount;withdrawMode', 'account_alias', 'did you mean "accountAlias"?'],
    ['reference;accountAlias;Amount;withdrawMode', 'Amount', 'did you mean "amount"?'],
    ['reference;accountAlias;amount;amount;withdrawMode', 'amount', 'is there twice'],
    ['accountAlias;amount;withdrawMode', 'reference', 'is missing'],
    ['reference;accountAlias;amount;withdrawMode;notBefore', 'notBefore', 'is not taken from a file'],
    ['reference;accountAlias;amount;withdrawMode;', '', 'has no heading'],
  ] as const)('%s', async ([header, column, reason]) => {
    const { rows, problems } = await read(`${header}\n${ROW}\n`);
    expect(rows).toEqual([]);
    expect(problems).toContainEqual({ row: 1, column, reason: expect.stringContaining(reason) });
  });
});

describe('columns of its own', () => {
  test('are stored with each row, and are not part of its request', async () => {
    const file = await read(`Nom;${HEADER};Service;Nom\n=1;${ROW};Caisse;Ndiaye\n;${ROW};;\n`);
    expect(file.own).toEqual(['Nom', 'Service', 'Nom (2)']);
    expect(file.rows).toEqual([
      { row: 2, request, problems: [], own: ['=1', 'Caisse', 'Ndiaye'] },
      { row: 3, request, problems: [], own: ['', '', ''] },
    ]);
    expect(file.problems).toEqual([]);
    const reason = 'has columns that are not read, and come back in the report: Nom, Service, Nom (2)';
    expect(file.warnings).toEqual([{ row: null, column: null, reason }]);
  });

  test('called as one of ours get a number in the report', async () => {
    expect((await read(`${HEADER};state\n${ROW};VIP\n`)).own).toEqual(['state (2)']);
  });

  test('are truncated if a row is too long, and that is reported', async () => {
    const file = await read(`${HEADER};Note\n${ROW};${'x'.repeat(1_001)}\n`);
    expect(file.rows[0]?.own).toEqual([`${'x'.repeat(999)}…`]);
    expect(file.warnings).toContainEqual({
      row: 2,
      column: null,
      reason: 'has more in columns of its own than comes back in the report: 1000 characters do',
    });
  });
});

describe('JSON', () => {
  test('an array and lines are read to the same rows', async () => {
    const rows = [{ row: 1, request, problems: [] }];
    expect((await read(JSON.stringify([request]), 'json')).rows).toEqual(rows);
    expect((await read(`${JSON.stringify(request)}\n`, 'ndjson')).rows).toEqual(rows);
  });

  test('lines have the numbers of the file', async () => {
    expect((await read(`\n${JSON.stringify(request)}\n`, 'ndjson')).rows[0]?.row).toBe(2);
  });

  test('a broken line spoils itself only', async () => {
    const { rows } = await read(`{"reference":\n${JSON.stringify(request)}`, 'ndjson');
    expect(rows[0]?.problems[0]?.reason).toContain('is not JSON');
    expect(rows[1]?.problems).toEqual([]);
  });

  test.for(['[1]', '[null]', '[[]]', '["x"]'])('%s is no disbursement', async (text) => {
    expect((await read(text, 'json')).rows[0]?.problems).toEqual([
      { row: 1, column: null, reason: 'must be an object' },
    ]);
  });

  test('a field that a batch does not accept is named, and so is a similar one', async () => {
    const given = { ...request, notBefore: '2030-01-01T00:00:00Z', Amount: 1 };
    const { rows } = await read(JSON.stringify([given]), 'json');
    expect(rows[0]?.problems.map(({ column }) => column)).toEqual(['notBefore', 'Amount']);
    expect(rows[0]?.request).toEqual(request);
  });

  test('nothing that is written in it reaches a prototype', async () => {
    const { rows } = await read('[{"__proto__":{"amount":1}}]', 'json');
    expect(rows[0]?.problems[0]).toMatchObject({ column: '__proto__' });
    expect(rows[0]?.request['amount']).toBeUndefined();
  });
});

describe('a file that is no list of disbursements is refused as a whole', () => {
  test.for([
    ['nothing', '', 'csv', 'The file is empty'],
    ['nothing', '', 'ndjson', 'has no rows'],
    ['no elements', '[]', 'json', 'has no rows'],
    ['a header alone', `${HEADER}\n`, 'csv', 'has no rows'],
    ['an object', '{"rows":[]}', 'json', 'must be a JSON array'],
    ['half of an array', '[{"a":1}', 'json', 'is not JSON'],
    ['a quote that never ends', `${HEADER}\n"sal-1;77\n`, 'csv', 'A quote was opened'],
    ['a row without an end', `${HEADER}\n"${'x'.repeat(70_000)}`, 'csv', 'longer than 64 kB'],
    ['half a workbook', 'PK\x03\x04....', 'csv', 'The workbook is damaged'],
  ] as const)('%s', async ([, text, format, reason]) => {
    const { rows, problems } = await read(text, format);
    expect(rows).toEqual([]);
    expect(problems[0]?.reason).toContain(reason);
  });

  test('text that is not UTF-8', async () => {
    const latin = Buffer.concat([
      Buffer.from(`${HEADER}\nsal-`),
      Buffer.from([0xe9]),
      Buffer.from(';77;1;service\n'),
    ]);
    expect((await read(latin)).problems[0]?.reason).toContain('is not UTF-8');
  });

  test.for([
    ['csv', (rows: number) => `${HEADER}\n${`${ROW}\n`.repeat(rows)}`],
    ['ndjson', (rows: number) => '{}\n'.repeat(rows)],
    ['json', (rows: number) => `[${Array.from({ length: rows }, () => '{}').join(',')}]`],
  ] as const)('more than ten thousand rows of %s', async ([format, text]) => {
    expect((await read(text(ROWS_MAX), format)).rows).toHaveLength(ROWS_MAX);
    expect(await read(text(ROWS_MAX + 1), format)).toMatchObject({ rows: [], problems: [{ row: null }] });
  });

  test('a wall of blank rows hides nothing behind it', async () => {
    const { rows, problems } = await read(`${HEADER}\n${ROW}\n${';;;\n'.repeat(12_000)}${ROW}\n`);
    expect(rows).toEqual([]);
    expect(problems[0]?.reason).toContain('has more than');
  });
});

describe('a workbook', () => {
  const HEAD = HEADER.split(';');
  const cells = ROW.split(';');
  const sheet = (...rows: readonly string[]) => xlsxOf({ rows: rows.join('') });
  const number = (value: string) => `<c><v>${value}</v></c>`;
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;

  test('is read to the same rows as CSV, with any media type', async () => {
    const book = xlsxOfTexts([HEAD, cells]);
    for (const format of ['csv', 'xlsx', 'ods'] as const) {
      expect((await read(book, format)).rows).toEqual([{ row: 2, request, problems: [] }]);
    }
  });

  test('numbers are numbers, and an amount with a fraction is none', async () => {
    const good = `<row>${text('sal-1')}${number('771234567')}${number('25000.0')}${text('wallet-a-senegal')}</row>`;
    const bad = `<row>${text('sal-2')}${number('771234567')}${number('2.5E1')}${text('x')}</row>`;
    const worse = `<row>${text('sal-3')}${number('771234567')}${number('25000.5')}${text('x')}</row>`;
    const { rows } = await read(sheet(rowOf(HEAD), good, bad, worse));
    expect(rows[0]).toEqual({ row: 2, request, problems: [] });
    expect(rows[1]?.request['amount']).toBe(25);
    expect(rows[2]?.problems[0]).toMatchObject({ row: 4, column: 'amount' });
  });

  test('a hidden row is never paid, nor is a formula without its result', async () => {
    const formula = `<row>${text('sal-2')}<c><f>A1</f></c>${number('1')}${text('x')}</row>`;
    const { rows } = await read(sheet(rowOf(HEAD), rowOf(cells, 'hidden="1"'), formula));
    expect(rows[0]).toMatchObject({
      request: {},
      problems: [{ row: 2, reason: expect.stringContaining('is hidden') }],
    });
    expect(rows[1]?.problems).toMatchObject([{ row: 3, column: 'accountAlias' }]);
  });

  test('a title above the header is no row, and a wrong header is named by its place', async () => {
    expect((await read(xlsxOfTexts([['Salaires, novembre'], [], HEAD, cells]))).rows).toEqual([
      { row: 4, request, problems: [] },
    ]);
    const { problems } = await read(xlsxOfTexts([['Salaires'], [...HEAD, 'notBefore'], cells]));
    expect(problems).toMatchObject([{ row: 2, column: 'notBefore' }]);
  });

  test('merged cells are reported', async () => {
    const book = xlsxOf({
      rows: [rowOf(HEAD), rowOf(cells)].join(''),
      behind: '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>',
    });
    expect((await read(book)).warnings).toMatchObject([{ row: null, reason: expect.stringContaining('merged') }]);
  });

  test('more than ten thousand rows', async () => {
    const { rows, problems } = await read(xlsxOfTexts([HEAD, ...Array.from({ length: ROWS_MAX + 1 }, () => cells)]));
    expect(rows).toEqual([]);
    expect(problems[0]?.reason).toContain('has more than');
  });
});

describe('a text in another encoding', () => {
  const accents = `${HEADER}\nsalaire-décembre;771234567;25000;wallet-a-senegal\n`;
  const expected = [{ row: 2, request: { ...request, reference: 'salaire-décembre' }, problems: [] }];

  test('UTF-16 is Unicode too', async () => {
    expect((await read(Buffer.from(`\ufeff${accents}`, 'utf16le'))).rows).toEqual(expected);
  });

  test('Windows-1252 is read where it is named, and never guessed: a reference is an identity', async () => {
    const bytes = Buffer.from(accents, 'latin1');
    expect((await read(bytes)).problems[0]?.reason).toContain('is not UTF-8 text');
    expect((await readBatchFile(bytes, { format: 'csv', encoding: 'windows-1252' })).rows).toEqual(expected);
  });

  test('a number that a program took for a measurement is whole', async () => {
    const { rows } = await read(`${HEADER}\n${ROW.replace('771234567', '771234567.0')}\n`);
    expect(rows).toEqual([{ row: 2, request, problems: [] }]);
  });
});

describe('descriptions of a payment', () => {
  const csv = `${[
    'reference;accountAlias;amount;withdrawMode;payeeName;purpose;metadata.orderId;Note',
    'a;771234567;25000;wallet-a-senegal;Awa Diop;Salary;1042;x',
    'b;771234568;25000;wallet-a-senegal;;;;',
  ].join('\n')}\n`;

  test('is read from its columns, and comes back with the others', async () => {
    const { rows, problems, warnings } = await readBatchFile(Buffer.from(csv), { format: 'csv' });
    expect(problems).toEqual([]);
    expect(rows.map((row) => row.request)).toMatchObject([
      { payeeName: 'Awa Diop', purpose: 'Salary', metadata: { orderId: '1042' } },
      { reference: 'b' },
    ]);
    expect(rows[1]?.request).not.toHaveProperty('metadata');
    expect(rows[0]?.own).toEqual(['Awa Diop', 'Salary', '1042', 'x']);
    expect(warnings?.map(({ reason }) => reason)).toEqual([expect.stringMatching(/report: Note$/)]);
  });

  test('is taken from JSON by the same names', async () => {
    const row = { reference: 'a', accountAlias: '771234567', amount: 1, withdrawMode: 'wallet-a-senegal' };
    const json = Buffer.from(JSON.stringify([{ ...row, payeeName: 'Awa', metadata: { a: '1' } }]));
    const { rows } = await readBatchFile(json, { format: 'json' });
    expect(rows[0]).toMatchObject({ request: { payeeName: 'Awa', metadata: { a: '1' } }, problems: [] });
    expect(rows[0]?.own).toEqual(['Awa', '1']);
  });
});

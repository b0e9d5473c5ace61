import { parse } from 'csv-parse/sync';
import { assert, array, constantFrom, property, string, tuple } from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { recipientsCsv } from '../../src/campaigns/recipients.ts';
import { reportCsv } from '../../src/campaigns/check/report.ts';
import { csvCell } from '../../src/files/csv.ts';
import { asTyped } from '../../src/files/own-cells.ts';
import { reportCsvLine } from '../../src/producer/batch/report.ts';
import { detail } from '../../src/messages/details.ts';

const BEGINNINGS = [
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '＝',
  '＋',
  '－',
  '＠',
  ' =',
  '\u00a0=',
  '\t =',
  '"=',
  ';=',
];
const RUNS = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

const cellsOf = (csv: string): string[][] => parse(csv, { delimiter: ';', bom: true, relax_column_count: true });

test('no cell is executed, and none of its content is lost', () => {
  const value = tuple(constantFrom(...BEGINNINGS, ''), string({ unit: 'grapheme' })).map(([a, b]) => a + b);
  assert(
    property(array(value, { minLength: 1, maxLength: 5 }), (values) => {
      const [cells = []] = cellsOf(`${values.map(csvCell).join(';')};end\r\n`);
      expect(cells.filter((cell) => RUNS.test(cell))).toEqual([]);
      expect(cells.slice(0, -1).map((cell, at) => (cell === values[at] ? cell : asTyped(cell)))).toEqual(values);
    }),
    { seed: 48_213, numRuns: 500 },
  );
});

test.each([
  ['Awa\u001b[31m Ba', 'Awa[31m Ba'],
  ['\u0000Awa\u0007\u0008\u007f', 'Awa'],
  ['Awa\u009b2J', 'Awa2J'],
  ['\u202e+221\u2066x\u2069', "'+221x"],
  ['\u0000=1+1', "'=1+1"],
  ['a;\u001b=1', `"a;'=1"`],
  ['Awa\nBa\tx', '"Awa\nBa\tx"'],
  ['👩\u200d👧 Thiès', '👩\u200d👧 Thiès'],
])('%j: no control character of a file reaches a user through a cell', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

/** With a comma as the separator, quotes in the middle of a line do not hold our cell together. */
describe('a spreadsheet that is set to another separator finds no formula within a cell', () => {
  const pieces = (written: string): string[] => written.split(/[,;|\t\r\n]/).slice(1);
  const runs = (piece: string): boolean => /^["\s]*[=+\-@＝＋－＠]/.test(piece);

  it.each([
    'a,=1+1',
    "Diop,=cmd|'/C calc'!A0,x",
    'Diop, \u00a0@SUM(1)',
    'Diop,"=1+1',
    'Diop," "＝1+1',
    'Diop\n=1+1',
    'Diop\r\n-1+1',
    'a|=1+1',
    'a\t+1+1',
    'a;=1+1,,=2,\n@3',
  ])('%j, and it comes back as it was', (value) => {
    const written = csvCell(value);
    expect(pieces(written).filter(runs)).toEqual([]);
    expect(cellsOf(`${written};end\r\n`).flat().map(asTyped)).toEqual([value, 'end']);
  });

  test('with any text around it', () => {
    const part = string({ unit: 'grapheme' });
    const between = constantFrom(',', ';', '|', '\t', '\r\n', '\n', ', "', ',""\t');
    const value = tuple(part, between, constantFrom('=', '+', '-', '@', '＝'), part).map((parts) => parts.join(''));
    assert(
      property(value, (text) => {
        const [[cell = ''] = []] = cellsOf(`${csvCell(text)};end\r\n`);
        expect(pieces(csvCell(text)).filter(runs)).toEqual([]);
        expect(asTyped(cell)).toBe(text);
      }),
      { seed: 51_907, numRuns: 500 },
    );
  });

  it.each(['Diop, Awa', "l'eau, l'air", "d'abord,'ensuite'", 'a-b,c+d', 'x = y, z = 1'])('%j stays', (value) => {
    expect([cellsOf(csvCell(value)), asTyped(value)]).toEqual([[[value]], value]);
  });
});

describe('no list of ours has a cell that runs', () => {
  const bad = '=HYPERLINK("http://x";"y")';
  const written = {
    'the skipped rows of a check': reportCsv(
      [
        {
          is: 'skipped',
          row: 2,
          to: bad,
          reason: 'empty_variable',
          column: bad,
          detail: detail('column', { column: bad }),
          cells: [bad, bad],
        },
      ],
      ['to', bad],
    ),
    'the recipients of a campaign': recipientsCsv(
      [{ to: bad, row: 2, state: 'failed', code: bad, reason: bad, sentAt: bad, own: { [bad]: bad } }],
      { columns: [bad] },
    ),
    'the report of a batch': reportCsvLine(
      {
        row: 2,
        reference: bad,
        id: bad,
        state: bad,
        reason: bad,
        amount: 1,
        accountAlias: bad,
        withdrawMode: bad,
        disburseId: bad,
        token: bad,
        transactionId: bad,
        providerRef: bad,
        own: { [bad]: bad },
      },
      [bad],
    ),
  };

  it.each(Object.entries(written))('%s', (_name, csv) => {
    const cells = cellsOf(csv).flat();
    expect(cells).toContain(`'${bad}`);
    expect(cells.filter((cell) => RUNS.test(cell))).toEqual([]);
  });
});

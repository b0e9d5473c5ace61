import { parse } from 'csv-parse/sync';
import { assert, array, constantFrom, property, string, tuple } from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { recipientsCsv } from '../../src/campaigns/recipients.ts';
import { reportCsv } from '../../src/campaigns/check/report.ts';
import { csvCell } from '../../src/files/csv.ts';
import { reportCsvLine } from '../../src/producer/batch/report.ts';
import { detail } from '../../src/words/details.ts';

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

test('whatever stands in a cell, nothing of it runs, and nothing of it is lost', () => {
  const value = tuple(constantFrom(...BEGINNINGS, ''), string({ unit: 'grapheme' })).map(([a, b]) => a + b);
  assert(
    property(array(value, { minLength: 1, maxLength: 5 }), (values) => {
      const [cells = []] = cellsOf(`${values.map(csvCell).join(';')};end\r\n`);
      expect(cells.filter((cell) => RUNS.test(cell))).toEqual([]);
      expect(cells.slice(0, -1).map((cell, at) => (cell === values[at] ? cell : cell.replace(/^'/, '')))).toEqual(
        values,
      );
    }),
    { seed: 48_213, numRuns: 500 },
  );
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
      [{ to: bad, row: 2, state: 'failed', code: bad, reason: bad, chunk: bad, sentAt: bad, own: { [bad]: bad } }],
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

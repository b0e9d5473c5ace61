import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NAMES, measureCheck, peakOfCheck } from '../../../script/bench-parts/check.ts';
import { odsOf, xlsxOf } from '../../files/workbooks.ts';

/** `./script/test --deep` checks the million; otherwise as many as show that memory does not follow the file. */
const DEEP = process.env['RELAIS_DEEP'] === '1';
const ROWS = DEEP ? 1_000_000 : 100_000;
const WORKBOOK_ROWS = DEEP ? 500_000 : 50_000;
/** Once more where garbage lay about for longer than usual: how soon it is collected is up to what else the machine does. */
const LONG = { timeout: 600_000, retry: 2 };

test(`${ROWS} rows are checked in less than 200 MB, and the rate is said`, LONG, async () => {
  const rates = await measureCheck({ rows: ROWS, rounds: 1 });
  process.stdout.write(
    `check: ${rates.check} rows/s, csv-parse alone ${rates.csvParse} rows/s (${rates.ratio}), ${rates.peakMb} MB\n`,
  );
  expect(rates.rows).toBe(ROWS);
  expect(rates.peakMb).toBeLessThan(200);
});

/** As Excel writes it: every text once in a table of its own, numbers as numbers, a place on every cell. */
function workbookOf(people: number): Buffer {
  const heads = ['numero', 'prenom', 'montant'];
  const numbers = Array.from(
    { length: people },
    (_, at) => `+22177${String((at * 7_919) % 10_000_000).padStart(7, '0')}`,
  );
  const strings = [...heads, ...NAMES, ...numbers].map((text) => `<si><t>${text}</t></si>`).join('');
  const shared = (place: string, at: number): string => `<c r="${place}" t="s"><v>${at}</v></c>`;
  const rows = numbers.map((_, at) => {
    const row = at + 2;
    const name = heads.length + (at % NAMES.length);
    const number = heads.length + NAMES.length + at;
    return `<row r="${row}">${shared(`A${row}`, number)}${shared(`B${row}`, name)}<c r="C${row}"><v>${(at * 37) % 90_000}</v></c></row>`;
  });
  const head = heads.map((_, at) => shared(`${'ABC'.charAt(at)}1`, at)).join('');
  return xlsxOf({ strings, rows: `<row r="1">${head}</row>${rows.join('')}` });
}

/** As LibreOffice writes it: what a cell holds and what it shows, and a style on each. */
function odsWorkbookOf(people: number): Buffer {
  const text = (shown: string): string =>
    `<table:table-cell table:style-name="ce1" office:value-type="string" calcext:value-type="string"><text:p>${shown}</text:p></table:table-cell>`;
  const figure = (value: number): string =>
    `<table:table-cell table:style-name="ce2" office:value-type="float" office:value="${value}" calcext:value-type="float"><text:p>${value}</text:p></table:table-cell>`;
  const row = (cells: string): string => `<table:table-row table:style-name="ro1">${cells}</table:table-row>`;
  const head = row(['numero', 'prenom', 'montant'].map(text).join(''));
  const rows = Array.from({ length: people }, (_, at) => {
    const number = `+22177${String((at * 7_919) % 10_000_000).padStart(7, '0')}`;
    return row(text(number) + text(NAMES[at % NAMES.length] ?? '') + figure((at * 37) % 90_000));
  });
  return odsOf(head + rows.join(''));
}

test.for([
  ['.xlsx', workbookOf],
  ['.ods', odsWorkbookOf],
] as const)(
  `%s: a workbook of ${WORKBOOK_ROWS} rows is checked in less than 300 MB`,
  LONG,
  async ([ending, made]) => {
    const folder = mkdtempSync(join(tmpdir(), 'relais-workbook-'));
    try {
      const file = join(folder, `clients${ending}`);
      const bytes = made(WORKBOOK_ROWS);
      writeFileSync(file, bytes);
      const peakMb = await peakOfCheck(file, WORKBOOK_ROWS);
      process.stdout.write(`${ending}: ${Math.round(bytes.length / 1e6)} MB packed, ${peakMb} MB at most\n`);
      expect(peakMb).toBeLessThan(300);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NAMES, measureCheck, peakOfCheck } from '../../../script/bench-parts/check.ts';
import { xlsxOf } from '../../files/workbooks.ts';

/** `./script/test --deep` checks the million; otherwise as many as show that memory does not follow the file. */
const DEEP = process.env['RELAIS_DEEP'] === '1';
const ROWS = DEEP ? 1_000_000 : 100_000;
const WORKBOOK_ROWS = DEEP ? 500_000 : 50_000;

test(`${ROWS} rows are checked in less than 200 MB, and the rate is said`, { timeout: 600_000 }, async () => {
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

test(`a workbook of ${WORKBOOK_ROWS} rows is checked in less than 300 MB`, { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relais-workbook-'));
  try {
    const file = join(folder, 'clients.xlsx');
    const bytes = workbookOf(WORKBOOK_ROWS);
    writeFileSync(file, bytes);
    const peakMb = await peakOfCheck(file, WORKBOOK_ROWS);
    process.stdout.write(`workbook: ${Math.round(bytes.length / 1e6)} MB packed, ${peakMb} MB at most\n`);
    expect(peakMb).toBeLessThan(300);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

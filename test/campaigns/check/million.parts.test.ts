/** Checking a file needs constant memory for any number of rows: only a few bytes are stored per row. */
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { NAMES, fileOf } from '../../../script/bench-parts/check.ts';
import { checkRecipients } from '../../../src/campaigns/check/check-recipients.ts';
import { odsOf, xlsxOf } from '../../files/workbooks.ts';
import { DEEP } from '../../support/deep.ts';

const ROWS = DEEP ? 1_000_000 : 100_000;
const WORKBOOK_ROWS = DEEP ? 500_000 : 50_000;
const LIMIT_MS = 600_000;
/** How often memory is measured while a file is read. */
const SAMPLES = 10;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Maximum bytes in use after a full collection, while a file of this many rows is checked. */
async function heldBytes(source: Readable, rows: number): Promise<number> {
  const check = checkRecipients(source, {
    country: 'SN',
    text: 'Bonjour {{prenom}}, votre solde est de {{montant}} F.',
    prices: { SN: 20 },
  });
  let most = 0;
  let read = 0;
  for await (const row of check) {
    void row;
    read += 1;
    if (read % Math.ceil(rows / SAMPLES) !== 0) continue;
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    most = Math.max(most, heapUsed + arrayBuffers);
  }
  expect(check.summary().recipients).toBe(rows);
  return most;
}

function* bytesOf(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function expectFlat(made: (rows: number) => Readable, rows: number): Promise<void> {
  const few = await heldBytes(made(rows / 10), rows / 10);
  const many = await heldBytes(made(rows), rows);
  expect(many).toBeLessThan(2 * few);
}

test(`ten times the rows are checked with less than twice the memory: ${ROWS} as text`, { timeout: LIMIT_MS }, () =>
  expectFlat((rows) => Readable.from(bytesOf(fileOf(rows))), ROWS),
);

/** Like Excel: every text in a shared table, numbers as numbers, a position on every cell. */
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

/** Like LibreOffice: the value and the displayed text of a cell, and a style on each. */
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
  `ten times the rows are checked with less than twice the memory: ${WORKBOOK_ROWS} as %s`,
  { timeout: LIMIT_MS },
  ([, made]) => expectFlat((rows) => Readable.from([made(rows)]), WORKBOOK_ROWS),
);

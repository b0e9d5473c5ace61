/** Malicious files: nothing of them is executed, and each stays within its limits. */
import { describe, expect, test } from 'vitest';
import { RowReader } from '../../src/files/rows.ts';
import { UnusableFile } from '../../src/files/problems.ts';
import { readFormat } from '../../src/files/sheet.ts';
import { HeldBytes, NoRoom } from '../../src/lib/held-bytes.ts';
import { checkFile } from '../campaigns/check/read-file.ts';
import { odsOf, partsOf, rowOf, xlsxOf, xlsxOfTexts, zipOf } from './workbooks.ts';

const HEAD = rowOf(['to', 'nom']);
const AWA = rowOf(['+221770000001', 'Awa']);
const cell = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
const odsHead = `<table:table-row>${cell('to')}</table:table-row>`;

async function codesOf(file: Buffer): Promise<readonly string[]> {
  const failure = await checkFile(file).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnusableFile);
  return (failure as UnusableFile).problems.map(({ code }) => code);
}

test('a zip bomb: kilobytes that declare gigabytes are not decompressed', async () => {
  const claims = { size: 4_000_000_000 };
  expect(await codesOf(xlsxOf({ rows: HEAD + AWA, claims }))).toEqual(['workbook_too_large']);
});

test('a zip bomb with a false small size ends at that size', async () => {
  const rows = Buffer.concat([Buffer.from(HEAD), Buffer.alloc(60_000_000, ' ')]);
  expect(await codesOf(xlsxOf({ rows, claims: { size: 1_000 } }))).toEqual(['broken_workbook']);
});

test('sixty megabytes of nothing between two rows are no row', async () => {
  const rows = Buffer.concat([Buffer.from(HEAD), Buffer.alloc(60_000_000, ' '), Buffer.from(AWA)]);
  const { summary } = await checkFile(xlsxOf({ rows })).catch(() => ({ summary: undefined }));
  // It is either read, or refused as an endless part; never both.
  expect(summary?.recipients ?? 0).toBeLessThanOrEqual(1);
});

test.for([
  ['declared', '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'],
  ['read from elsewhere', '<!DOCTYPE x SYSTEM "file:///etc/passwd">'],
])('a document whose entities are %s is refused', async ([, declaration]) => {
  const parts = partsOf({ rows: HEAD + AWA }).map((part) =>
    part.name.endsWith('sheet1.xml') ? { ...part, data: String(part.data).replace('?>', `?>${declaration}`) } : part,
  );
  expect(await codesOf(zipOf(parts))).toEqual(['broken_workbook']);
});

test('an undeclared entity is plain text', async () => {
  const rows = `${HEAD}<row><c t="inlineStr"><is><t>+221770000001</t></is></c><c t="inlineStr"><is><t>&amp;xxe; &#233;</t></is></c></row>`;
  const { rows: read } = await checkFile(xlsxOf({ rows }), { text: '{{nom}}' });
  expect(read).toMatchObject([{ vars: { nom: '&xxe; é' } }]);
});

test.for([
  ['a text longer than any cell', `<si><t>${'x'.repeat(300_000)}</t></si>`, 'workbook_too_large'],
  ['a hundred megabytes of texts', `<si><t>${'x'.repeat(100_000)}</t></si>`.repeat(1_100), 'workbook_too_large'],
  ['more texts than a sheet has cells', '<si/>'.repeat(5_000_001), 'workbook_too_large'],
] as const)('shared texts: %s', async ([, strings, code]) => {
  expect(await codesOf(xlsxOf({ rows: HEAD + AWA, strings }))).toEqual([code]);
});

test.for([
  ['a text that is not there', `${HEAD}<row><c t="s"><v>7</v></c></row>`, 'broken_workbook'],
  ['a row below the last', `${HEAD}<row r="1048577"><c t="inlineStr"><is><t>1</t></is></c></row>`, 'too_many_rows'],
  ['a row that is no number', `${HEAD}<row r="x"/>`, 'too_many_rows'],
  [
    'a cell far to the right',
    `${HEAD}<row><c r="XFD2" t="inlineStr"><is><t>1</t></is></c></row>`,
    'too_many_columns',
  ],
  ['101 columns', rowOf(['to', ...Array.from({ length: 100 }, () => 'x')]), 'too_many_columns'],
  ['a row of 70 kB', HEAD + rowOf(['x'.repeat(70_000)]), 'row_too_long'],
  ['a tag that never ends', `${HEAD}<row ${'a'.repeat(3_000_000)}`, 'broken_workbook'],
  ['tags that do not match', `${HEAD}<row></c>`, 'broken_workbook'],
  ['elements in each other without end', `${HEAD}${'<a>'.repeat(2_000)}`, 'broken_workbook'],
  [
    'ever more namespaces',
    HEAD + Array.from({ length: 2_000 }, (_, at) => `<a xmlns="urn:${at}"/>`).join(''),
    'broken_workbook',
  ],
] as const)('a sheet with %s', async ([, rows, code]) => {
  expect(await codesOf(xlsxOf({ rows }))).toEqual([code]);
});

test.for([
  [
    'rows repeated a million times',
    `<table:table-row table:number-rows-repeated="1048576">${cell('x')}</table:table-row>`,
    'too_many_rows',
  ],
  [
    'cells repeated without end',
    `<table:table-row><table:table-cell table:number-columns-repeated="99999999"><text:p>x</text:p></table:table-cell></table:table-row>`,
    'too_many_columns',
  ],
  [
    'something that stands minus one times',
    `<table:table-row table:number-rows-repeated="-1">${cell('x')}</table:table-row>`,
    'broken_workbook',
  ],
] as const)('an OpenDocument sheet with %s', async ([, rows, code]) => {
  expect(await codesOf(odsOf(odsHead + rows))).toEqual([code]);
});

test('a million empty rows behind the last are passed over', async () => {
  const rows = `${odsHead}<table:table-row>${cell('+221770000001')}</table:table-row><table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`;
  const { summary } = await checkFile(odsOf(rows));
  expect(summary).toMatchObject({ total: 1, recipients: 1, format: 'ods', sheet: 'Feuille1' });
});

const within = (name: string, data: string): Buffer =>
  zipOf([...partsOf({ rows: HEAD + AWA }).filter((part) => part.name !== name), { name, data }]);
const links = (more: string): string =>
  `<Relationships>${more}<Relationship Id="r3" Type="x/styles" Target="styles.xml"/></Relationships>`;

test.for([
  ['links', within('_rels/.rels', links('<Relationship/>'.repeat(10_001)))],
  ['links of the book', within('xl/_rels/workbook.xml.rels', links('<Relationship/>'.repeat(10_001)))],
  ['sheets', within('xl/workbook.xml', `<workbook><sheets>${'<sheet/>'.repeat(10_001)}</sheets></workbook>`)],
  ['tables', odsOf(`${odsHead}</table:table>${'<table:table/>'.repeat(10_001)}<table:table>`)],
] as const)('more %s than any program writes are not stored', async ([, file]) => {
  expect(await codesOf(file)).toEqual(['workbook_too_large']);
});

const styles = (formats: string, rows = HEAD + AWA): Buffer => {
  const parts = partsOf({ rows }).map((part) =>
    part.name === 'xl/_rels/workbook.xml.rels'
      ? { ...part, data: String(part.data).replace('</Relationships>', links('').slice('<Relationships>'.length)) }
      : part,
  );
  return zipOf([...parts, { name: 'xl/styles.xml', data: `<s>${formats}</s>` }]);
};

test('more formats than any program writes are not stored', async () => {
  expect(await codesOf(styles(`<cellXfs>${'<xf/>'.repeat(100_002)}</cellXfs>`))).toEqual(['workbook_too_large']);
  const own = Array.from({ length: 100_002 }, (_, id) => `<numFmt numFmtId="${id}" formatCode="0"/>`);
  expect(await codesOf(styles(`<numFmts>${own.join('')}</numFmts>`))).toEqual(['workbook_too_large']);
});

test('an overlong format is not parsed, and is not rescanned from each of its brackets', async () => {
  const number = `${HEAD}<row><c s="0"><v>771000255</v></c></row>`;
  const shown = async (code: string) => {
    const format = `<numFmts><numFmt numFmtId="200" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>`;
    for await (const [row] of new RowReader(bytesOf(styles(format, number))).batches()) return row?.cells;
    return undefined;
  };
  expect(await shown('0'.repeat(12))).toEqual(['000771000255']);
  expect(await shown('0'.repeat(256))).toEqual(['771000255']);
  expect(readFormat(`[$-40C]${'['.repeat(248)}`)).toEqual({ is: 'plain' });
  // A scan from each of them to the end would take many minutes.
  expect(await shown('['.repeat(1_900_000))).toEqual(['771000255']);
});

/** It is not closed, which shows only at its end. */
const UNENDED = `<t>${'x'.repeat(1_000)}</t>`.repeat(1_500);

test.for([
  ['a shared text', xlsxOf({ rows: HEAD + AWA, strings: `<si>${UNENDED}` }), 'workbook_too_large'],
  ['a cell', xlsxOf({ rows: `${HEAD}<row><c t="inlineStr"><is>${UNENDED}` }), 'row_too_long'],
  [
    'spaces that are counted',
    odsOf(
      `${odsHead}<table:table-row><table:table-cell><text:p>${'<text:s text:c="1000"/>'.repeat(600_000)}</text:p></table:table-cell></table:table-row>`,
    ),
    'row_too_long',
  ],
] as const)('%s of ever more parts is not put together', async ([, file, code]) => {
  expect(await codesOf(file)).toEqual([code]);
});

test('half a kilobyte that expands to a hundred million cells is read a thousand rows at a time', async () => {
  const file = odsOf(
    `${odsHead}<table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="100"><text:p>x</text:p></table:table-cell></table:table-row>`,
  );
  expect(file.length).toBeLessThan(1_000);
  const sizes: number[] = [];
  for await (const rows of new RowReader(bytesOf(file)).batches()) {
    sizes.push(rows.length);
    if (sizes.length === 20) break;
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(19_000);
});

test('megabytes of blank rows are read in one pass', async () => {
  expect(await codesOf(Buffer.alloc(4_000_000, '\n'))).toEqual(['empty_file']);
  const titled = Buffer.concat([Buffer.from('Liste\n'), Buffer.alloc(4_000_000, '\n')]);
  expect(await codesOf(titled)).toEqual(['no_phone_column']);
});

test('a header is found below a title and blank rows', async () => {
  const { summary } = await checkFile(Buffer.from(`\n\nListe\n${'\n'.repeat(500)}to;nom\n\n+221770000001;Awa\n`));
  expect(summary).toMatchObject({ titleRows: 1, total: 1, recipients: 1, blank: 1 });
});

test('content that differs from its checksum is refused: an amount may have changed', async () => {
  expect(await codesOf(xlsxOf({ rows: HEAD + AWA, claims: { crc: 1 } }))).toEqual(['broken_workbook']);
});

test('a part with a password is asked for without one', async () => {
  expect(await codesOf(xlsxOf({ rows: HEAD + AWA, encrypted: true }))).toEqual(['locked_workbook']);
});

test('fifty-one megabytes are not stored', async () => {
  expect(await codesOf(Buffer.concat([xlsxOfTexts([['to']]), Buffer.alloc(51_000_000)]))).toEqual([
    'workbook_too_large',
  ]);
});

test('a formula is not calculated, and a similar text stays a text', async () => {
  const formula =
    '<row><c t="inlineStr"><is><t>+221770000001</t></is></c><c t="str"><f>WEBSERVICE("http://x")</f><v>Awa</v></c></row>';
  const { rows } = await checkFile(xlsxOf({ rows: HEAD + formula + rowOf(['+221770000002', '=1+1']) }), {
    text: '{{nom}}',
  });
  expect(rows).toMatchObject([{ vars: { nom: 'Awa' } }, { vars: { nom: '=1+1' } }]);
});

async function* bytesOf(file: Buffer): AsyncGenerator<Uint8Array> {
  yield file;
}

/** Turns of the event loop: far more than a small workbook takes. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('two workbooks are unpacked at a time, for all keys together; the next waits for one of them to be over', async () => {
  const file = xlsxOf({ rows: HEAD + AWA });
  const readers = [1, 2, 3, 4].map(() => new RowReader(bytesOf(file)).batches());
  const [one, two, three, four] = readers;
  await Promise.all([one?.next(), two?.next()]);
  const order: string[] = [];
  const third = three?.next().then(() => order.push('the third is read'));
  const fourth = four?.next().then(() => order.push('the fourth is read'));
  // A text file does not wait: it is read piece by piece.
  const text = new RowReader(bytesOf(Buffer.from('to;nom\n+221770000001;Awa\n'))).batches();
  for await (const rows of text) if (rows.length > 0) order.push(`a text of ${rows.length}`);
  await manyTurns();
  order.push('the first is left, half read');
  await one?.return(undefined);
  await third;
  await manyTurns();
  order.push('the third is left');
  await three?.return(undefined);
  await fourth;
  await Promise.all([two?.return(undefined), four?.return(undefined)]);
  expect(order).toEqual([
    'a text of 1',
    'the first is left, half read',
    'the third is read',
    'the third is left',
    'the fourth is read',
  ]);
});

test('a workbook that is refused leaves its place', async () => {
  for (let turn = 0; turn < 3; turn += 1)
    await codesOf(xlsxOf({ rows: HEAD + AWA, claims: { size: 4_000_000_000 } }));
  expect((await checkFile(xlsxOf({ rows: HEAD + AWA }))).summary.recipients).toBe(1);
});

describe('workbooks that come at once', () => {
  const MOST = 1_000;
  const workbook = xlsxOf({ rows: HEAD + AWA });

  async function* slowly(bytes: Buffer, gate: Promise<void>): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, -1);
    await gate;
    yield bytes.subarray(-1);
  }

  const room = (bytes: number): HeldBytes => new HeldBytes({ ofCaller: bytes, ofProcess: bytes });

  async function rowsOf(source: AsyncIterable<Uint8Array>, held: HeldBytes): Promise<number> {
    let rows = 0;
    for await (const batch of new RowReader(source, { held: held.open('') }).batches()) rows += batch.length;
    return rows;
  }

  test('are refused where there is no room for them, and read once there is', async () => {
    const held = room(workbook.length);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const first = rowsOf(slowly(workbook, gate), held);
    await expect(rowsOf(slowly(workbook, gate), held)).rejects.toThrow(NoRoom);
    open();
    expect(await first).toBe(1);
    expect(await rowsOf(slowly(workbook, gate), held)).toBe(1);
  });

  test('leave nothing behind where they break off, or are none', async () => {
    const held = room(MOST);
    for (let times = 0; times < 3; times += 1) {
      const broken = (async function* () {
        yield Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(MOST - 4)]);
        if (times % 2 === 0) throw new Error('the body broke off');
      })();
      await expect(rowsOf(broken, held)).rejects.not.toThrow(NoRoom);
    }
  });
});

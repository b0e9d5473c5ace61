/** Standard workbooks without Excel's habits: each part as another program writes it. */
import { describe, expect, it } from 'vitest';
import { UnusableFile } from '../../src/files/problems.ts';
import { RowReader } from '../../src/files/rows.ts';
import { checkFile } from '../campaigns/check/read-file.ts';
import { odsOf, type Part, partsOf, rowOf, type Workbook, zipOf } from './workbooks.ts';

const HEAD = rowOf(['to', 'prenom']);
const AWA = rowOf(['+221771234567', 'Awa']);
const BINTA = rowOf(['+221771234568', 'Binta']);
const TWO: Workbook = { rows: HEAD + AWA + BINTA };
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

async function tableIn(file: Buffer, sheet?: string) {
  const reader = new RowReader(bytesOf(file), { sheet });
  const rows: { readonly cells: readonly string[]; readonly hidden?: boolean }[] = [];
  for await (const batch of reader.batches()) rows.push(...batch);
  return { header: reader.columns, rows, facts: reader.facts() };
}

async function* bytesOf(file: Buffer): AsyncGenerator<Uint8Array> {
  yield file;
}

const cellsIn = async (file: Buffer) => (await tableIn(file)).rows.map(({ cells }) => cells);
const PEOPLE = [
  ['+221771234567', 'Awa'],
  ['+221771234568', 'Binta'],
];

type Edit = (xml: string) => string | Buffer;

/** The workbook with some parts written differently. */
function edited(book: Workbook, edits: Readonly<Record<string, Edit>>, more: readonly Part[] = []): Buffer {
  const parts = partsOf(book).map((part) => {
    const edit = Object.entries(edits).find(([end]) => part.name.endsWith(end))?.[1];
    return edit ? { ...part, data: edit(String(part.data)) } : part;
  });
  return zipOf([...parts, ...more]);
}

const STYLES = (formats: readonly number[]): Part => ({
  name: 'xl/styles.xml',
  data: `<styleSheet xmlns="${MAIN}"><cellXfs>${formats.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
});
const withStyles: Edit = (xml) =>
  xml.replace('</Relationships>', '<Relationship Id="r9" Type="x/styles" Target="styles.xml"/></Relationships>');
const styled = (rows: string, formats: readonly number[], edits: Readonly<Record<string, Edit>> = {}) =>
  edited({ rows }, { 'workbook.xml.rels': withStyles, ...edits }, [STYLES(formats)]);

const codesOf = async (file: Buffer) => {
  const failure = await checkFile(file, { country: 'SN' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnusableFile);
  return (failure as UnusableFile).problems.map(({ code, detail }) => [code, ...(detail ? [detail.code] : [])]);
};

describe('the same two people are read from a workbook with', () => {
  const utf16 = (xml: string): Buffer => Buffer.from(`\ufeff${xml.replace('UTF-8', 'UTF-16')}`, 'utf16le');
  const absolute = partsOf(TWO).map((part) => ({ ...part, name: `/${part.name}` }));
  const windows = partsOf(TWO).map((part) => ({ ...part, name: part.name.replaceAll('/', '\\') }));
  const withPrefix: Edit = (xml) =>
    xml
      .replaceAll(/<(\/?)(?=[a-z])/gi, '<$1x:')
      .replace('xmlns=', 'xmlns:x=')
      .replace('<x:?xml', '<?xml');
  it.each([
    [
      'a relationship prefix of its own',
      edited(TWO, { 'workbook.xml': (xml) => xml.replaceAll(/\br:|:r=/g, (r) => r.replace('r', 'rel')) }),
    ],
    [
      'targets that begin with ./',
      edited(TWO, { 'workbook.xml.rels': (xml) => xml.replaceAll('Target="', 'Target="./') }),
    ],
    [
      'targets that go up and down',
      edited(TWO, { 'workbook.xml.rels': (xml) => xml.replaceAll('Target="', 'Target="../xl/') }),
    ],
    [
      'targets from the root',
      edited(TWO, { 'workbook.xml.rels': (xml) => xml.replaceAll('Target="', 'Target="/xl/') }),
    ],
    [
      'targets of Windows',
      edited(TWO, { 'workbook.xml.rels': (xml) => xml.replaceAll('worksheets/', 'worksheets\\') }),
    ],
    [
      'percent signs in targets',
      edited(TWO, { 'workbook.xml.rels': (xml) => xml.replaceAll('worksheets/', 'work%73heets/') }),
    ],
    ['parts whose names begin with a slash', zipOf(absolute)],
    ['parts whose names have the separators of Windows', zipOf(windows)],
    ['parts in UTF-16', edited(TWO, { 'workbook.xml': utf16, 'sheet1.xml': utf16 })],
    ['parts in UTF-16, big endian', edited(TWO, { 'sheet1.xml': (xml) => utf16(xml).swap16() })],
    ['parts that begin with a byte order mark', edited(TWO, { 'sheet1.xml': (xml) => `\ufeff${xml}` })],
    ['a prefix on each element', edited(TWO, { 'sheet1.xml': withPrefix, 'workbook.xml': withPrefix })],
    [
      'the namespaces of the strict form',
      edited(TWO, {
        'workbook.xml': (xml) =>
          xml
            .replace(MAIN, 'http://purl.oclc.org/ooxml/spreadsheetml/main')
            .replace(
              'http://schemas.openxmlformats.org/officeDocument/2006',
              'http://purl.oclc.org/ooxml/officeDocument',
            ),
      }),
    ],
    [
      'places in lower case',
      edited(
        {
          rows:
            '<row r="1"><c r="a1" t="inlineStr"><is><t>to</t></is></c><c r="b1" t="inlineStr"><is><t>prenom</t></is></c></row><row r="2"><c r="a2" t="inlineStr"><is><t>+221771234567</t></is></c><c r="b2" t="inlineStr"><is><t>Awa</t></is></c></row>' +
            BINTA,
        },
        {},
      ),
    ],
    [
      'both <v> and <is> in its inline cells',
      edited(
        {
          rows: `${HEAD}<row><c t="inlineStr"><v>+221771234567</v><is><t>+221771234567</t></is></c><c t="inlineStr"><v></v><is><t>Awa</t></is></c></row><row><c t="inlineStr"><v>+2</v><is><t>+221771234568</t></is></c><c t="inlineStr"><is><r><t>Bin</t></r><r><t>ta</t></r></is><v>ta</v></c></row>`,
        },
        {},
      ),
    ],
    [
      'extensions that use the names of cells',
      edited(
        {
          rows:
            HEAD +
            AWA.replace(
              '</row>',
              '<extLst><ext><x14:c xmlns:x14="urn:x" r="B2"><x14:v>9</x14:v></x14:c></ext></extLst></row>',
            ) +
            BINTA,
          behind: '<extLst><ext><x14:row xmlns:x14="urn:x" r="2"><x14:c r="A2"/></x14:row></ext></extLst>',
        },
        {},
      ),
    ],
  ])('%s', async (_name, file) => {
    expect(await cellsIn(file)).toEqual(PEOPLE);
  });
});

describe('dates and times of a workbook', () => {
  const dated = (cells: string, formats: readonly number[], edits: Readonly<Record<string, Edit>> = {}) =>
    styled(`${rowOf(['to'])}<row>${cells}</row>`, formats, edits);

  it('an extension that has an element of the same name does not move them by four years', async () => {
    const since1904: Edit = (xml) =>
      xml
        .replace('<sheets>', '<workbookPr date1904="1"/><sheets>')
        .replace(
          '</workbook>',
          '<extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:workbookPr defaultImageDpi="32767"/></ext></extLst></workbook>',
        );
    expect(await cellsIn(dated('<c s="0"><v>44894</v></c>', [14], { 'workbook.xml': since1904 }))).toEqual([
      ['30/11/2026'],
    ]);
  });

  it('written as ISO 8601, they are shown in the local format', async () => {
    const cells = ['2026-11-30', '2026-11-30T14:30:00', '2026-11-30T00:00:00Z', '14:30:00', 'soon'];
    const file = dated(cells.map((text) => `<c t="d"><v>${text}</v></c>`).join(''), []);
    expect(await cellsIn(file)).toEqual([['30/11/2026', '30/11/2026 14:30', '30/11/2026 00:00', '14:30', 'soon']]);
    expect(await cellsIn(dated('<c s="0" t="d"><v>2026-11-30T00:00:00</v></c>', [14]))).toEqual([['30/11/2026']]);
  });

  it('midnight is a time, and nothing is a number where it is no date', async () => {
    const values = [
      [0, 0],
      [0, 46_356],
      [1, 0],
      [1, 0.5],
      [2, 0],
      [2, 1.5],
      [0, 46_356.5],
    ] as const;
    const cells = values.map(([style, value]) => `<c s="${style}"><v>${value}</v></c>`).join('');
    expect(await cellsIn(dated(cells, [22, 14, 46]))).toEqual([
      ['00:00', '30/11/2026 00:00', '0', '0.5', '0:00', '36:00', '30/11/2026 12:00'],
    ]);
  });
});

describe('a row that the spreadsheet does not show', () => {
  const hiddenIn = async (file: Buffer) => (await tableIn(file)).rows.map(({ hidden }) => hidden);
  const high = (cells: readonly string[]): string => rowOf(cells, 'ht="15" customHeight="1"');
  const byDefault: Edit = (xml) =>
    xml.replace('<sheetData>', '<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/><sheetData>');

  it.each([
    ['by its own mark', 'hidden="1"'],
    ['by a height of nothing', 'ht="0" customHeight="1"'],
    ['by a height of nothing, written otherwise', 'ht="0.0"'],
  ])('is hidden %s', async (_name, attributes) => {
    expect(await hiddenIn(edited({ rows: HEAD + AWA + rowOf(['+221771234568', 'Binta'], attributes) }, {}))).toEqual([
      false,
      true,
    ]);
  });

  it('is hidden where rows without a height of their own are hidden', async () => {
    const rows = high(['to', 'prenom']) + high(['+221771234567', 'Awa']) + BINTA;
    expect(await hiddenIn(edited({ rows }, { 'sheet1.xml': byDefault }))).toEqual([false, true]);
  });

  it('is not hidden where the writer hides the unused rows alone: no row has a height of its own', async () => {
    expect(await hiddenIn(edited(TWO, { 'sheet1.xml': byDefault }))).toEqual([false, false]);
  });

  const cell = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const line = (text: string, attributes = ''): string =>
    `<table:table-row ${attributes}>${cell(text)}</table:table-row>`;
  it.each([
    ['filtered', line('x', 'table:visibility="filter"')],
    ['in a closed group', `<table:table-row-group table:display="false">${line('x')}</table:table-row-group>`],
    [
      'in a group within a closed one',
      `<table:table-row-group table:display="false"><table:table-row-group>${line('x')}</table:table-row-group></table:table-row-group>`,
    ],
  ])('of OpenDocument is hidden: %s', async (_name, row) => {
    expect(await hiddenIn(odsOf(line('to') + row + line('y')))).toEqual([true, false]);
  });

  it('of OpenDocument is hidden by the height of its style', async () => {
    const style =
      '<office:automatic-styles><style:style style:name="ro2" style:family="table-row"><style:table-row-properties style:row-height="0cm"/></style:style></office:automatic-styles>';
    const rows = line('to') + line('x', 'table:style-name="ro2"') + line('y', 'table:style-name="ro1"');
    expect(await hiddenIn(odsOf(rows, style))).toEqual([true, false]);
  });
});

describe('sheets', () => {
  const chart: Edit = (xml) => xml.replace('<sheets>', '<sheets><sheet name="Graphique" sheetId="2" r:id="r7"/>');
  const chartLink: Edit = (xml) =>
    xml.replace(
      '</Relationships>',
      '<Relationship Id="r7" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/></Relationships>',
    );
  const file = edited(TWO, { 'workbook.xml': chart, 'workbook.xml.rels': chartLink }, [
    { name: 'xl/chartsheets/sheet1.xml', data: `<chartsheet xmlns="${MAIN}"/>` },
  ]);

  it('a chart is no sheet, at any position', async () => {
    const { rows, facts } = await tableIn(file);
    expect(rows.map(({ cells }) => cells)).toEqual(PEOPLE);
    expect(facts).toMatchObject({ sheet: 'A & B', otherSheets: [] });
    await expect(tableIn(file, 'Graphique')).rejects.toThrow('sheets: A & B');
  });
});

describe('OpenDocument', () => {
  const value = (attributes: string, text = ''): string =>
    `<table:table-cell ${attributes}>${text}</table:table-cell>`;

  it('a text, a day or a time that is only in the value is read', async () => {
    const rows = `<table:table-row>${value('office:value-type="string" office:string-value="to"')}</table:table-row><table:table-row>${[
      'office:value-type="string" office:string-value="Awa"',
      'office:value-type="date" office:date-value="2026-11-30T00:00:00"',
      'office:value-type="time" office:time-value="PT14H30M00S"',
      'office:value-type="boolean" office:boolean-value="true"',
      'office:value-type="float" office:value="771234567"',
    ]
      .map((attributes) => value(attributes))
      .join('')}</table:table-row>`;
    expect(await cellsIn(odsOf(rows))).toEqual([['Awa', '30/11/2026 00:00', '14:30', 'true', '771234567']]);
  });

  it('its prefixes are free', async () => {
    const of = (name: string): string => `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`;
    const row = (text: string): string =>
      `<a:table-row><a:table-cell><b:p>${text}</b:p></a:table-cell></a:table-row>`;
    const data = `<document-content xmlns="${of('office')}" xmlns:a="${of('table')}" xmlns:b="${of('text')}"><body><spreadsheet><a:table a:name="F">${row('to')}${row('Awa')}</a:table></spreadsheet></body></document-content>`;
    expect(await cellsIn(zipOf([{ name: 'content.xml', data }]))).toEqual([['Awa']]);
  });

  it.each([
    [
      'today',
      zipOf([
        { name: 'mimetype', data: 'x' },
        { name: 'encrypted-package', data: 'x' },
        { name: 'META-INF/manifest.xml', data: '<x/>' },
      ]),
    ],
    ['before', zipOf([{ name: 'content.xml', data: Buffer.from([0xb9, 0xea, 0xd0, 0x72, 0x4d, 0x97]) }])],
  ])('one with a password, as LibreOffice wrote it %s, is refused as such', async (_name, file) => {
    expect(await codesOf(file)).toEqual([['locked_workbook']]);
  });
});

it('a cell at no place is refused by its place, not as a column too many', async () => {
  expect(
    await codesOf(edited({ rows: `${HEAD}<row><c r="?3" t="inlineStr"><is><t>x</t></is></c></row>` }, {})),
  ).toEqual([['broken_workbook', 'cell_place']]);
});

/** Handmade workbooks, byte for byte: never written by a program, but possible in an attack. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface Part {
  readonly name: string;
  readonly data: string | Buffer;
  /** False values in the archive. */
  readonly claims?: { readonly size?: number; readonly crc?: number };
  readonly encrypted?: true;
}

export function zipOf(parts: readonly Part[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, claims, encrypted } of parts) {
    const bytes = Buffer.from(data);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(encrypted ? 1 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(claims?.crc ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claims?.size ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, tail, Buffer.from(name)]));
    bodies.push(body);
    offset += body.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, ...directory, Buffer.from('PK\x05\x06'), end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export interface Workbook {
  /** The content of `sheetData` of the only sheet, and what follows it. */
  readonly rows: string | Buffer;
  readonly behind?: string;
  readonly strings?: string;
  readonly claims?: Part['claims'];
  readonly encrypted?: true;
}

export function partsOf({ rows, behind = '', strings = '', claims, encrypted }: Workbook): Part[] {
  const link = (id: string, kind: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;
  return [
    {
      name: '_rels/.rels',
      data: `${XML}<Relationships xmlns="${RELATIONS}">${link('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      data: `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="A &amp; B" sheetId="1" r:id="r1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `${XML}<Relationships xmlns="${RELATIONS}">${link('r1', 'worksheet', 'worksheets/sheet1.xml')}${link('r2', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    },
    { name: 'xl/sharedStrings.xml', data: `${XML}<sst xmlns="${MAIN}">${strings}</sst>` },
    {
      name: 'xl/worksheets/sheet1.xml',
      data: Buffer.concat([
        Buffer.from(`${XML}<worksheet xmlns="${MAIN}"><sheetData>`),
        Buffer.from(rows),
        Buffer.from(`</sheetData>${behind}</worksheet>`),
      ]),
      ...(claims && { claims }),
      ...(encrypted && { encrypted }),
    },
  ];
}

export function xlsxOf(book: Workbook): Buffer {
  return zipOf(partsOf(book));
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A row of texts. */
export function rowOf(cells: readonly string[], attributes = ''): string {
  const inside = cells.map((cell) => `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`).join('');
  return `<row ${attributes}>${inside}</row>`;
}

/** A workbook of texts alone. */
export function xlsxOfTexts(rows: readonly (readonly string[])[]): Buffer {
  return xlsxOf({ rows: rows.map((cells) => rowOf(cells)).join('') });
}

/** An OpenDocument workbook: `rows` in its content, `styles` before them. */
export function odsOf(rows: string, styles = ''): Buffer {
  const names = ['office', 'table', 'text', 'style'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const content = `${XML}<office:document-content ${names.join(' ')}>${styles}<office:body><office:spreadsheet><table:table table:name="Feuille1">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`;
  return zipOf([
    { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet' },
    { name: 'content.xml', data: content },
  ]);
}

/** Workbooks of Excel and of what writes like it (ECMA-376): one sheet, row by row, in memory that hardly grows. */
import {
  type Archive,
  type XmlListener,
  builtInFormat,
  NO_RESULT,
  type NumberFormat,
  readFormat,
  showNumber,
  chooseSheet,
  keepListed,
  othersOf,
  RowsInTheMaking,
  type Sheet,
  type SheetRow,
  WRITTEN_AS,
} from './sheet.ts';
import { unusable } from './problems.ts';
import { detail } from '../words/details.ts';

export async function openXlsx(archive: Archive, wanted: string | undefined): Promise<Sheet> {
  const root = await linksOf(archive, '_rels/.rels', '');
  const book = root.find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml';
  const { sheets, since1904 } = await readBook(archive, book);
  const folder = book.slice(0, book.lastIndexOf('/') + 1);
  const links = await linksOf(archive, `${folder}_rels/${book.slice(folder.length)}.rels`, folder);
  const chosen = chooseSheet(sheets, wanted);
  const path = links.find(({ id }) => id === chosen.link)?.target;
  if (path === undefined)
    throw unusable('broken_workbook', { detail: detail('sheet_missing', { sheet: chosen.name }) });
  const partOf = (kind: string): string | undefined => links.find(({ type }) => type.endsWith(kind))?.target;
  const [styles, strings] = [partOf('/styles'), partOf('/sharedStrings')];
  const formats = styles !== undefined && archive.has(styles) ? await readStyles(archive, styles) : [];
  const texts = new StringTable();
  if (strings !== undefined && archive.has(strings)) await archive.read(strings, stringsInto(texts));
  const reader = new SheetReader(texts, formats, since1904);
  return {
    name: chosen.name,
    ...othersOf(sheets, chosen),
    get merged() {
      return reader.merged;
    },
    async *rows(): AsyncGenerator<SheetRow[], void, undefined> {
      for await (const length of archive.pieces(path, reader)) {
        if (length > 0) yield* reader.rows.take();
      }
    },
  };
}

const nothing = (): void => undefined;

interface Link {
  readonly id: string;
  readonly type: string;
  /** From the root of the archive. */
  readonly target: string;
}

async function linksOf(archive: Archive, path: string, folder: string): Promise<Link[]> {
  const links: Link[] = [];
  if (!archive.has(path)) return links;
  await archive.read(path, {
    open(name, attribute) {
      if (name !== 'Relationship') return;
      const written = attribute('Target') ?? '';
      const target = written.startsWith('/') ? written.slice(1) : folder + written;
      keepListed(links, { id: attribute('Id') ?? '', type: attribute('Type') ?? '', target });
    },
    text: nothing,
    close: nothing,
  });
  return links;
}

interface BookSheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly link: string;
}

async function readBook(archive: Archive, path: string) {
  const sheets: BookSheet[] = [];
  let since1904 = false;
  await archive.read(path, {
    open(name, attribute) {
      if (name === 'workbookPr') since1904 = isTrue(attribute('date1904'));
      if (name !== 'sheet') return;
      const hidden = (attribute('state') ?? 'visible') !== 'visible';
      const link = attribute('r:id') ?? attribute('ns0:id') ?? '';
      keepListed(sheets, { name: attribute('name') ?? '', hidden, link });
    },
    text: nothing,
    close: nothing,
  });
  return { sheets, since1904 };
}

function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** Excel itself takes 65,490. */
const FORMATS_MAX = 100_000;

/** By the number that a cell names as its style. */
async function readStyles(archive: Archive, path: string): Promise<NumberFormat[]> {
  const own = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let inCells = false;
  await archive.read(path, {
    open(name, attribute) {
      if (own.size + formats.length > FORMATS_MAX) throw unusable('workbook_too_large');
      if (name === 'numFmt') own.set(Number(attribute('numFmtId')), readFormat(attribute('formatCode') ?? ''));
      if (name === 'cellXfs') inCells = true;
      if (name !== 'xf' || !inCells) return;
      const id = Number(attribute('numFmtId') ?? 0);
      formats.push(own.get(id) ?? builtInFormat(id));
    },
    text: nothing,
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return formats;
}

function stringsInto(table: StringTable): XmlListener {
  let text = '';
  let [inText, phonetic] = [false, false];
  return {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') phonetic = true;
      else if (name === 't') inText = !phonetic;
    },
    text(part) {
      if (inText) text += part;
      if (text.length > TEXT_BYTES_MAX * WRITTEN_AS) throw unusable('workbook_too_large');
    },
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'rPh') phonetic = false;
      else if (name === 'si') table.add(unescaped(text));
    },
  };
}

/** `_x000D_` is how a character is written that XML cannot hold. */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const PAGE_BYTES = 1_048_576;
const TABLE_BYTES_MAX = 100 * PAGE_BYTES;
/** Each row of a full sheet has four of its own. */
const TEXTS_MAX = 5_000_000;
/** A cell holds 32,767 characters. */
const TEXT_BYTES_MAX = 200_000;

/** The texts that cells share, as bytes: a million of them as JavaScript strings would be sixty megabytes. */
class StringTable {
  readonly #pages: Buffer[] = [];
  #starts = new Uint32Array(1_024);
  #lengths = new Uint32Array(1_024);
  #count = 0;
  #used = PAGE_BYTES;

  add(text: string): void {
    const length = Buffer.byteLength(text);
    if (length > TEXT_BYTES_MAX || this.#count === TEXTS_MAX) throw unusable('workbook_too_large');
    if (this.#used + length > PAGE_BYTES) this.#turnPage();
    if (this.#count === this.#starts.length) this.#grow();
    const page = this.#pages.length - 1;
    this.#pages[page]?.write(text, this.#used);
    this.#starts[this.#count] = page * PAGE_BYTES + this.#used;
    this.#lengths[this.#count] = length;
    this.#used += length;
    this.#count += 1;
  }

  at(index: number): string {
    if (!(index < this.#count))
      throw unusable('broken_workbook', { detail: detail('text_missing', { number: index }) });
    const start = this.#starts[index] ?? 0;
    const from = start % PAGE_BYTES;
    const page = this.#pages[Math.floor(start / PAGE_BYTES)];
    return page?.toString('utf8', from, from + (this.#lengths[index] ?? 0)) ?? '';
  }

  #turnPage(): void {
    if (this.#pages.length * PAGE_BYTES >= TABLE_BYTES_MAX) throw unusable('workbook_too_large');
    this.#pages.push(Buffer.allocUnsafe(PAGE_BYTES));
    this.#used = 0;
  }

  #grow(): void {
    const [starts, lengths] = [this.#starts, this.#lengths];
    this.#starts = new Uint32Array(starts.length * 2);
    this.#lengths = new Uint32Array(starts.length * 2);
    this.#starts.set(starts);
    this.#lengths.set(lengths);
  }
}

class SheetReader implements XmlListener {
  readonly rows = new RowsInTheMaking();
  merged = 0;
  readonly #texts: StringTable;
  readonly #formats: readonly NumberFormat[];
  readonly #since1904: boolean;
  #type = '';
  #format: NumberFormat = { is: 'plain' };
  #value = '';
  #listens = false;
  #phonetic = false;
  #formula = false;

  constructor(texts: StringTable, formats: readonly NumberFormat[], since1904: boolean) {
    this.#texts = texts;
    this.#formats = formats;
    this.#since1904 = since1904;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'c') this.#openCell(attribute);
    else if (name === 'v') this.#listens = true;
    else if (name === 't') this.#listens = !this.#phonetic && this.#type === 'inlineStr';
    else if (name === 'f') this.#formula = true;
    else if (name === 'row') {
      const row = attribute('r');
      this.rows.begin(row === undefined ? undefined : Number(row), isTrue(attribute('hidden')));
    } else if (name === 'rPh') this.#phonetic = true;
    else if (name === 'mergeCell' && reachesDown(attribute('ref') ?? '')) this.merged += 1;
  }

  text(text: string): void {
    if (this.#listens) this.#value = this.rows.joined(this.#value, text);
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#listens = false;
    else if (name === 'c') this.rows.cell(this.#shown());
    else if (name === 'row') this.rows.end();
    else if (name === 'rPh') this.#phonetic = false;
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    const place = attribute('r');
    if (place !== undefined) this.rows.at(columnOf(place));
    this.#type = attribute('t') ?? 'n';
    const style = attribute('s');
    this.#format = this.#formats[style === undefined ? 0 : Number(style)] ?? { is: 'plain' };
    [this.#value, this.#listens, this.#formula] = ['', false, false];
  }

  #shown(): string {
    const value = this.#value;
    if (this.#type === 's') return value === '' ? '' : this.#texts.at(Number(value));
    if (this.#type === 'inlineStr' || this.#type === 'str') return unescaped(value);
    if (value === '') return this.#formula ? NO_RESULT : '';
    if (this.#type === 'n') return showNumber(value, this.#format, this.#since1904);
    if (this.#type === 'b') return value === '1' ? 'true' : 'false';
    return value;
  }
}

/** `C12` → 2 */
function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < place.length; at += 1) {
    const letter = place.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  // Whatever it says instead of letters, it is no column that could be used.
  return column === 0 || column > 16_384 ? 16_384 : column - 1;
}

/** `E4:E5` */
function reachesDown(ref: string): boolean {
  const [, from, to] = /^[A-Z]+(\d+):[A-Z]+(\d+)$/.exec(ref) ?? [];
  return from !== to;
}

/** Workbooks of Excel and compatible programs (ECMA-376): one sheet, row by row, in nearly constant memory. */
import { type Archive, partName } from './archive.ts';
import {
  builtInFormat,
  NO_RESULT,
  type NumberFormat,
  readFormat,
  showMoment,
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
import type { XmlListener } from './xml.ts';
import { detail } from '../messages/details.ts';

export async function openXlsx(archive: Archive, wanted: string | undefined): Promise<Sheet> {
  const root = await linksOf(archive, '_rels/.rels', '');
  const book = root.find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml';
  const folder = book.slice(0, book.lastIndexOf('/') + 1);
  const links = await linksOf(archive, `${folder}_rels/${book.slice(folder.length)}.rels`, folder);
  const { sheets: all, since1904 } = await readBook(archive, book);
  // Charts, dialogs and macros are sheets too, without cells.
  const sheets = all.filter(({ link }) => links.find(({ id }) => id === link)?.type.endsWith('/worksheet') ?? true);
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
      const target = partName(attribute('Target') ?? '', folder);
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
    open(name, attribute, parent) {
      if (name === 'workbookPr' && parent === 'workbook') since1904 = isTrue(attribute('date1904'));
      if (name !== 'sheet' || parent !== 'sheets') return;
      const hidden = (attribute('state') ?? 'visible') !== 'visible';
      const link = attribute('r:id') ?? '';
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

/** Excel allows 65,490. */
const FORMATS_MAX = 100_000;

/** By the number of a cell's style. */
async function readStyles(archive: Archive, path: string): Promise<NumberFormat[]> {
  const own = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  await archive.read(path, {
    open(name, attribute, parent) {
      if (own.size + formats.length > FORMATS_MAX) throw unusable('workbook_too_large');
      if (name === 'numFmt' && parent === 'numFmts')
        own.set(Number(attribute('numFmtId')), readFormat(attribute('formatCode') ?? ''));
      if (name !== 'xf' || parent !== 'cellXfs') return;
      const id = Number(attribute('numFmtId') ?? 0);
      formats.push(own.get(id) ?? builtInFormat(id));
    },
    text: nothing,
    close: nothing,
  });
  return formats;
}

function stringsInto(table: StringTable): XmlListener {
  let text = '';
  let inText = false;
  return {
    open(name, _, parent) {
      if (name === 'si') text = '';
      else if (name === 't') inText = isSaid(parent, 'si');
    },
    text(part) {
      if (inText) text += part;
      if (text.length > TEXT_BYTES_MAX * WRITTEN_AS) throw unusable('workbook_too_large');
    },
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'si') table.add(unescaped(text));
    },
  };
}

/** A text is in its element or in a formatted run of it. Texts of `rPh` show the pronunciation of another. */
function isSaid(parent: string, element: 'si' | 'is'): boolean {
  return parent === element || parent === 'r';
}

/** `_x000D_` is the form of a character that XML cannot contain. */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const PAGE_BYTES = 1_048_576;
const TABLE_BYTES_MAX = 100 * PAGE_BYTES;
/** Each row of a full sheet has four of its own. */
const TEXTS_MAX = 5_000_000;
/** A cell has at most 32,767 characters. */
const TEXT_BYTES_MAX = 200_000;

/** The shared texts of cells, as bytes: a million of them as JavaScript strings would be sixty megabytes. */
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
  #cell: Cell = new Cell(undefined, { is: 'plain' });
  #listensTo: 'value' | 'inline' | undefined;
  /** Rows without a height of their own are hidden; undefined until the first row shows whether others have one. */
  #hidesUnmarked: boolean | undefined = false;

  constructor(texts: StringTable, formats: readonly NumberFormat[], since1904: boolean) {
    this.#texts = texts;
    this.#formats = formats;
    this.#since1904 = since1904;
  }

  open(name: string, attribute: Attribute, parent: string): void {
    if (name === 'c' && parent === 'row') this.#openCell(attribute);
    else if (name === 'v' && parent === 'c') this.#listensTo = 'value';
    else if (name === 't' && isSaid(parent, 'is')) this.#listensTo = 'inline';
    else if (name === 'is' && parent === 'c') this.#cell.inline = '';
    else if (name === 'f' && parent === 'c') this.#cell.isFormula = true;
    else if (name === 'row' && parent === 'sheetData') {
      const row = attribute('r');
      this.rows.begin(row === undefined ? undefined : Number(row), this.#isHidden(attribute));
    } else if (name === 'sheetFormatPr' && isTrue(attribute('zeroHeight'))) this.#hidesUnmarked = undefined;
    else if (name === 'mergeCell' && reachesDown(attribute('ref') ?? '')) this.merged += 1;
  }

  text(text: string): void {
    const cell = this.#cell;
    if (this.#listensTo === 'value') cell.value = this.rows.joined(cell.value, text);
    else if (this.#listensTo === 'inline') cell.inline = this.rows.joined(cell.inline ?? '', text);
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#listensTo = undefined;
    else if (name === 'c') this.rows.cell(this.#shown());
    else if (name === 'row') this.rows.end();
  }

  /**
   * A writer that hides only unused rows gives no row its own height: a height of the first row shows that visible
   * rows are marked.
   */
  #isHidden(attribute: Attribute): boolean {
    const height = attribute('ht');
    this.#hidesUnmarked ??= height !== undefined && isTrue(attribute('customHeight'));
    return isTrue(attribute('hidden')) || (height === undefined ? this.#hidesUnmarked : Number(height) === 0);
  }

  #openCell(attribute: Attribute): void {
    const place = attribute('r');
    if (place !== undefined) this.rows.at(columnOf(place));
    const style = attribute('s');
    const format = this.#formats[style === undefined ? 0 : Number(style)] ?? { is: 'plain' };
    this.#cell = new Cell(attribute('t'), format);
    this.#listensTo = undefined;
  }

  #shown(): string {
    const { type, format, value, inline, isFormula } = this.#cell;
    if (type === 'inlineStr' && inline !== undefined) return unescaped(inline);
    if (type === 's') return value === '' ? '' : this.#texts.at(Number(value));
    if (type === 'inlineStr' || type === 'str') return unescaped(value);
    if (value === '') return isFormula ? NO_RESULT : '';
    if (type === 'n') return showNumber(value, format, this.#since1904);
    if (type === 'd') return showMoment(value, format.is === 'date' ? format : {});
    if (type === 'b') return value === '1' ? 'true' : 'false';
    return value;
  }
}

type Attribute = (name: string) => string | undefined;

/** The current cell. */
class Cell {
  readonly type: string;
  readonly format: NumberFormat;
  value = '';
  /** Its text if it is not shared; absent: none. */
  inline: string | undefined;
  isFormula = false;

  constructor(type = 'n', format: NumberFormat) {
    this.type = type;
    this.format = format;
  }
}

/** `C12` → 2 */
function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < place.length; at += 1) {
    // The mask makes the comparison case-insensitive.
    const letter = (place.charCodeAt(at) & 0x5f) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  if (column > 0 && column <= 16_384) return column - 1;
  throw unusable('broken_workbook', { detail: detail('cell_place', { place: place.slice(0, 20) }) });
}

/** `E4:E5` */
function reachesDown(ref: string): boolean {
  const [, from, to] = /^[A-Z]+(\d+):[A-Z]+(\d+)$/.exec(ref) ?? [];
  return from !== to;
}

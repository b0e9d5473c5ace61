import { StringDecoder } from 'node:string_decoder';
import { crc32 } from 'node:zlib';
import { Parser } from 'saxen';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { unusable } from './problems.ts';
import { detail } from '../words/details.ts';

export const MAX_COLUMNS = 100;
/** No sheet of any program has more. */
const MAX_ROWS = 1_048_576;
const MAX_ROW_CHARACTERS = 65_536;
/** `_x000D_`: so many characters of a document may stand for one. */
export const WRITTEN_AS = 7;
const ROWS_AT_ONCE = 1_000;

export interface SheetRow {
  /** As the spreadsheet numbers it, from 1 on. */
  readonly row: number;
  readonly cells: string[];
  readonly hidden: boolean;
}

/** One sheet of a workbook; `name` and `others` are known at once, `merged` once all rows were read. */
export interface Sheet {
  readonly name: string;
  /** The other sheets that can be seen, and those that cannot. */
  readonly others: readonly string[];
  readonly hidden: readonly string[];
  /** Cells that reach over several rows: only the first of these has the value. */
  readonly merged: number;
  rows(): AsyncGenerator<SheetRow[], void, undefined>;
}

interface Named {
  readonly name: string;
  readonly hidden: boolean;
}

/** The one that was asked for, else the first that can be seen. */
export function chooseSheet<S extends Named>(sheets: readonly S[], wanted: string | undefined): S {
  const same = ({ name }: Named): boolean => name.trim().toLowerCase() === wanted?.trim().toLowerCase();
  const chosen =
    wanted === undefined ? (sheets.find(({ hidden }) => !hidden) ?? sheets[0]) : sheets.find((sheet) => same(sheet));
  if (chosen) return chosen;
  const names = sheets.slice(0, 20).map(({ name }) => name);
  throw wanted === undefined
    ? unusable('broken_workbook', { detail: detail('no_sheets', {}) })
    : unusable('no_such_sheet', { detail: detail('sheets', { sheets: names.join(', ') }) });
}

export function othersOf(sheets: readonly Named[], chosen: Named): Pick<Sheet, 'others' | 'hidden'> {
  const not = sheets.filter((sheet) => sheet !== chosen);
  const names = (hidden: boolean) => not.filter((sheet) => sheet.hidden === hidden).map(({ name }) => name);
  return { others: names(false), hidden: names(true) };
}

/** Puts rows together while a document is read, and hands them out between two pieces of it. */
export class RowsInTheMaking {
  #done: (SheetRow & { readonly times: number })[] = [];
  #cells: string[] = [];
  #characters = 0;
  #column = 0;
  #row = 0;
  #hidden = false;

  begin(row: number | undefined, hidden: boolean): void {
    this.#row = row ?? this.#row + 1;
    if (!(this.#row >= 1 && this.#row <= MAX_ROWS)) throw unusable('too_many_rows');
    [this.#cells, this.#characters, this.#column, this.#hidden] = [[], 0, 0, hidden];
  }

  /** Where the next cell stands, from 0 on; without it, beside the last one. */
  at(column: number | undefined): void {
    if (column !== undefined) this.#column = column;
  }

  /** What is to be a cell, part after part: it ends as no row that may be, however many more parts it has. */
  joined(text: string, part: string): string {
    if (text.length + part.length > MAX_ROW_CHARACTERS * WRITTEN_AS)
      throw unusable('row_too_long', { row: this.#row });
    return text + part;
  }

  /** The same text in so many cells. */
  cell(text: string, times = 1): void {
    if (text.trim() !== '') {
      if (this.#column + times > MAX_COLUMNS) throw unusable('too_many_columns', { row: this.#row });
      this.#characters += text.length * times;
      if (this.#characters > MAX_ROW_CHARACTERS) throw unusable('row_too_long', { row: this.#row });
      while (this.#cells.length < this.#column) this.#cells.push('');
      for (let at = 0; at < times; at += 1) this.#cells[this.#column + at] = text;
    }
    this.#column += times;
  }

  end(times = 1): void {
    const row = this.#row;
    if (row + times - 1 > MAX_ROWS && this.#cells.length > 0) throw unusable('too_many_rows');
    const cells = this.#cells;
    // Rows of nothing are passed over, however many they are said to be.
    if (cells.length > 0) this.#done.push({ row, cells, hidden: this.#hidden, times });
    this.#row = row + times - 1;
  }

  /** Those that were made since: one that stands a million times takes half a kilobyte, and is never a million at once. */
  *take(): Generator<SheetRow[], void, undefined> {
    const done = this.#done;
    this.#done = [];
    let rows: SheetRow[] = [];
    for (const { row, cells, hidden, times } of done) {
      for (let at = 0; at < times; at += 1) {
        rows.push({ row: row + at, cells, hidden });
        if (rows.length < ROWS_AT_ONCE) continue;
        yield rows;
        rows = [];
      }
    }
    if (rows.length > 0) yield rows;
  }
}

/** What the cells of a workbook hold, as the text that a person would have typed. */

/** Of a cell with a formula whose result the file does not hold: only a spreadsheet program can work it out. */
export const NO_RESULT = '#FORMULA!';

/** `#N/A`, in English and in French, and as LibreOffice writes it: a formula failed, and this is no value. */
export function isSpreadsheetError(text: string): boolean {
  if (!text.startsWith('#') && !text.startsWith('Err:')) return false;
  return /^(?:#(?:N\/A|N\/D|REF!|VALUE!|VALEUR!|DIV\/0!|NAME\?|NOM\?|NUM!|NOMBRE!|NULL!|NUL!|SPILL!|CALC!|FORMULA!)|Err:\d{3})$/.test(
    text,
  );
}

/** `771000255.0` and `2.21771000255E11` are 771000255 and 221771000255; a fraction has no more digits than are kept. */
export function plainNumber(written: string): string {
  const value = Number(written);
  if (written.trim() === '' || !Number.isFinite(value)) return written;
  return String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)));
}

export type NumberFormat =
  | { readonly is: 'date'; readonly day: boolean; readonly time: boolean }
  /** Shows this many digits at least. */
  | { readonly is: 'padded'; readonly digits: number }
  | { readonly is: 'plain' };

const PLAIN: NumberFormat = { is: 'plain' };

/** The formats that a workbook does not write out, those of dates and times; in every language by the same numbers. */
export function builtInFormat(id: number): NumberFormat {
  const day = (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  const time = (id >= 18 && id <= 22) || (id >= 45 && id <= 47);
  return day || time ? { is: 'date', day, time } : PLAIN;
}

/** The most that Excel keeps. */
const FORMAT_MAX = 255;

/** `dd/mm/yyyy`, `0#" "##" "##" "##" "##`. */
export function readFormat(code: string): NumberFormat {
  if (code.length > FORMAT_MAX) return PLAIN;
  const [first = ''] = code.split(';');
  const bare = first.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[(?!h+\]|m+\]|s+\])[^\][]*\]/gi, '');
  if (/[dyhms]/i.test(bare) && !/general|[0#?]/i.test(bare.replace(/\.0+/g, ''))) {
    return { is: 'date', day: /[dy]/i.test(bare), time: /[hs]/i.test(bare) };
  }
  // What stands behind the first 0 is shown even where it is #.
  const padded = /^#*(0[0#]*)$/.exec(bare.replace(/[\s\u00a0\u202f.()/-]/g, ''));
  const digits = padded?.[1]?.length ?? 0;
  return digits > 1 && !/\.0/.test(bare) ? { is: 'padded', digits } : PLAIN;
}

export function showNumber(written: string, format: NumberFormat, since1904: boolean): string {
  const plain = plainNumber(written);
  if (format.is === 'padded') return /^\d+$/.test(plain) ? plain.padStart(format.digits, '0') : plain;
  const value = Number(written);
  // The last day that a spreadsheet knows is the end of the year 9999.
  if (format.is === 'plain' || !(value >= 0 && value < 2_958_466)) return plain;
  const time = format.time && (value % 1 > 0 || !format.day);
  // Day 60 is the 29th of February 1900, which never was.
  const days = since1904 ? value + 1_462 : value < 60 ? value + 1 : value;
  const at = new Date(Math.round((days - 25_569) * 86_400) * 1_000);
  return showMoment(at.toISOString(), { day: format.day && value >= 1, time });
}

/** `2026-11-30T14:30:00` → `30/11/2026 14:30`, as people here write it. */
export function showMoment(iso: string, { day, time }: { readonly day: boolean; readonly time: boolean }): string {
  const [, date, clock] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?/.exec(iso) ?? [];
  if (date === undefined) return iso;
  return [...(day ? [date.split('-').toReversed().join('/')] : []), ...(time && clock ? [clock] : [])].join(' ');
}

/** What is inside a workbook: a zip archive of XML documents, read piece by piece and never further than is allowed. */

/** A workbook of two sheets has some twenty. */
const ENTRIES_MAX = 10_000;
/** Sheets, or links to other parts. Each is kept until the rows were read. */
const LISTED_MAX = 10_000;

export function keepListed<T>(list: T[], one: T): void {
  if (list.push(one) > LISTED_MAX) throw unusable('workbook_too_large');
}

/** No tag and no cell is near; what is longer is not ended, and would be looked at again with each piece. */
const TOKEN_MAX = 2_000_000;

/** Told of each element: its name without the prefix, and its attributes when asked. A text comes whole or in parts. */
export interface XmlListener {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text(text: string): void;
  close(name: string): void;
}

export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Bytes that may still be unpacked. */
  #left: number;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, unpackedMax: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#left = unpackedMax;
  }

  static async open(bytes: Buffer, unpackedMax: number): Promise<Archive> {
    try {
      const zip = await fromBufferPromise(bytes, { lazyEntries: true });
      const entries = new Map<string, Entry>();
      if (zip.entryCount > ENTRIES_MAX)
        throw unusable('broken_workbook', { detail: detail('many_parts', { parts: zip.entryCount }) });
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
      return new Archive(zip, entries, unpackedMax);
    } catch (error) {
      throw broken(error);
    }
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** The whole of a small part. */
  async read(name: string, listener: XmlListener): Promise<void> {
    for await (const length of this.pieces(name, listener)) void length;
  }

  /** Tells the listener of one piece after the other, each of so many bytes; what it learned is used between two. */
  async *pieces(name: string, listener: XmlListener): AsyncGenerator<number, void, undefined> {
    const entry = this.#entries.get(name.toLowerCase());
    if (!entry) throw unusable('broken_workbook', { detail: detail('part_missing', { part: name }) });
    if (entry.isEncrypted()) throw unusable('old_workbook');
    this.#left -= entry.uncompressedSize;
    if (this.#left < 0) throw unusable('workbook_too_large');
    const xml = new XmlReader(listener);
    try {
      let sum = 0;
      // It ends with an error where there is more than the archive says.
      const stream: AsyncIterable<Buffer> = await this.#zip.openReadStreamPromise(entry);
      for await (const bytes of stream) {
        sum = crc32(bytes, sum);
        xml.write(bytes);
        yield bytes.length;
      }
      xml.end();
      if (sum !== entry.crc32) throw unusable('broken_workbook', { detail: detail('part_changed', { part: name }) });
    } catch (error) {
      throw broken(error);
    }
  }
}

function broken(error: unknown): unknown {
  if (error instanceof Error && error.name === 'UnusableFile') return error;
  return unusable('broken_workbook', { cause: error });
}

/** Entities that a document declares are not known here, and a document that declares any is refused. */
class XmlReader {
  readonly #parser = new Parser();
  readonly #decoder = new StringDecoder('utf8');
  #sinceToken = 0;

  constructor(listener: XmlListener) {
    this.#parser.on('openTag', (name, attributes, decode) => {
      this.#sinceToken = 0;
      listener.open(withoutPrefix(name), (attribute) => {
        const value = attributes()[attribute];
        return value === undefined ? undefined : decode(value);
      });
    });
    this.#parser.on('closeTag', (name) => listener.close(withoutPrefix(name)));
    this.#parser.on('text', (text, decode) => listener.text(decode(text)));
    this.#parser.on('cdata', (text) => listener.text(text));
    this.#parser.on('attention', (text) => {
      if (/^<!(?:DOCTYPE|ENTITY)/i.test(text)) throw unusable('broken_workbook', { detail: detail('entities', {}) });
    });
    this.#parser.on('error', (error) => {
      throw unusable('broken_workbook', { cause: error });
    });
  }

  write(bytes: Buffer): void {
    this.#sinceToken += bytes.length;
    if (this.#sinceToken > TOKEN_MAX) throw unusable('broken_workbook', { detail: detail('endless', {}) });
    this.#parser.write(this.#decoder.write(bytes));
  }

  end(): void {
    this.#parser.write(this.#decoder.end());
    this.#parser.end();
  }
}

function withoutPrefix(name: string): string {
  const at = name.indexOf(':');
  return at === -1 ? name : name.slice(at + 1);
}

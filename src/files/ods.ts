/** Workbooks of LibreOffice and compatible programs (OpenDocument): one sheet, row by row. */
import type { Archive } from './archive.ts';
import {
  isSpreadsheetError,
  NO_RESULT,
  plainNumber,
  showMoment,
  chooseSheet,
  keepListed,
  othersOf,
  RowsInTheMaking,
  type Sheet,
  type SheetRow,
} from './sheet.ts';
import { unusable, UnusableFile } from './problems.ts';
import type { XmlListener } from './xml.ts';
import { detail } from '../messages/details.ts';

const CONTENT = 'content.xml';

export async function openOds(archive: Archive, wanted: string | undefined): Promise<Sheet> {
  const { sheets, hiddenRows } = await readBook(archive);
  const chosen = chooseSheet(sheets, wanted);
  const reader = new TableReader(sheets.indexOf(chosen), new Set(hiddenRows));
  return {
    name: chosen.name,
    ...othersOf(sheets, chosen),
    get merged() {
      return reader.merged;
    },
    async *rows(): AsyncGenerator<SheetRow[], void, undefined> {
      for await (const length of archive.pieces(CONTENT, reader)) {
        if (length > 0) yield* reader.rows.take();
      }
    },
  };
}

interface Book {
  readonly sheets: { readonly name: string; readonly hidden: boolean }[];
  /** Names of styles that give a row no height. */
  readonly hiddenRows: string[];
}

/** The document is read twice: for sheets and styles, which are between the rows, and for the rows. */
async function readBook(archive: Archive): Promise<Book> {
  const book: Book = { sheets: [], hiddenRows: [] };
  try {
    await archive.read(CONTENT, bookInto(book));
  } catch (error) {
    // With a password the part is decompressed but still encrypted, so it is no text.
    if (error instanceof UnusableFile && error.problems[0]?.detail?.code === 'no_xml')
      throw unusable('locked_workbook', { cause: error });
    throw error;
  }
  return book;
}

function bookInto({ sheets, hiddenRows }: Book): XmlListener {
  const hiddenTables: string[] = [];
  let style = '';
  return {
    open(name, attribute) {
      if (name === 'style:style') style = attribute('style:name') ?? '';
      else if (name === 'style:table-properties' && attribute('table:display') === 'false')
        keepListed(hiddenTables, style);
      else if (name === 'style:table-row-properties' && isNoHeight(attribute('style:row-height')))
        keepListed(hiddenRows, style);
      else if (name === 'table:table') {
        const hidden = hiddenTables.includes(attribute('table:style-name') ?? '');
        keepListed(sheets, { name: attribute('table:name') ?? '', hidden });
      }
    },
    text: () => undefined,
    close: () => undefined,
  };
}

/** `0cm` */
function isNoHeight(height: string | undefined): boolean {
  return height !== undefined && Number.parseFloat(height) === 0;
}

class TableReader implements XmlListener {
  readonly rows = new RowsInTheMaking();
  merged = 0;
  readonly #wanted: number;
  readonly #hiddenRows: ReadonlySet<string>;
  #table = -1;
  #depth = 0;
  #inCell = false;
  #type = '';
  #value = '';
  #formula = false;
  #text = '';
  #paragraphs = 0;
  #inParagraph = false;
  /** Inside a comment or a drawing, which are not part of the cell's text. */
  #aside = 0;
  #times = 1;
  #rowTimes = 1;
  /** One for each group of rows around the next row: whether it is collapsed. */
  readonly #closed: boolean[] = [];

  constructor(wanted: number, hiddenRows: ReadonlySet<string>) {
    this.#wanted = wanted;
    this.#hiddenRows = hiddenRows;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'table:table') {
      // A table inside a table is no sheet.
      if (this.#depth === 0) this.#table += 1;
      this.#depth += 1;
    }
    if (this.#table !== this.#wanted || this.#depth !== 1) return;
    if (name === 'table:table-row') this.#openRow(attribute);
    else if (name === 'table:table-row-group') this.#closed.push(attribute('table:display') === 'false');
    else if (isCell(name)) this.#openCell(attribute);
    else if (this.#inCell) this.#openInside(name, attribute);
  }

  text(text: string): void {
    if (this.#inParagraph && this.#aside === 0) this.#say(text);
  }

  close(name: string): void {
    if (name === 'table:table') this.#depth -= 1;
    if (this.#table !== this.#wanted || this.#depth !== 1) return;
    if (name === 'table:table-row') this.rows.end(this.#rowTimes);
    else if (name === 'table:table-row-group') this.#closed.pop();
    else if (isCell(name)) {
      this.rows.cell(this.#shown(), this.#times);
      this.#inCell = false;
    } else if (isAside(name)) this.#aside -= 1;
    else if (name === 'text:p' && this.#aside === 0) this.#inParagraph = false;
  }

  #openRow(attribute: (name: string) => string | undefined): void {
    this.#rowTimes = timesOf(attribute('table:number-rows-repeated'));
    const isUnseen = (attribute('table:visibility') ?? 'visible') !== 'visible' || this.#closed.includes(true);
    this.rows.begin(undefined, isUnseen || this.#hiddenRows.has(attribute('table:style-name') ?? ''));
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    this.#inCell = true;
    this.#type = attribute('office:value-type') ?? '';
    this.#value = VALUES.map((name) => attribute(name)).find((value) => value !== undefined) ?? '';
    this.#formula = attribute('table:formula') !== undefined;
    this.#times = timesOf(attribute('table:number-columns-repeated'));
    if (Number(attribute('table:number-rows-spanned') ?? 1) > 1) this.merged += 1;
    [this.#text, this.#paragraphs, this.#inParagraph, this.#aside] = ['', 0, false, 0];
  }

  #openInside(name: string, attribute: (name: string) => string | undefined): void {
    if (isAside(name)) this.#aside += 1;
    if (this.#aside > 0) return;
    if (name === 'text:p') {
      this.#say(this.#paragraphs > 0 ? '\n' : '');
      this.#paragraphs += 1;
      this.#inParagraph = true;
    } else if (name === 'text:s') this.#say(' '.repeat(Math.min(Number(attribute('text:c') ?? 1), 1_000)));
    else if (name === 'text:tab') this.#say('\t');
    else if (name === 'text:line-break') this.#say('\n');
  }

  #say(part: string): void {
    this.#text = this.rows.joined(this.#text, part);
  }

  #shown(): string {
    const [type, text] = [this.#type, this.#text];
    if (type === 'date') return momentOf(this.#value, text);
    if (type === 'boolean') return this.#value;
    if (type === 'time') return text === '' ? clockOf(this.#value) : text;
    if (type === 'string' && this.#value !== '') return this.#value;
    if (type !== 'float' && type !== 'currency' && type !== 'percentage') {
      return text === '' && type === '' && this.#formula ? NO_RESULT : text;
    }
    if (isSpreadsheetError(text)) return text;
    const plain = plainNumber(this.#value);
    // A format that shows more digits than the number has: the leading zero of a phone number.
    const digits = text.replace(/[\s\u00a0\u202f.()/-]/g, '');
    return digits.length > plain.length && /^0+$/.test(digits.slice(0, -plain.length)) && digits.endsWith(plain)
      ? digits
      : plain;
  }
}

function timesOf(text: string | undefined): number {
  if (text === undefined) return 1;
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
  throw unusable('broken_workbook', { detail: detail('repeated', { times: text.slice(0, 20) }) });
}

const VALUES = [
  'office:value',
  'office:string-value',
  'office:date-value',
  'office:time-value',
  'office:boolean-value',
] as const;

function isCell(name: string): boolean {
  return name === 'table:table-cell' || name === 'table:covered-table-cell';
}

function isAside(name: string): boolean {
  return name === 'office:annotation' || name === 'table:shapes' || name.startsWith('draw:');
}

function momentOf(iso: string, shown: string): string {
  return showMoment(iso, { day: true, time: shown === '' || /\d\s*[:h]/.test(shown) });
}

/** `PT14H30M00S` → `14:30` */
function clockOf(duration: string): string {
  const [, hours, minutes] = /^PT(\d+)H(\d+)M/.exec(duration) ?? [];
  return hours === undefined || minutes === undefined ? duration : `${hours.padStart(2, '0')}:${minutes}`;
}

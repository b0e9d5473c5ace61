/** Workbooks of LibreOffice and of what writes like it (OpenDocument): one sheet, row by row. */
import {
  type Archive,
  type XmlListener,
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
import { unusable } from './problems.ts';
import { detail } from '../words/details.ts';

const CONTENT = 'content.xml';

export async function openOds(archive: Archive, wanted: string | undefined): Promise<Sheet> {
  const sheets = await sheetsOf(archive);
  const chosen = chooseSheet(sheets, wanted);
  const reader = new TableReader(sheets.indexOf(chosen));
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

/** The document is walked once for the names, which stand between the rows, and once more for the rows. */
async function sheetsOf(archive: Archive) {
  const sheets: { readonly name: string; readonly hidden: boolean }[] = [];
  const hiddenStyles: string[] = [];
  let style = '';
  await archive.read(CONTENT, {
    open(name, attribute) {
      if (name === 'style') style = attribute('style:name') ?? '';
      else if (name === 'table-properties' && attribute('table:display') === 'false') keepListed(hiddenStyles, style);
      else if (name === 'table') {
        const hidden = hiddenStyles.includes(attribute('table:style-name') ?? '');
        keepListed(sheets, { name: attribute('table:name') ?? '', hidden });
      }
    },
    text: () => undefined,
    close: () => undefined,
  });
  return sheets;
}

class TableReader implements XmlListener {
  readonly rows = new RowsInTheMaking();
  merged = 0;
  readonly #wanted: number;
  #table = -1;
  #depth = 0;
  #inCell = false;
  #type = '';
  #value = '';
  #formula = false;
  #text = '';
  #paragraphs = 0;
  #inParagraph = false;
  /** Inside a comment or a drawing, which are no text of the cell. */
  #aside = 0;
  #times = 1;
  #rowTimes = 1;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'table') {
      // A table inside a table is no sheet.
      if (this.#depth === 0) this.#table += 1;
      this.#depth += 1;
    }
    if (this.#table !== this.#wanted || this.#depth !== 1) return;
    if (name === 'table-row') this.#openRow(attribute);
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#openCell(attribute);
    else if (this.#inCell) this.#openInside(name, attribute);
  }

  text(text: string): void {
    if (this.#inParagraph && this.#aside === 0) this.#say(text);
  }

  close(name: string): void {
    if (name === 'table') this.#depth -= 1;
    if (this.#table !== this.#wanted || this.#depth !== 1) return;
    if (name === 'table-row') this.rows.end(this.#rowTimes);
    else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.rows.cell(this.#shown(), this.#times);
      this.#inCell = false;
    } else if (isAside(name)) this.#aside -= 1;
    else if (name === 'p' && this.#aside === 0) this.#inParagraph = false;
  }

  #openRow(attribute: (name: string) => string | undefined): void {
    this.#rowTimes = timesOf(attribute('table:number-rows-repeated'));
    this.rows.begin(undefined, (attribute('table:visibility') ?? 'visible') !== 'visible');
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    this.#inCell = true;
    this.#type = attribute('office:value-type') ?? '';
    this.#value =
      attribute('office:value') ?? attribute('office:date-value') ?? attribute('office:boolean-value') ?? '';
    this.#formula = attribute('table:formula') !== undefined;
    this.#times = timesOf(attribute('table:number-columns-repeated'));
    if (Number(attribute('table:number-rows-spanned') ?? 1) > 1) this.merged += 1;
    [this.#text, this.#paragraphs, this.#inParagraph, this.#aside] = ['', 0, false, 0];
  }

  #openInside(name: string, attribute: (name: string) => string | undefined): void {
    if (isAside(name)) this.#aside += 1;
    if (this.#aside > 0) return;
    if (name === 'p') {
      this.#say(this.#paragraphs > 0 ? '\n' : '');
      this.#paragraphs += 1;
      this.#inParagraph = true;
    } else if (name === 's') this.#say(' '.repeat(Math.min(Number(attribute('text:c') ?? 1), 1_000)));
    else if (name === 'tab') this.#say('\t');
    else if (name === 'line-break') this.#say('\n');
  }

  #say(part: string): void {
    this.#text = this.rows.joined(this.#text, part);
  }

  #shown(): string {
    const [type, text] = [this.#type, this.#text];
    if (type === 'date') return momentOf(this.#value, text);
    if (type === 'boolean') return this.#value;
    if (type !== 'float' && type !== 'currency' && type !== 'percentage') {
      return text === '' && type === '' && this.#formula ? NO_RESULT : text;
    }
    if (isSpreadsheetError(text)) return text;
    const plain = plainNumber(this.#value);
    // A format that shows more digits than the number has: the first zero of a telephone number.
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

function isAside(name: string): boolean {
  return name === 'annotation' || name === 'shapes' || name === 'frame' || name === 'custom-shape';
}

function momentOf(iso: string, shown: string): string {
  return showMoment(iso, { day: true, time: iso.includes('T') && /\d\s*[:h]/.test(shown) });
}

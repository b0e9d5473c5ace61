import { unusable } from './problems.ts';
import { detail } from '../messages/details.ts';

export const MAX_COLUMNS = 100;
/** No program's sheet has more. */
const MAX_ROWS = 1_048_576;
const MAX_ROW_CHARACTERS = 65_536;
/** `_x000D_`: this many characters of a document may represent one. */
export const WRITTEN_AS = 7;
const ROWS_AT_ONCE = 1_000;

/** Sheets, or links to other parts. Each is held until the rows were read. */
const LISTED_MAX = 10_000;

export function keepListed<T>(list: T[], one: T): void {
  if (list.push(one) > LISTED_MAX) throw unusable('workbook_too_large');
}

export interface SheetRow {
  /** Spreadsheet numbering, from 1. */
  readonly row: number;
  readonly cells: string[];
  readonly hidden: boolean;
}

/** One sheet of a workbook; `name` and `others` are known at once, `merged` after all rows were read. */
export interface Sheet {
  readonly name: string;
  /** The other visible sheets, and the hidden ones. */
  readonly others: readonly string[];
  readonly hidden: readonly string[];
  /** Cells that span several rows: only the first row has the value. */
  readonly merged: number;
  rows(): AsyncGenerator<SheetRow[], void, undefined>;
}

interface Named {
  readonly name: string;
  readonly hidden: boolean;
}

/** The requested one, otherwise the first visible one. */
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

/** Builds rows while a document is parsed, and returns them between two pieces of it. */
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

  /** The position of the next cell, from 0; without it, next to the last one. */
  at(column: number | undefined): void {
    if (column !== undefined) this.#column = column;
  }

  /** Appends a part of a cell's text: it ends within the limit of a row, however many parts follow. */
  joined(text: string, part: string): string {
    if (text.length + part.length > MAX_ROW_CHARACTERS * WRITTEN_AS)
      throw unusable('row_too_long', { row: this.#row });
    return text + part;
  }

  /** The text in this many cells. */
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
    // Empty rows are skipped, whatever their declared number.
    if (cells.length > 0) this.#done.push({ row, cells, hidden: this.#hidden, times });
    this.#row = row + times - 1;
  }

  /**
   * Rows built since the last call: a row repeated a million times takes half a kilobyte, and is never expanded at
   * once.
   */
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

/** The values of workbook cells as the text that a user would have typed. */

/** A formula without a stored result: only a spreadsheet program can calculate it. */
export const NO_RESULT = '#FORMULA!';

/** `#N/A`, in English and in French, and in LibreOffice's form: a failed formula, not a value. */
export function isSpreadsheetError(text: string): boolean {
  if (!text.startsWith('#') && !text.startsWith('Err:')) return false;
  return /^(?:#(?:N\/A|N\/D|REF!|VALUE!|VALEUR!|DIV\/0!|NAME\?|NOM\?|NUM!|NOMBRE!|NULL!|NUL!|SPILL!|CALC!|FORMULA!)|Err:\d{3})$/.test(
    text,
  );
}

/**
 * `771000255.0` and `2.21771000255E11` are 771000255 and 221771000255; fractions are limited to the stored digits.
 */
export function plainNumber(written: string): string {
  const value = Number(written);
  if (written.trim() === '' || !Number.isFinite(value)) return written;
  return String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)));
}

export type NumberFormat =
  /** `elapsed`: hours count beyond 24. */
  | { readonly is: 'date'; readonly day: boolean; readonly time: boolean; readonly elapsed?: boolean }
  /** Shows at least this many digits. */
  | { readonly is: 'padded'; readonly digits: number }
  | { readonly is: 'plain' };

const PLAIN: NumberFormat = { is: 'plain' };

/**
 * Built-in formats of dates and times, which a workbook only references; their numbers are equal in every language.
 */
export function builtInFormat(id: number): NumberFormat {
  const day = (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  const time = (id >= 18 && id <= 22) || (id >= 45 && id <= 47);
  return day || time ? { is: 'date', day, time, elapsed: id === 46 } : PLAIN;
}

/** The maximum of Excel. */
const FORMAT_MAX = 255;

/** `dd/mm/yyyy`, `0#" "##" "##" "##" "##`. */
export function readFormat(code: string): NumberFormat {
  if (code.length > FORMAT_MAX) return PLAIN;
  const [first = ''] = code.split(';');
  const bare = first.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[(?!h+\]|m+\]|s+\])[^\][]*\]/gi, '');
  if (/[dyhms]/i.test(bare) && !/general|[0#?]/i.test(bare.replace(/\.0+/g, ''))) {
    return { is: 'date', day: /[dy]/i.test(bare), time: /[hs]/i.test(bare), elapsed: /\[h+\]/i.test(bare) };
  }
  // Digits after the first 0 are shown even for #.
  const padded = /^#*(0[0#]*)$/.exec(bare.replace(/[\s\u00a0\u202f.()/-]/g, ''));
  const digits = padded?.[1]?.length ?? 0;
  return digits > 1 && !/\.0/.test(bare) ? { is: 'padded', digits } : PLAIN;
}

export function showNumber(written: string, format: NumberFormat, since1904: boolean): string {
  const plain = plainNumber(written);
  if (format.is === 'padded') return /^\d+$/.test(plain) ? plain.padStart(format.digits, '0') : plain;
  const value = Number(written);
  // A spreadsheet's last day is the end of the year 9999.
  if (format.is === 'plain' || !(value >= 0 && value < 2_958_466)) return plain;
  const { time, elapsed } = format;
  // Before the first day a spreadsheet shows an impossible date.
  const day = format.day && value >= 1;
  if (elapsed) return hoursOf(value);
  if (!day && !time) return plain;
  // Day 60 is the 29th of February 1900, which did not exist.
  const days = since1904 ? value + 1_462 : value < 60 ? value + 1 : value;
  const at = new Date(Math.round((days - 25_569) * 86_400) * 1_000);
  return showMoment(at.toISOString(), { day, time });
}

/** `36:00` */
function hoursOf(days: number): string {
  const minutes = Math.round(days * 1_440);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/** `2026-11-30T14:30:00` → `30/11/2026 14:30`, the local format. Without a format, everything is shown. */
export function showMoment(
  iso: string,
  { day = true, time = true }: { readonly day?: boolean; readonly time?: boolean } = {},
): string {
  const [, date, clock] = /^(\d{4}-\d{2}-\d{2})?T?(\d{2}:\d{2})?/.exec(iso) ?? [];
  const shown = [day && date?.split('-').toReversed().join('/'), time && clock].filter(Boolean).join(' ');
  return shown === '' ? iso : shown;
}

import { unusable } from './problems.ts';

export const MAX_COLUMNS = 100;
/** No sheet of any program has more. */
const MAX_ROWS = 1_048_576;
const MAX_ROW_CHARACTERS = 65_536;

export interface SheetRow {
  /** As the spreadsheet numbers it, from 1 on. */
  readonly row: number;
  readonly cells: string[];
  readonly hidden: boolean;
}

/** One sheet of a workbook; `name` and `others` are known at once, `merged` once all rows were read. */
export interface Sheet {
  readonly name: string;
  /** The other sheets that can be seen. */
  readonly others: readonly string[];
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
    ? unusable('broken_workbook', { detail: 'it has no sheets' })
    : unusable('no_such_sheet', { detail: `sheets: ${names.join(', ')}` });
}

export function othersOf(sheets: readonly Named[], chosen: Named): string[] {
  return sheets.filter((sheet) => sheet !== chosen && !sheet.hidden).map(({ name }) => name);
}

/** Puts rows together while a document is read, and hands them out between two pieces of it. */
export class RowsInTheMaking {
  #done: SheetRow[] = [];
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
    if (cells.length > 0) {
      for (let at = 0; at < times; at += 1) this.#done.push({ row: row + at, cells, hidden: this.#hidden });
    }
    this.#row = row + times - 1;
  }

  take(): SheetRow[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }
}

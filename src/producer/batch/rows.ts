import type { Finding } from '../../kinds/batch.ts';

export const ROWS_MAX = 10_000;

export interface RawRow {
  /** As a spreadsheet numbers it: the header of a CSV file is row 1. JSON has no header and begins with 1. */
  readonly row: number;
  /** The request as it was written, by column; what could not be read is left out and is among the problems. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly problems: readonly Finding[];
}

export interface Rows {
  readonly rows: readonly RawRow[];
  /** Of the file as a whole: with one of these no row can be trusted. */
  readonly problems: readonly Finding[];
  /** What there is to know that is no fault, such as sheets that were not read. */
  readonly warnings?: readonly Finding[];
  /** The table as it was written, for a list of what is wrong with it; absent where the file was JSON. */
  readonly columns?: readonly string[];
  readonly cells?: ReadonlyMap<number, readonly string[]>;
}

/** No row of the file is judged. */
export function unreadable(reason: string, row: number | null = null): Rows {
  return { rows: [], problems: [{ row, column: null, reason }] };
}

/** Found before the rows are made: a few megabytes can hold a million of them. */
export function tooManyRows(): Rows {
  return unreadable(`has more than ${ROWS_MAX} rows, the most that are taken; send it in parts`);
}

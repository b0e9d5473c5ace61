/** Reads the rows of a table from cells to requests, and reports how. No row is judged here. */
import { OWN_MAX, ownCells } from '../../files/own-cells.ts';
import type { FileFacts, RawRow as TableRow, RowReader } from '../../files/rows.ts';
import { isSpreadsheetError } from '../../files/sheet.ts';
import type { Finding } from '../../kinds/batch.ts';
import { readWrittenXof } from '../../lib/money.ts';
import { canonicalName } from '../../lib/wording.ts';
import { withdrawModes } from '../../provider/capabilities.ts';
import { type Message, message } from '../../messages/message.ts';
import { type Column, METADATA, type Heading, isColumn, isDescription, ownHeadings } from './columns.ts';
import { type Layout, type OfficeReading, layOut } from './layout.ts';
import type { RawRow, Rows, TableRead } from './rows.ts';

const NAMES_MOST = 100;

export class TableRows {
  readonly rows: RawRow[] = [];
  readonly #header: readonly string[];
  readonly #isSheet: boolean;
  readonly #layout: Layout;
  readonly #own: readonly Heading[];
  readonly #reading: OfficeReading;
  readonly #modes: ReadonlyMap<string, string>;
  readonly #leaveOut: ReadonlySet<number>;
  readonly #leftOut: number[] = [];
  /** Names of wallets in the file, with their number of rows. */
  readonly #names = new Map<string, { readonly name: string; rows: number }>();
  readonly #cells = new Map<number, readonly string[]>();
  readonly #warnings: Finding[] = [];

  constructor(reader: RowReader, reading: OfficeReading) {
    this.#header = reader.columns.map((name) => name.trim());
    this.#isSheet = reader.format !== 'csv';
    this.#layout = layOut(this.#header, reader.headerRow, reading);
    this.#own = ownHeadings(this.#header, this.#layout.fields);
    this.#reading = reading;
    this.#leaveOut = new Set(reading.leaveOut);
    this.#modes = new Map(Object.entries(reading.wallets ?? {}).map(([name, mode]) => [canonicalName(name), mode]));
  }

  add(row: TableRow): void {
    if (this.#layout.problems.length > 0 || row.cells.every((cell) => cell.trim() === '')) return;
    if (this.#leaveOut.has(row.row)) {
      this.#leftOut.push(row.row);
      return;
    }
    const { kept, cut } = ownCells(this.#own.map(({ at }) => row.cells[at] ?? ''));
    const read = this.#read(row);
    this.rows.push(this.#own.length === 0 ? read : { ...read, own: kept });
    if (cut) this.#warn(message('own_columns_cut', { most: OWN_MAX }), row.row);
    this.#cells.set(row.row, row.cells);
  }

  read({ sheet, otherSheets = [], merged = 0, titleRows }: FileFacts, asked: string | undefined): Rows {
    const { problems, fields, office } = this.#layout;
    const unread = this.#own.filter(({ at }) => !isDescription(fields[at] ?? ''));
    if (unread.length > 0 && problems.length === 0) {
      this.#warn(message('columns_not_read', { columns: unread.map(({ heading }) => heading).join(', ') }));
    }
    if (otherSheets.length > 0 && asked === undefined) {
      this.#warn(message('one_sheet_read', { sheet: sheet ?? '', others: otherSheets.join(', ') }));
    }
    if (merged > 0) this.#warn(message('merged_cells'));
    if (this.#leftOut.length > 0) this.#warn(message('rows_left_out', { rows: this.#leftOut.join(', ') }));
    const wallets = [...this.#names.values()].map((one) => ({ ...one, mode: this.#modeOf(one.name) ?? null }));
    const table: TableRead = {
      columns: this.#header,
      fields: office ?? fieldsOf(fields),
      titleRows,
      sheet: sheet ?? null,
      otherSheets,
      wallets,
    };
    return {
      rows: this.rows,
      problems,
      warnings: this.#warnings.toSorted((one, other) => Number(one.row !== null) - Number(other.row !== null)),
      columns: this.#header,
      cells: this.#cells,
      own: this.#own.map(({ heading }) => heading),
      table,
      ...this.#asRead(office, asked),
    };
  }

  /** The options of the reading with the columns found. A table with the columns of relais needs none. */
  #asRead(office: Layout['office'], sheet: string | undefined): Pick<Rows, 'reading'> {
    const { columns: _, wallets, ...said } = this.#reading;
    const reading = {
      ...said,
      ...(sheet === undefined ? {} : { sheet }),
      ...(office === undefined ? {} : { columns: office }),
      ...(office === undefined || wallets === undefined ? {} : { wallets: Object.fromEntries(this.#modes) }),
    };
    return Object.keys(reading).length === 0 ? {} : { reading };
  }

  #read({ row, cells: read, hidden }: TableRow): RawRow {
    const whole = (reason: Message): RawRow => ({ row, request: {}, problems: [{ row, column: null, reason }] });
    if (hidden && !this.#reading.takeHidden) return whole(message('hidden_payment'));
    const header = this.#header;
    // A sheet ends each row with its last non-empty cell.
    const missing = this.#isSheet ? Math.max(0, header.length - read.length) : 0;
    const cells = [...read, ...Array.from({ length: missing }, () => '')];
    if (cells.length !== header.length) {
      return whole(message('cells_of_header', { cells: cells.length, header: header.length }));
    }
    const request: Record<string, unknown> = {};
    const problems: Finding[] = [];
    const isOffice = this.#layout.office !== undefined;
    for (const [at, field] of this.#layout.fields.entries()) {
      const written = cells[at] ?? '';
      const cell = isOffice ? written.trim() : written;
      if (field === undefined || cell === '') continue;
      if (isDescription(field)) describe(request, field, cell);
      if (!isColumn(field)) continue;
      const value = isOffice ? this.#officeCell(field, cell) : readCell(field, cell);
      if ('reason' in value) problems.push({ row, column: field, reason: value.reason });
      else request[field] = value.value;
    }
    return { row, request: isOffice ? this.#completed(request, row) : request, problems };
  }

  /** A cell of a table with its own headings, as people write it. */
  #officeCell(field: Column, cell: string): CellRead {
    if (field === 'withdrawMode') return { value: this.#walletOf(cell) };
    if (field !== 'amount' || isSpreadsheetError(cell)) return readCell(field, cell);
    const value = readWrittenXof(cell, this.#reading);
    if (value !== undefined) return { value };
    const isDoubtful = readWrittenXof(cell, { thousands: true }) !== undefined;
    return { reason: isDoubtful ? message('two_amounts', { cell: cell.slice(0, 40) }) : message('written_francs') };
  }

  #walletOf(name: string): string {
    const key = canonicalName(name);
    const before = this.#names.get(key);
    if (before) before.rows += 1;
    else if (!Object.hasOwn(withdrawModes, name) && this.#names.size < NAMES_MOST) {
      this.#names.set(key, { name, rows: 1 });
    }
    return this.#modes.get(key) ?? name;
  }

  #modeOf(name: string): string | undefined {
    return this.#modes.get(canonicalName(name));
  }

  #completed(request: Readonly<Record<string, unknown>>, row: number): Readonly<Record<string, unknown>> {
    const { wallet, referencePrefix } = this.#reading;
    const isNumbered = referencePrefix !== undefined && this.#layout.office?.reference === undefined;
    const { reference } = request;
    const own = isNumbered ? String(row) : typeof reference === 'string' ? reference : undefined;
    return {
      ...request,
      ...(wallet === undefined || this.#layout.office?.withdrawMode !== undefined ? {} : { withdrawMode: wallet }),
      ...(referencePrefix === undefined || own === undefined ? {} : { reference: `${referencePrefix}-${own}` }),
    };
  }

  #warn(reason: Message, row: number | null = null): void {
    this.#warnings.push({ row, column: null, reason });
  }
}

function fieldsOf(fields: Layout['fields']): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.flatMap((field) => (field === undefined ? [] : [[field, field]])));
}

/** An empty cell counts as absent. */
function describe(request: Record<string, unknown>, column: string, cell: string): void {
  if (cell.trim() === '') return;
  if (!column.startsWith(METADATA)) request[column] = cell;
  else
    request['metadata'] = { ...(request['metadata'] as object | undefined), [column.slice(METADATA.length)]: cell };
}

type CellRead = { readonly value: unknown } | { readonly reason: Message };

function readCell(column: Column, cell: string): CellRead {
  if (isSpreadsheetError(cell)) return { reason: message('cell_error', { cell }) };
  if (column === 'amount') {
    // `1e3`, `25 000`, `25000.00` and `-5` are ambiguous numbers.
    if (/^[1-9]\d{0,12}$/.test(cell)) return { value: Number(cell) };
    return { reason: message('whole_francs') };
  }
  // A program that treated the number as a measurement had all its digits.
  if (column === 'accountAlias') return { value: cell.replace(/^(\d{7,})[.,]0{1,2}$/, '$1') };
  if (column !== 'allowDuplicate') return { value: cell };
  if (cell === 'true' || cell === 'false') return { value: cell === 'true' };
  return { reason: message('boolean_or_empty') };
}

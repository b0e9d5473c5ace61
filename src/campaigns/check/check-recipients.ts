import { isSpreadsheetError } from '../../files/sheet.ts';
import { UnusableFile, unusable } from '../../files/problems.ts';
import { type RawRow, type ReadOptions, RowReader } from '../../files/rows.ts';
import { isFormula } from '../../files/csv.ts';
import { countSegments, type SegmentCount, type Wording, wordingOf } from '../../lib/wording.ts';
import { headerFinder, type Layout, layOut, probablyMeant } from './columns.ts';
import { NumberIndex } from './number-index.ts';
import { type PhoneOptions, type PhoneReader, type PhoneReading, phoneReader } from './phone.ts';
import type { Prices } from '../../files/prices.ts';
import type { SkipReason } from './reasons.ts';
import type { CheckedRow, CheckSummary, SkippedRow } from './summary.ts';
import { Preview, Tally } from './tally.ts';

export interface CheckOptions extends PhoneOptions, Pick<ReadOptions, 'format' | 'encoding' | 'sheet'> {
  /** The text of the campaign, with `{{variables}}`. Without it nothing is said about segments, cost and variables. */
  readonly text?: string;
  /** The column of the numbers, where it is called by no name that is known. */
  readonly phoneColumn?: string | undefined;
  /** Rows that a spreadsheet hides are read like any other. Off by default: a person who looked at the file did not see them. */
  readonly takeHidden?: boolean | undefined;
  /** Numbers that are in the campaign already, from earlier uploads. Only read. */
  readonly seen?: { has(e164: string): boolean };
  /** Which of these numbers (E.164) want no texts, by position. Asked once for each piece of the file. */
  readonly optedOut?: (numbers: readonly string[]) => Promise<readonly boolean[]>;
  /** XOF per segment, by country. */
  readonly prices?: Prices;
  /** A text with more segments is skipped as `text_too_long`. Defaults to 10. */
  readonly maxSegments?: number;
  /** A text with more segments is pointed out in the summary. Defaults to 3. */
  readonly warnAbove?: number;
  /** Takes each text as it is sent when costly characters are replaced. Off by default: it changes what people read. */
  readonly replaceCostly?: boolean;
  /** Shows this many of the first texts, the longest and the dearest, as they would go out. Needs a text. */
  readonly preview?: number;
}

export type Check = AsyncGenerator<CheckedRow, void, undefined> & {
  /** Of the header, known with the first row. None for JSON lines, where columns come as they come. */
  columns(): readonly string[];
  /** Complete once the last row was read; throws before. */
  summary(): CheckSummary;
};

/**
 * Reads a file of recipients row by row and judges each; every data row comes out exactly once, blank rows not at all.
 * Throws an UnusableFile while reading when the file as a whole cannot be used, an UnusableTemplate or a RangeError at
 * once for a wrong option. Memory: a piece of the file, and 12 to 36 bytes per recipient to find duplicates.
 */
export function checkRecipients(source: AsyncIterable<Uint8Array>, options: CheckOptions = {}): Check {
  const { format, encoding, sheet, phoneColumn } = options;
  const rows = new RowReader(source, { format, encoding, sheet, isHeader: headerFinder(phoneColumn) });
  const checker = new RowChecker(rows, options);
  let summary: CheckSummary | undefined;
  async function* checked(): AsyncGenerator<CheckedRow, void, undefined> {
    for await (const batch of rows.batches()) {
      const judged: Judged[] = [];
      for (const raw of batch) {
        const one = checker.judge(raw);
        if (one) judged.push(one);
      }
      const optedOut = options.optedOut && (await among(judged, options.optedOut));
      for (const one of judged) yield checker.settle(one, optedOut?.has(one) ?? false);
    }
    checker.finish();
    summary = checker.summary();
  }
  return Object.assign(checked(), {
    columns: () => (rows.format === 'ndjson' ? [] : rows.columns),
    summary() {
      if (!summary) throw new Error('the summary is known once all rows were read');
      return summary;
    },
  });
}

async function among(
  judged: readonly Judged[],
  optedOut: NonNullable<CheckOptions['optedOut']>,
): Promise<ReadonlySet<Judged>> {
  const sound = judged.filter((one) => one.is === 'sound');
  const answers = sound.length === 0 ? [] : await optedOut(sound.map(({ phone }) => phone.e164));
  return new Set(sound.filter((_, at) => answers[at]));
}

/** Nothing speaks against the row by itself; whether the person wants texts, and comes only once, is still to be seen. */
interface SoundRow {
  readonly is: 'sound';
  readonly row: number;
  /** As written in the file. */
  readonly to: string;
  readonly cells: readonly string[];
  readonly phone: Extract<PhoneReading, { is: 'mobile' }>;
  readonly vars: Readonly<Record<string, string>>;
  /** Absent when no text was given. */
  readonly said?: { readonly text: string; readonly count: SegmentCount };
}

type Judged = SoundRow | SkippedRow;

/** Judges the rows of one file in two steps, `judge` and `settle`, both in the order of the file. */
class RowChecker {
  readonly #tally: Tally;
  readonly #rows: RowReader;
  readonly #options: CheckOptions;
  readonly #wording: Wording | undefined;
  readonly #readPhone: PhoneReader;
  readonly #numbers = new NumberIndex();
  readonly #preview: Preview | undefined;
  #layout: Layout = { phone: -1, variables: [] };
  #laidOut = 0;

  constructor(rows: RowReader, options: CheckOptions) {
    const { text, prices, preview, replaceCostly, warnAbove = 3 } = options;
    this.#rows = rows;
    this.#options = options;
    this.#wording = text === undefined ? undefined : wordingOf({ text, replaceCostly });
    this.#readPhone = phoneReader(options);
    this.#preview = preview === undefined || text === undefined ? undefined : new Preview(preview, prices);
    this.#tally = new Tally({
      ...(prices && { prices }),
      ...(text !== undefined && { templateText: text }),
      warnAbove,
    });
  }

  /** Undefined for a blank row. */
  judge(raw: RawRow): Judged | undefined {
    if (this.#rows.columns.length !== this.#laidOut) this.#layOut();
    if (raw.wrong !== undefined || !raw.cells.every((cell) => cell.trim() === '')) return this.#judge(raw);
    this.#tally.blank();
    return undefined;
  }

  settle(judged: Judged, optedOut: boolean): CheckedRow {
    const settled = judged.is === 'sound' ? this.#admit(judged, optedOut) : judged;
    if (settled.is === 'skipped') this.#tally.skip(settled);
    return settled;
  }

  finish(): void {
    if (this.#rows.columns.length !== this.#laidOut) this.#layOut();
    const empty = this.#rows.columns.length === 0;
    if (this.#rows.format !== 'ndjson' && empty) throw unusable('empty_file', this.#elsewhere());
    if (this.#tally.isEmpty) throw unusable('no_rows', this.#elsewhere());
  }

  summary(): CheckSummary {
    const summary = this.#tally.summary(this.#rows.facts());
    const meant = probablyMeant(this.#options.text ?? '', summary.columns);
    return {
      ...summary,
      ...(meant.length > 0 && { probablyMeant: meant }),
      ...(this.#preview && { preview: this.#preview.texts() }),
    };
  }

  /** An empty sheet in front of a full one is easily overlooked. */
  #elsewhere(): { readonly detail?: string } {
    const { sheet, otherSheets = [] } = this.#rows.facts();
    return otherSheets.length === 0 ? {} : { detail: `read: ${sheet}; other sheets: ${otherSheets.join(', ')}` };
  }

  #layOut(): void {
    const { columns, format } = this.#rows;
    const { layout, problems } = layOut(columns, {
      wanted: this.#wording?.variables,
      strict: format !== 'ndjson',
      phoneColumn: this.#options.phoneColumn,
    });
    if (problems.length > 0) throw new UnusableFile(problems);
    this.#layout = layout;
    this.#laidOut = columns.length;
  }

  #judge({ row, cells, wrong, hidden }: RawRow): Judged {
    const to = cells[this.#layout.phone] ?? '';
    const about = { row, to, cells };
    if (wrong !== undefined) return skipped(about, 'unreadable_row', { detail: wrong });
    if (hidden && !this.#options.takeHidden) return skipped(about, 'hidden_row');
    const { columns } = this.#rows;
    if (cells.length > columns.length && cells.slice(columns.length).some(Boolean))
      return skipped(about, 'extra_cells');

    const phone = this.#readPhone(to);
    if (phone.is === 'refused') {
      const reason = isSpreadsheetError(to) ? 'spreadsheet_error' : phone.reason;
      return skipped(about, reason, { detail: phone.detail });
    }

    const vars: Record<string, string> = {};
    for (const { name, at } of this.#layout.variables) {
      const value = asTyped((cells[at] ?? '').trim());
      const wrongWith = this.#wording && faultOf(value, this.#wording.optional.has(name));
      if (wrongWith) return skipped(about, wrongWith, { column: columns[at] ?? name });
      vars[name] = value;
    }
    if (!this.#wording) return { is: 'sound', ...about, phone, vars };
    const text = this.#wording.textFor(vars);
    const count = countSegments(text);
    if (count.segments > (this.#options.maxSegments ?? 10))
      return skipped(about, 'text_too_long', { detail: `${count.segments} segments` });
    return { is: 'sound', ...about, phone, vars, said: { text, count } };
  }

  #admit({ phone, vars, said, ...about }: SoundRow, optedOut: boolean): CheckedRow {
    const { row, to } = about;
    const { e164, country, repaired } = phone;
    if (optedOut) return skipped(about, 'opted_out');
    if (this.#options.seen?.has(e164)) return skipped(about, 'already_in_campaign');
    // Last, so that a row left out for another reason does not take the place of a good one below it.
    const earlier = this.#numbers.add(e164, row);
    if (earlier > 0) return skipped(about, 'duplicate', { detail: `same number as row ${earlier}` });

    this.#tally.accept(country, said?.text, said?.count);
    if (said) this.#preview?.add({ row, to: e164, country, ...said });
    if (!repaired) return { is: 'recipient', row, to: e164, country, vars };
    const before = to.slice(0, 64);
    this.#tally.repair({ row, before, after: e164 });
    return { is: 'recipient', row, to: e164, country, vars, repairedFrom: before };
  }
}

/** A cell that we once wrote so that no spreadsheet runs it comes back as it was. */
function asTyped(value: string): string {
  return value.charCodeAt(0) === 0x27 && isFormula(value.slice(1)) ? value.slice(1) : value;
}

function faultOf(value: string, optional: boolean): SkipReason | undefined {
  if (value === '') return optional ? undefined : 'empty_variable';
  return isSpreadsheetError(value) ? 'spreadsheet_error' : undefined;
}

function skipped(
  { row, to, cells }: Pick<SkippedRow, 'row' | 'to' | 'cells'>,
  reason: SkipReason,
  more: { readonly column?: string | undefined; readonly detail?: string | undefined } = {},
): SkippedRow {
  const { column, detail } = more;
  return {
    is: 'skipped',
    row,
    to: to.slice(0, 64),
    reason,
    cells,
    ...(column !== undefined && { column }),
    ...(detail !== undefined && { detail }),
  };
}

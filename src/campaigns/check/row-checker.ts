import { countSegments, type SegmentCount } from '../../lib/segments.ts';
import { type Wording, wordingOf } from '../../lib/wording.ts';
import type { CheckOptions } from './check-recipients.ts';
import { type Layout, layOut } from './columns.ts';
import { NumberIndex } from './number-index.ts';
import { type PhoneReader, type PhoneReading, phoneReader } from './phone.ts';
import { Preview } from './preview.ts';
import { fileProblem, type SkipReason, UnusableFile } from './reasons.ts';
import type { RawRow, RowReader } from './rows.ts';
import type { CheckedRow, CheckSummary, SkippedRow } from './summary.ts';
import { Tally } from './tally.ts';

/** Nothing speaks against the row by itself; whether the person wants texts, and comes only once, is still to be seen. */
interface SoundRow {
  readonly is: 'sound';
  readonly row: number;
  /** As written in the file. */
  readonly to: string;
  readonly phone: Extract<PhoneReading, { is: 'mobile' }>;
  readonly vars: Readonly<Record<string, string>>;
  /** Absent when no text was given. */
  readonly said?: { readonly text: string; readonly count: SegmentCount };
}

export type Judged = SoundRow | SkippedRow;

/** Judges the rows of one file in two steps, `judge` and `settle`, both in the order of the file. */
export class RowChecker {
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
    if (this.#rows.format === 'csv' && empty) throw new UnusableFile([fileProblem('empty_file')]);
    if (this.#tally.isEmpty) throw new UnusableFile([fileProblem('no_rows')]);
  }

  summary(): CheckSummary {
    const summary = this.#tally.summary(this.#rows.facts());
    return { ...summary, ...(this.#preview && { preview: this.#preview.texts() }) };
  }

  #layOut(): void {
    const { columns, format } = this.#rows;
    const { layout, problems } = layOut(columns, this.#wording?.variables, format === 'csv');
    if (problems.length > 0) throw new UnusableFile(problems);
    this.#layout = layout;
    this.#laidOut = columns.length;
  }

  #judge({ row, cells, wrong }: RawRow): Judged {
    const to = cells[this.#layout.phone] ?? '';
    if (wrong !== undefined) return skipped(row, to, 'unreadable_row', { detail: wrong });
    const { columns } = this.#rows;
    if (cells.length > columns.length && cells.slice(columns.length).some(Boolean))
      return skipped(row, to, 'extra_cells');

    const phone = this.#readPhone(to);
    if (phone.is === 'refused') return skipped(row, to, phone.reason, { detail: phone.detail });

    const vars: Record<string, string> = {};
    for (const { name, at } of this.#layout.variables) {
      const value = (cells[at] ?? '').trim();
      if (value === '' && this.#wording) return skipped(row, to, 'empty_variable', { column: columns[at] ?? name });
      vars[name] = value;
    }
    if (!this.#wording) return { is: 'sound', row, to, phone, vars };
    const text = this.#wording.textFor(vars);
    const count = countSegments(text);
    if (count.segments > (this.#options.maxSegments ?? 10))
      return skipped(row, to, 'text_too_long', { detail: `${count.segments} segments` });
    return { is: 'sound', row, to, phone, vars, said: { text, count } };
  }

  #admit({ row, to, phone, vars, said }: SoundRow, optedOut: boolean): CheckedRow {
    const { e164, country, repaired } = phone;
    if (optedOut) return skipped(row, to, 'opted_out');
    if (this.#options.seen?.has(e164)) return skipped(row, to, 'already_in_campaign');
    // Last, so that a row left out for another reason does not take the place of a good one below it.
    const earlier = this.#numbers.add(e164, row);
    if (earlier > 0) return skipped(row, to, 'duplicate', { detail: `same number as row ${earlier}` });

    this.#tally.accept(country, said?.text, said?.count);
    if (said) this.#preview?.add({ row, to: e164, country, ...said });
    if (!repaired) return { is: 'recipient', row, to: e164, country, vars };
    const before = to.slice(0, 64);
    this.#tally.repair({ row, before, after: e164 });
    return { is: 'recipient', row, to: e164, country, vars, repairedFrom: before };
  }
}

function skipped(
  row: number,
  to: string,
  reason: SkipReason,
  more: { readonly column?: string | undefined; readonly detail?: string | undefined } = {},
): SkippedRow {
  const { column, detail } = more;
  return {
    is: 'skipped',
    row,
    to: to.slice(0, 64),
    reason,
    ...(column !== undefined && { column }),
    ...(detail !== undefined && { detail }),
  };
}

import { type Layout, layOut } from './columns.ts';
import { replaceCostly } from './costly.ts';
import { NumberIndex } from './number-index.ts';
import { type PhoneOptions, type PhoneReader, phoneReader } from './phone.ts';
import { fileProblem, type SkipReason, UnusableFile } from './reasons.ts';
import { type FileFormat, type RawRow, RowReader } from './rows.ts';
import { countSegments } from './segments.ts';
import type { CheckedRow, CheckSummary, SkippedRow } from './summary.ts';
import { Tally } from './tally.ts';
import { compileTemplate, renderText, type Template } from '../../lib/template.ts';

export interface CheckOptions extends PhoneOptions {
  /** The text of the campaign, with `{{variables}}`. Without it nothing is said about segments, cost and variables. */
  readonly text?: string;
  /** Defaults to what the first character shows: `{` begins JSON lines. */
  readonly format?: FileFormat;
  /** Numbers that are in the campaign already, from earlier uploads. Only read. */
  readonly seen?: { has(e164: string): boolean };
  /** XOF per segment, by country. */
  readonly prices?: Readonly<Record<string, number>>;
  /** A text with more segments is skipped as `text_too_long`. Defaults to 10. */
  readonly maxSegments?: number;
  /** A text with more segments is pointed out in the summary. Defaults to 3. */
  readonly warnAbove?: number;
  /** Counts each text as `replaceCostly` would make it; for a sender who will send it so. Off by default. */
  readonly replaceCostly?: boolean;
}

export type Check = AsyncGenerator<CheckedRow, void, undefined> & {
  /** Complete once the last row was read; throws before. */
  summary(): CheckSummary;
};

/**
 * Reads a file of recipients row by row and judges each; every data row comes out exactly once, blank rows not at all.
 * Throws an UnusableFile while reading when the file as a whole cannot be used, an UnusableTemplate or a RangeError at
 * once for a wrong option. Memory: one row, and 12 to 36 bytes per recipient to find duplicates.
 */
export function checkRecipients(source: AsyncIterable<Uint8Array>, options: CheckOptions = {}): Check {
  const rows = new RowReader(source, options.format);
  const checker = new RowChecker(rows, options);
  let summary: CheckSummary | undefined;
  async function* checked(): AsyncGenerator<CheckedRow, void, undefined> {
    for await (const batch of rows.batches()) {
      for (const raw of batch) {
        const row = checker.check(raw);
        if (row) yield row;
      }
    }
    checker.finish();
    summary = checker.tally.summary(rows.facts());
  }
  return Object.assign(checked(), {
    summary() {
      if (!summary) throw new Error('the summary is known once all rows were read');
      return summary;
    },
  });
}

class RowChecker {
  readonly tally: Tally;
  readonly #rows: RowReader;
  readonly #options: CheckOptions;
  readonly #template: Template | undefined;
  readonly #readPhone: PhoneReader;
  readonly #numbers = new NumberIndex();
  #layout: Layout = { phone: -1, variables: [] };
  #laidOut = 0;

  constructor(rows: RowReader, options: CheckOptions) {
    this.#rows = rows;
    this.#options = options;
    this.#template = options.text === undefined ? undefined : compileTemplate(options.text);
    this.#readPhone = phoneReader(options);
    this.tally = new Tally({
      ...(options.prices && { prices: options.prices }),
      ...(options.text !== undefined && { templateText: options.text }),
      warnAbove: options.warnAbove ?? 3,
    });
  }

  /** Undefined for a blank row. */
  check(raw: RawRow): CheckedRow | undefined {
    if (this.#rows.columns.length !== this.#laidOut) this.#layOut();
    if (raw.wrong === undefined && raw.cells.every((cell) => cell.trim() === '')) {
      this.tally.blank();
      return undefined;
    }
    const checked = this.#judge(raw);
    if (checked.is === 'skipped') this.tally.skip(checked);
    return checked;
  }

  finish(): void {
    if (this.#rows.columns.length !== this.#laidOut) this.#layOut();
    const empty = this.#rows.columns.length === 0;
    if (this.#rows.format === 'csv' && empty) throw new UnusableFile([fileProblem('empty_file')]);
    if (this.tally.isEmpty) throw new UnusableFile([fileProblem('no_rows')]);
  }

  #layOut(): void {
    const { columns, format } = this.#rows;
    const { layout, problems } = layOut(columns, this.#template?.variables, format === 'csv');
    if (problems.length > 0) throw new UnusableFile(problems);
    this.#layout = layout;
    this.#laidOut = columns.length;
  }

  #judge(raw: RawRow): CheckedRow {
    const { row, cells } = raw;
    const to = cells[this.#layout.phone] ?? '';
    if (raw.wrong !== undefined) return skipped(row, to, 'unreadable_row', { detail: raw.wrong });
    const extra = cells.length > this.#rows.columns.length && cells.slice(this.#rows.columns.length).some(Boolean);
    if (extra) return skipped(row, to, 'extra_cells');

    const phone = this.#readPhone(to);
    if (phone.is === 'refused') return skipped(row, to, phone.reason, { detail: phone.detail });

    const vars: Record<string, string> = {};
    for (const { name, at } of this.#layout.variables) {
      const value = (cells[at] ?? '').trim();
      if (value === '' && this.#template)
        return skipped(row, to, 'empty_variable', { column: this.#rows.columns[at] ?? name });
      vars[name] = value;
    }
    const text = this.#textFor(vars);
    const count = text === undefined ? undefined : countSegments(text);
    if (count && count.segments > (this.#options.maxSegments ?? 10))
      return skipped(row, to, 'text_too_long', { detail: `${count.segments} segments` });

    if (this.#options.seen?.has(phone.e164)) return skipped(row, to, 'already_in_campaign');
    // Last, so that a row left out for another reason does not take the place of a good one below it.
    const earlier = this.#numbers.add(phone.e164, row);
    if (earlier > 0) return skipped(row, to, 'duplicate', { detail: `same number as row ${earlier}` });

    this.tally.accept(phone.country, text, count);
    if (!phone.repaired) return { is: 'recipient', row, to: phone.e164, vars };
    this.tally.repair({ row, before: to.slice(0, 64), after: phone.e164 });
    return { is: 'recipient', row, to: phone.e164, vars, repairedFrom: to.slice(0, 64) };
  }

  #textFor(vars: Readonly<Record<string, string>>): string | undefined {
    if (!this.#template) return undefined;
    const text = renderText(this.#template, vars);
    return this.#options.replaceCostly ? replaceCostly(text) : text;
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

import { asTyped } from '../../files/own-cells.ts';
import type { Prices } from '../../files/prices.ts';
import { UnusableFile, unusable, type FileProblem, fileProblem } from '../../files/problems.ts';
import { type RawRow, type ReadOptions, RowReader } from '../../files/rows.ts';
import { isSpreadsheetError } from '../../files/sheet.ts';
import type { UploadColumn } from '../../kinds/campaign-fields.ts';
import { plainText } from '../../lib/letters.ts';
import type { Measured } from '../../lib/measure.ts';
import { phoneRank } from '../../lib/office-headings.ts';
import { type Wording, wordingOf, canonicalName, requireUsable } from '../../lib/wording.ts';
import { smsFaultOf, unsendableIn, withPlainLines } from '../../lib/sms-text.ts';
import { STOP, sampleStopLink } from '../../lib/stop-link.ts';
import { doubtsInText } from './doubtful-text.ts';
import { type Takable, doubtIn } from './doubtful-values.ts';
import { type Layout, OwnColumns } from './own-columns.ts';
import { NumberIndex, Preview, Tally } from './tally.ts';
import { type PhoneOptions, type PhoneReader, type PhoneReading, phoneReader } from './phone.ts';
import type { SkipReason, CheckedRow, CheckSummary, SkippedRow } from './report.ts';
import { type Detail, detail } from '../../messages/details.ts';

export interface CheckOptions extends PhoneOptions, Pick<ReadOptions, 'format' | 'encoding' | 'sheet' | 'held'> {
  /**
   * The text of the campaign, with `{{variables}}`. Without it there is no information about segments, cost and
   * variables.
   */
  readonly text?: string;
  /** The column of the numbers, if its name is not a known one. */
  readonly phoneColumn?: string | undefined;
  /**
   * Rows hidden by a spreadsheet are read like any other. Off by default: a user who checked the file did not see
   * them.
   */
  readonly takeHidden?: boolean | undefined;
  /** Rows with these doubts about a value are sent unchanged. */
  readonly take?: readonly Takable[] | undefined;
  /** Numbers of earlier uploads of the campaign. Only read. */
  readonly seen?: { has(e164: string): boolean };
  /** Which of these numbers (E.164) have opted out, by position. Called per part of the file. */
  readonly optedOut?: (numbers: readonly string[]) => Promise<readonly boolean[]>;
  /** XOF per segment, by country. */
  readonly prices?: Prices;
  /** A text with more segments is skipped as `text_too_long`. Default: 10. */
  readonly maxSegments?: number;
  /** A text with more segments is reported in the summary. Default: 3. */
  readonly warnAbove?: number;
  /** Measures each text with costly characters replaced. Off by default: it changes the text that people read. */
  readonly replaceCostly?: boolean;
  /** A link as long as those of `{{stop}}`. Absent: the length is unknown, and a usual one is used. */
  readonly stopLink?: string | undefined;
  /** Shows this many of the first texts, and the longest and most expensive. Needs a text. */
  readonly preview?: number;
  /** Also shows the text of this row, if it gets one. */
  readonly row?: number | undefined;
  /** Adds the row of each shown text by the columns of the file: the available variables. */
  readonly withValues?: boolean | undefined;
}

export type Check = AsyncGenerator<CheckedRow, void, undefined> & {
  /** From the header, known with the first row. None for JSON lines, whose columns may appear later. */
  columns(): readonly string[];
  /** Columns that a report returns, by their position in `own`; complete after the last row. */
  own(): readonly UploadColumn[];
  /** Complete after the last row; throws before. */
  summary(): CheckSummary;
};

/**
 * Reads a file of recipients row by row and checks each; every data row appears exactly one time, blank rows never.
 * Throws an UnusableFile while reading if the file as a whole cannot be used; throws an UnusableTemplate or a
 * MessageError at once for a wrong option. Memory: a part of the file, and 12 to 36 bytes per recipient to find
 * duplicates.
 */
export function checkRecipients(source: AsyncIterable<Uint8Array>, options: CheckOptions = {}): Check {
  const { format, encoding, sheet, phoneColumn, held } = options;
  const rows = new RowReader(source, { format, encoding, sheet, held, isHeader: headerFinder(phoneColumn) });
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
    own: () => checker.own(),
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

/** The row itself is valid; opt-outs and duplicates are still to be checked. */
interface SoundRow {
  readonly is: 'sound';
  readonly row: number;
  /** As written in the file. */
  readonly to: string;
  readonly cells: readonly string[];
  readonly phone: Extract<PhoneReading, { is: 'mobile' }>;
  readonly vars: Readonly<Record<string, string>>;
  /** Absent if no text was given. */
  readonly said?: Measured;
}

type Judged = SoundRow | SkippedRow;

/** Checks the rows of one file in two steps, `judge` and `settle`, both in the order of the file. */
class RowChecker {
  readonly #tally: Tally;
  readonly #rows: RowReader;
  readonly #options: CheckOptions;
  readonly #wording: Wording | undefined;
  readonly #readPhone: PhoneReader;
  readonly #numbers: NumberIndex;
  readonly #preview: Preview | undefined;
  /** A placeholder for each recipient's link, if the text has one. */
  readonly #stop: string | undefined;
  /** The text is invisible without its values. */
  readonly #isMadeOfValues: boolean;
  #layout: Layout = { phone: -1, variables: [] };
  #laidOut = 0;
  readonly #own = new OwnColumns();
  /** Columns stored as numbers or as values of the text. */
  #keptElsewhere: ReadonlySet<number> = new Set();

  constructor(rows: RowReader, options: CheckOptions) {
    const { text, prices, preview, replaceCostly, warnAbove = 3 } = options;
    requireUsable(text ?? '');
    this.#rows = rows;
    this.#options = options;
    this.#wording = text === undefined ? undefined : wordingOf({ text, replaceCostly });
    this.#isMadeOfValues = Boolean(text) && smsFaultOf((text ?? '').replace(/\{\{[^{}]*\}\}/g, '')) === 'blank';
    this.#readPhone = phoneReader(options);
    this.#numbers = new NumberIndex(undefined, options.held);
    this.#stop = this.#wording?.variables.includes(STOP) ? (options.stopLink ?? USUAL_LINK) : undefined;
    this.#preview =
      preview === undefined || text === undefined ? undefined : new Preview(preview, prices, options.row);
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
    // The values of a skipped row are stored only here.
    const elsewhere = settled.is === 'skipped' ? new Set([this.#layout.phone]) : this.#keptElsewhere;
    const wide = this.#rows.columns.length;
    const own = this.#own.keep(judged.cells.length > wide ? judged.cells.slice(0, wide) : judged.cells, elsewhere);
    return own === '' ? settled : { ...settled, own };
  }

  own(): readonly UploadColumn[] {
    return this.#own.columns(this.#rows.columns, this.#layout, this.#wording?.variables ?? []);
  }

  finish(): void {
    if (this.#rows.columns.length !== this.#laidOut) this.#layOut();
    const empty = this.#rows.columns.length === 0;
    if (this.#rows.format !== 'ndjson' && empty) throw unusable('empty_file', this.#elsewhere());
    if (this.#tally.isEmpty) throw unusable('no_rows', this.#elsewhere());
  }

  summary(): CheckSummary {
    const summary = this.#tally.summary(this.#rows.facts());
    const meant = doubtsInText(this.#options.text ?? '', summary.columns);
    return {
      ...summary,
      ...(this.#stop !== undefined && {
        stopLink: { characters: this.#stop.length, assumed: this.#options.stopLink === undefined },
      }),
      ...(meant.length > 0 && { probablyMeant: meant }),
      ...(this.#own.cut > 0 && { truncatedRows: this.#own.cut }),
      ...(this.#preview && {
        preview: this.#preview.texts(this.#options.withValues ? this.#rows.columns : undefined),
      }),
    };
  }

  /** An empty sheet before a full one is easily overlooked. */
  #elsewhere(): { readonly detail?: Detail } {
    const { sheet, otherSheets = [] } = this.#rows.facts();
    return otherSheets.length === 0
      ? {}
      : { detail: detail('other_sheets', { sheet: sheet ?? '', others: otherSheets.join(', ') }) };
  }

  #layOut(): void {
    const { columns, format } = this.#rows;
    const { layout, problems } = layOut(columns, {
      wanted: this.#wording?.variables.filter((name) => name !== STOP),
      strict: format !== 'ndjson',
      phoneColumn: this.#options.phoneColumn,
    });
    if (problems.length > 0) throw new UnusableFile(problems);
    this.#layout = layout;
    this.#keptElsewhere = new Set([layout.phone, ...layout.variables.map(({ at }) => at)]);
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
      const value = valueIn(cells[at]);
      if (this.#wording) {
        const fault = faultOf(value, this.#wording.optional.has(name), this.#options.take);
        if (fault) return skipped(about, fault.reason, { column: columns[at] ?? name, detail: fault.detail });
      }
      vars[name] = value;
    }
    if (!this.#wording) return { is: 'sound', ...about, phone, vars };
    const said = this.#wording.measure(this.#stop === undefined ? vars : { ...vars, [STOP]: this.#stop });
    if (this.#isMadeOfValues && smsFaultOf(said.text()) === 'blank') return skipped(about, 'empty_text');
    const { segments } = said.count;
    if (segments > (this.#options.maxSegments ?? 10))
      return skipped(about, 'text_too_long', { detail: detail('segments', { segments }) });
    return { is: 'sound', ...about, phone, vars, said };
  }

  #admit(about: SoundRow, optedOut: boolean): CheckedRow {
    const { row, to, cells, phone, vars, said } = about;
    const { e164, country, repaired } = phone;
    if (optedOut) return skipped(about, 'opted_out');
    if (this.#options.seen?.has(e164)) return skipped(about, 'already_in_campaign');
    // Last, so that a row skipped for another reason does not shadow a valid duplicate.
    const earlier = this.#numbers.add(e164, row);
    if (earlier > 0) return skipped(about, 'duplicate', { detail: detail('same_as_row', { row: earlier }) });

    this.#tally.accept(country, said);
    if (said && this.#preview) this.#preview.add({ row, to: e164, country, cells, ...said });
    if (!repaired) return { is: 'recipient', row, to: e164, country, vars };
    const before = to.slice(0, 64);
    this.#tally.repair({ row, before, after: e164 });
    return { is: 'recipient', row, to: e164, country, vars, repairedFrom: before };
  }
}

/** Used if the listener's address is unknown. */
const USUAL_LINK = sampleStopLink('https://sms.example.com');

/** Invisible characters are no value: the default replaces them too. */
function valueIn(cell = ''): string {
  const value = withPlainLines(asTyped(cell.trim()));
  return smsFaultOf(value) === 'blank' ? '' : value;
}

interface ValueFault {
  readonly reason: SkipReason;
  readonly detail?: Detail;
}

function faultOf(value: string, optional: boolean, take: CheckOptions['take'] = []): ValueFault | undefined {
  if (unsendableIn(value) !== undefined) return { reason: 'unsendable_value', detail: shownValue(value) };
  if (value === '') return optional ? undefined : { reason: 'empty_variable' };
  if (isSpreadsheetError(value)) return { reason: 'spreadsheet_error' };
  const doubt = doubtIn(value);
  if (doubt === undefined || take.includes(doubt.is)) return undefined;
  return { reason: doubt.is, detail: shownValue(value, doubt.meant) };
}

const VALUE_SHOWN = 40;

function shownValue(value: string, meant?: string): Detail {
  const shown = value.slice(0, VALUE_SHOWN);
  return meant === undefined
    ? detail('value', { value: shown })
    : detail('value_meant', { value: shown, meant: meant.slice(0, VALUE_SHOWN) });
}

function skipped(
  { row, to, cells }: Pick<SkippedRow, 'row' | 'to' | 'cells'>,
  reason: SkipReason,
  more: { readonly column?: string | undefined; readonly detail?: Detail | undefined } = {},
): SkippedRow {
  const { column, detail: beside } = more;
  return {
    is: 'skipped',
    row,
    to: to.slice(0, 64),
    reason,
    cells,
    ...(column !== undefined && { column }),
    ...(beside !== undefined && { detail: beside }),
  };
}

/** Finds the header among the first rows of a file: it names a number column, and contains no numbers. */
function headerFinder(phoneColumn: string | undefined): (cells: readonly string[]) => boolean {
  const named = phoneColumn === undefined ? undefined : canonicalName(phoneColumn);
  return (cells) => {
    const filled = cells.filter((cell) => cell !== '');
    if (filled.some(looksLikeNumber)) return false;
    if (named !== undefined) return filled.some((cell) => canonicalName(cell) === named);
    // A title may say `Contacts`, alone in its row.
    return filled.some((cell) => phoneRank(cell) > (filled.length === 1 ? 1 : 0));
  };
}

function looksLikeNumber(cell: string): boolean {
  return /^[+'\s(]*\d[\d\s.()/-]{6,}$/.test(plainText(cell));
}

interface LayoutOptions {
  /** The variables of the text; absent: every other column. */
  readonly wanted: readonly string[] | undefined;
  /** CSV and workbooks have a fixed header, so a missing column is an error; JSON lines may add a column later. */
  readonly strict: boolean;
  readonly phoneColumn: string | undefined;
}

function layOut(
  columns: readonly string[],
  { wanted, strict, phoneColumn }: LayoutOptions,
): { readonly layout: Layout; readonly problems: readonly FileProblem[] } {
  const names = columns.map(nameOf);
  const phones = phoneColumn === undefined ? phoneColumns(columns) : placesOf(canonicalName(phoneColumn), names);
  const problems: FileProblem[] = [];
  if (strict && phones.length === 0) problems.push(withoutPhone(columns, phoneColumn));
  if (phones.length > 1)
    problems.push(
      fileProblem('several_phone_columns', {
        detail: detail('columns', { columns: phones.map((at) => columns[at]).join(', ') }),
      }),
    );
  const phone = phones[0] ?? -1;
  const used = wanted ?? namesOfOthers(names, phone);
  if (strict && wanted) problems.push(...wanted.flatMap((name) => problemsOf(name, names, columns)));
  return { layout: { phone, variables: used.map((name) => ({ name, at: names.indexOf(name) })) }, problems };
}

/** `__proto__` cannot be a key of a plain record; its column counts as unnamed, and no text can use it. */
function nameOf(column: string): string {
  const name = canonicalName(column);
  return name === '__proto__' ? '' : name;
}

function phoneColumns(columns: readonly string[]): number[] {
  const ranks = columns.map(phoneRank);
  const best = Math.max(0, ...ranks);
  return best === 0 ? [] : ranks.flatMap((rank, at) => (rank === best ? [at] : []));
}

function placesOf(name: string, names: readonly string[]): number[] {
  return names.flatMap((candidate, at) => (candidate === name ? [at] : []));
}

function namesOfOthers(names: readonly string[], phone: number): string[] {
  return [...new Set(names.filter((name, at) => at !== phone && name !== ''))];
}

function withoutPhone(columns: readonly string[], phoneColumn: string | undefined): FileProblem {
  if (phoneColumn === undefined && columns.some(looksLikeNumber)) return fileProblem('no_header', { row: 1 });
  return fileProblem('no_phone_column', { detail: detail('columns', { columns: offered(columns) }) });
}

function problemsOf(name: string, names: readonly string[], columns: readonly string[]): FileProblem[] {
  const first = names.indexOf(name);
  if (first === -1) {
    return [
      fileProblem('missing_column', {
        detail: detail('variable', { variable: `{{${name}}}`, columns: offered(columns) }),
      }),
    ];
  }
  if (!names.includes(name, first + 1)) return [];
  return [fileProblem('duplicate_column', { detail: detail('column', { column: columns[first] ?? name }) })];
}

const offered = (columns: readonly string[]): string => columns.slice(0, 20).join(', ');

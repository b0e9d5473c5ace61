import { csvCell } from '../../files/csv.ts';
import { fileProblems, type UnusableFile } from '../../files/problems.ts';
import type { FileFacts } from '../../files/rows.ts';
import { describeXof } from '../../lib/money.ts';

const SHOWN_EXAMPLES = 3;

/** The summary for a screen: what is wrong, what it costs, what would make it cheaper. Ends without a line break. */
export function renderReport(summary: CheckSummary): string {
  return [
    headline(summary),
    reasonLines(summary),
    repairLines(summary),
    countryLines(summary),
    costLines(summary),
    previewLines(summary),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

const ENCODINGS = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
  'mac-roman': 'Mac Roman',
} as const;
const FORMATS = { csv: 'CSV', ndjson: 'JSON lines', xlsx: 'a workbook (.xlsx)', ods: 'a workbook (.ods)' } as const;
const WHY = { first: 'among the first', longest: 'the longest', dearest: 'the dearest' } as const;

function previewLines({ preview = [] }: CheckSummary): string[] {
  if (preview.length === 0) return [];
  const shown = preview.flatMap(({ why, row, to, text, characters, encoding, segments, estimatedXof }) => {
    const price = estimatedXof === undefined ? '' : `, about ${describeXof(estimatedXof)}`;
    const size = `${characters} characters of ${encoding}, ${counted(segments, 'segment')}${price}`;
    const lines = text.split(/\r\n|\r|\n/).map((line) => `    │ ${printable(line)}`);
    return [`  row ${row} to ${to}, ${why.map((word) => WHY[word]).join(', ')}: ${size}`, ...lines];
  });
  return ['As they would go out', ...shown];
}

/** What is wrong with a file of which nothing can be used. */
export function renderProblems({ problems }: UnusableFile): string {
  const lines = problems.map(({ code, detail, row }) => {
    const place = row === undefined ? '' : `row ${row}: `;
    return `✗ ${place}${fileProblems[code]}${detail === undefined ? '' : `\n  ${printable(detail)}`}`;
  });
  return lines.join('\n');
}

function headline(summary: CheckSummary): string[] {
  const { total, recipients, skipped, blank, format, encoding, delimiter, titleRows, sheet } = summary;
  const separator = delimiter === undefined ? '' : `, separator ${delimiter === '\t' ? 'tab' : `“${delimiter}”`}`;
  const written = encoding === undefined ? `, sheet “${printable(sheet ?? '')}”` : `, ${ENCODINGS[encoding]}`;
  const blanks = blank === 0 ? '' : ` (and ${grouped(blank)} blank)`;
  return [
    `${counted(total, 'row')}${blanks}: ${counted(recipients, 'recipient')}, ${grouped(skipped)} skipped`,
    `read as ${FORMATS[format]}${written}${separator}`,
    ...(titleRows === 0 ? [] : [`${counted(titleRows, 'row')} above the header: no data`]),
    ...sheetLines(summary),
  ];
}

function sheetLines({ otherSheets = [], merged = 0 }: CheckSummary): string[] {
  const names = otherSheets.map((name) => `“${printable(name)}”`).join(', ');
  return [
    ...(names === '' ? [] : [`not read: ${names}; --sheet NAME reads another sheet`]),
    ...(merged === 0
      ? []
      : [`${counted(merged, 'cell')} merged over several rows: only the first of these has the value`]),
  ];
}

function reasonLines({ reasons, skipped }: CheckSummary): string[] {
  if (skipped === 0) return [];
  const entries = Object.entries(reasons) as [SkipReason, NonNullable<CheckSummary['reasons'][SkipReason]>][];
  return [
    'Skipped',
    ...entries.flatMap(([reason, { count, examples }]) => [
      `  ${grouped(count).padStart(9)}  ${reason}: ${skipReasons[reason]}`,
      ...examples.slice(0, SHOWN_EXAMPLES).map(({ row, to, column, detail }) => {
        const about = [column, detail].filter((part) => part !== undefined).join(', ');
        return `             row ${row}: ${printable(to) || '(empty)'}${about === '' ? '' : ` — ${printable(about)}`}`;
      }),
    ]),
  ];
}

function repairLines({ repaired: { count, examples } }: CheckSummary): string[] {
  if (count === 0) return [];
  const shown = examples.map(({ row, before, after }) => `             row ${row}: ${printable(before)} → ${after}`);
  return [`Renewed old numbers: ${grouped(count)}`, ...shown];
}

function countryLines({ countries, cost }: CheckSummary): string[] {
  const lines = Object.entries(countries).map(([country, { recipients, segments, estimatedXof }]) => {
    const texts = segments === 0 ? '' : `, ${counted(segments, 'segment')}`;
    const unknown = cost ? ', no price known' : '';
    const price = estimatedXof === undefined ? unknown : `, about ${describeXof(estimatedXof)}`;
    return `  ${grouped(recipients).padStart(9)}  ${country}${texts}${price}`;
  });
  return lines.length === 0 ? [] : ['Countries', ...lines];
}

function costLines({ segments, cost, stopLink }: CheckSummary): string[] {
  if (!segments) return [];
  const price = cost ? `, about ${describeXof(cost.xof)}` : '';
  const unpriced =
    cost && cost.unpriced.length > 0 ? [`  not counted, for want of a price: ${cost.unpriced.join(', ')}`] : [];
  const long = segments.long === 0 ? [] : [`  ${grouped(segments.long)} texts are unusually long`];
  return [
    `Estimate: ${counted(segments.total, 'segment')}${price}`,
    ...Object.entries(segments.textsBySegments).map(
      ([count, texts]) =>
        `  ${grouped(texts).padStart(9)}  ${texts === 1 ? 'text' : 'texts'} of ${counted(Number(count), 'segment')}`,
    ),
    ...unpriced,
    ...long,
    ...(stopLink === undefined ? [] : [stopLine(stopLink)]),
    ...costlyLines(segments.costly),
  ];
}

function stopLine({ characters, assumed }: NonNullable<CheckSummary['stopLink']>): string {
  const link = `  the link of {{stop}} is counted with ${characters} characters`;
  return assumed ? `${link}, a guess: PUBLIC_URL says how long it is` : link;
}

function costlyLines({ texts, characters, segmentsSaved, estimatedXofSaved }: CostlyTotals): string[] {
  if (texts === 0) return [];
  const money = estimatedXofSaved === undefined ? '' : `, about ${describeXof(estimatedXofSaved)}`;
  return [
    `  ${counted(texts, 'text')} with a character that makes segments shorter (70 characters instead of 160):`,
    ...characters.slice(0, 10).map(({ character, codePoint, replacement, texts: count, inTemplate }) => {
      const place = inTemplate ? 'in your text' : 'in the rows';
      return `  ${grouped(count).padStart(9)}  “${printable(character)}” ${codePoint}, ${place}: ${adviceFor(replacement)}`;
    }),
    segmentsSaved === 0
      ? '  replacing them would save nothing'
      : `  replacing them saves ${counted(segmentsSaved, 'segment')}${money}`,
  ];
}

function adviceFor(replacement: string | undefined): string {
  if (replacement === undefined) return 'no replacement';
  return replacement === '' ? 'leave it out' : `write “${replacement}”`;
}

const ADDED = ['row', 'reason', 'explanation', 'column', 'detail'] as const;

/**
 * The skipped rows as CSV for a spreadsheet: the file's own columns, so that it can be mended and handed in as it is,
 * and what is wrong behind them. With a byte order mark, so that Excel reads the accents, and separated by `;`, as
 * French Excel expects.
 */
export function reportCsv(rows: Iterable<SkippedRow>, columns: readonly string[]): string {
  let csv = reportCsvHead(columns);
  for (const row of rows) csv += reportCsvLine(row, columns);
  return csv;
}

export function reportCsvHead(columns: readonly string[]): string {
  return `\ufeff${[...ownColumns(columns), ...ADDED].map(csvCell).join(';')}\r\n`;
}

export function reportCsvLine(
  { row, to, cells, reason, column, detail }: SkippedRow,
  columns: readonly string[],
): string {
  const own = columns.length === 0 ? [to] : ownColumns(columns).map((_, at) => cells[at] ?? '');
  return `${[...own, row, reason, skipReasons[reason], column ?? '', detail ?? ''].map(csvCell).join(';')}\r\n`;
}

/** Without those that an earlier report added; the number alone where the columns are not known. */
function ownColumns(columns: readonly string[]): readonly string[] {
  if (columns.length === 0) return ['to'];
  const last = columns.slice(-ADDED.length);
  return ADDED.every((name, at) => name === last[at]) ? columns.slice(0, -ADDED.length) : columns;
}

function counted(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, '\u00a0');
}

/** The file is a stranger's: nothing of it may move the cursor or change the colours of a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�');
}

export type CheckedRow =
  | {
      readonly is: 'recipient';
      readonly row: number;
      /** E.164, with the plus. */
      readonly to: string;
      /** Of the number: two letters, or its calling code where that is no country's. */
      readonly country: string;
      /** By canonical name: the variables of the text, or every other column when no text was given. */
      readonly vars: Readonly<Record<string, string>>;
      /** The old number as it was written, when it was renewed (`repair`). */
      readonly repairedFrom?: string;
    }
  | SkippedRow;

export interface SkippedRow {
  readonly is: 'skipped';
  readonly row: number;
  /** As written in the file, at most 64 characters. */
  readonly to: string;
  readonly reason: SkipReason;
  /** The column at fault, where it is not the number itself. */
  readonly column?: string;
  readonly detail?: string;
  /** The row as it stands in the file, in the order of its columns. */
  readonly cells: readonly string[];
}

export type Example = Pick<SkippedRow, 'row' | 'to' | 'column' | 'detail'>;

/** What there is to know before the first text leaves. Plain data: its JSON is the machine-readable report. */
export interface CheckSummary extends FileFacts {
  /** Data rows; `recipients` and `skipped` add up to it. Blank rows are not data. */
  readonly total: number;
  readonly recipients: number;
  readonly skipped: number;
  readonly blank: number;
  readonly reasons: Readonly<
    Partial<Record<SkipReason, { readonly count: number; readonly examples: readonly Example[] }>>
  >;
  readonly countries: Readonly<Record<string, CountryTotals>>;
  readonly repaired: { readonly count: number; readonly examples: readonly Repair[] };
  /** What stands in the text and looks like a variable that is none: `{prenom}`, with what was probably meant. */
  readonly probablyMeant?: readonly { readonly written: string; readonly meant: string }[];
  /** How long the link of `{{stop}}` is; `assumed`: nobody said where the listener is reached. */
  readonly stopLink?: { readonly characters: number; readonly assumed: boolean };
  /** Absent when no text was given. */
  readonly segments?: SegmentTotals;
  /** Absent when no prices or no text were given. */
  readonly cost?: CostEstimate;
  /** Present where it was asked for. */
  readonly preview?: readonly PreviewedText[];
}

export interface CountryTotals {
  readonly recipients: number;
  readonly segments: number;
  /** XOF, estimated; absent where no price is known. */
  readonly estimatedXof?: number;
}

export interface Repair {
  readonly row: number;
  readonly before: string;
  readonly after: string;
}

/** Counted by our own reading of the GSM rules: the interface shows neither segments nor encoding, so an estimate. */
export interface SegmentTotals {
  readonly estimated: true;
  readonly total: number;
  /** How many texts have 1, 2, 3 … segments. */
  readonly textsBySegments: Readonly<Record<number, number>>;
  /** Texts with more segments than `warnAbove`. */
  readonly long: number;
  readonly costly: CostlyTotals;
}

interface CostlyTotals {
  /** Texts that a costly character turns into UCS-2. */
  readonly texts: number;
  /** The most frequent first, at most 30. */
  readonly characters: readonly CostlyCharacter[];
  /** What replacing all that have a replacement would save. */
  readonly segmentsSaved: number;
  /** XOF, estimated; absent without prices. */
  readonly estimatedXofSaved?: number;
}

export interface CostlyCharacter {
  readonly character: string;
  /** `U+00EA` */
  readonly codePoint: string;
  /** Absent where nothing reads the same; empty where it is best left out. */
  readonly replacement?: string;
  readonly texts: number;
  /** It stands in the text itself, so that one change there mends every message. */
  readonly inTemplate: boolean;
}

export interface CostEstimate {
  readonly estimated: true;
  /** XOF for all segments whose country has a price. */
  readonly xof: number;
  /** Countries without a price; their segments are not in `xof`. */
  readonly unpriced: readonly string[];
}

/** A text as it would go out, to one of its recipients. */
export interface PreviewedText {
  /** Why this one is shown. */
  readonly why: readonly ('first' | 'longest' | 'dearest')[];
  readonly row: number;
  /** E.164, with the plus. */
  readonly to: string;
  readonly text: string;
  /** UTF-16 code units, as an editor counts them. */
  readonly characters: number;
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly segments: number;
  /** XOF; absent where no price is known. */
  readonly estimatedXof?: number;
}

/** Why a row is left out, in words for the author of the file. The code is for programs. */
export const skipReasons = {
  empty: 'The phone number is empty.',
  not_a_number: 'This is not a phone number: it holds letters or signs, or no digits at all.',
  too_short: 'The number has too few digits for its country.',
  too_long: 'The number has too many digits for its country.',
  wrong_length: 'No number of its country has this many digits.',
  unknown_country: 'No country has the calling code this number begins with.',
  no_country: 'The number has no country code, and no default country was given.',
  not_in_use: 'The length is right, but no operator of the country uses numbers that begin like this.',
  not_mobile: 'This is a fixed line or a special number; it cannot receive texts.',
  several_numbers: 'The cell holds more than one number; keep one per row.',
  old_numbering: 'The number is from before its country added two digits (Côte d’Ivoire 2021, Benin 2024).',
  spreadsheet_damage:
    'The spreadsheet changed this number (2,21771E+11, or a lost first zero); format the column as text and type it again.',
  duplicate: 'The same number is on an earlier row of this file.',
  already_in_campaign: 'The number is already in this campaign.',
  opted_out: 'The person has asked to get no texts.',
  empty_variable: 'A value that the text needs is empty on this row.',
  spreadsheet_error:
    'The number, or a value that the text needs, is an error of the spreadsheet: #N/A, or a formula without its result.',
  hidden_row: 'The row is hidden in the spreadsheet, by hand or by a filter.',
  text_too_long: 'With the values of this row the text becomes too long to be sent.',
  extra_cells: 'The row has more cells than the header; a separator inside a value needs quotes around the value.',
  unreadable_row: 'The line cannot be read: it must be one JSON object whose values are plain texts and numbers.',
} as const satisfies Record<string, string>;

export type SkipReason = keyof typeof skipReasons;

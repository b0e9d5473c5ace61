import { grouped } from '../../messages/counts.ts';
import { csvCell } from '../../files/csv.ts';
import type { UnusableFile } from '../../files/problems.ts';
import type { FileFacts } from '../../files/rows.ts';
import { money } from '../../messages/figures.ts';
import { english } from '../../messages/english.ts';
import type { TextDoubt } from './doubtful-text.ts';
import { type Detail, describeDetail } from '../../messages/details.ts';
import { type Language, type Words, wordsIn } from '../../messages/languages.ts';

const SHOWN_EXAMPLES = 3;

type FileWords = Words['file'];

/** The summary for a terminal: errors, cost, and how to reduce it. Ends without a line break. */
export function renderReport(summary: CheckSummary, language: Language = 'en'): string {
  const words = wordsIn(language).file;
  return [headline, reasonLines, repairLines, countryLines, costLines, previewLines]
    .map((part) => part(summary, words, language))
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
  cp850: 'MS-DOS (cp850)',
  cp437: 'MS-DOS (cp437)',
} as const;

function previewLines({ preview = [] }: CheckSummary, words: FileWords, language: Language): string[] {
  if (preview.length === 0) return [];
  const shown = preview.flatMap(({ why, row, to, text, characters, encoding, segments, estimatedXof }) => {
    const price = estimatedXof === undefined ? '' : words.about(money(estimatedXof, wordsIn(language).figures));
    const size = words.size(characters, encoding, words.segments(segments)) + price;
    const reasons = why.map((word) => words.why[word]).join(', ');
    const lines = text.split(/\r\n|\r|\n/).map((line) => `    │ ${printable(line)}`);
    return [`  ${words.previewed(row, to, reasons, size)}`, ...lines];
  });
  return [words.preview, ...shown];
}

/** The errors of an unusable file. */
export function renderProblems({ problems }: UnusableFile, language: Language = 'en'): string {
  const words = wordsIn(language).file;
  const lines = problems.map(({ code, detail, row }) => {
    const said = words.problems[code];
    return `✗ ${row === undefined ? said : words.line(row, said)}${detail === undefined ? '' : `\n  ${printable(describeDetail(detail, language))}`}`;
  });
  return lines.join('\n');
}

function headline(summary: CheckSummary, words: FileWords): string[] {
  const {
    total,
    recipients,
    skipped,
    blank,
    format,
    encoding,
    delimiter,
    titleRows,
    sheet,
    truncatedRows = 0,
  } = summary;
  const sign = delimiter === '\t' ? words.tab : words.quoted(delimiter ?? '');
  const how = encoding === undefined ? words.sheet(words.quoted(printable(sheet ?? ''))) : `, ${ENCODINGS[encoding]}`;
  const rows = words.rows(total) + (blank === 0 ? '' : words.blank(blank));
  return [
    words.headline(rows, words.recipients(recipients), words.skipped(skipped)),
    words.readAs(words.formats[format], how + (delimiter === undefined ? '' : words.separator(sign))),
    ...(titleRows === 0 ? [] : [words.titleRows(titleRows)]),
    ...(truncatedRows === 0 ? [] : [words.truncatedRows(truncatedRows)]),
    ...sheetLines(summary, words),
  ];
}

function sheetLines({ otherSheets = [], merged = 0 }: CheckSummary, words: FileWords): string[] {
  const names = otherSheets.map((name) => words.quoted(printable(name))).join(', ');
  return [...(names === '' ? [] : [words.otherSheets(names)]), ...(merged === 0 ? [] : [words.merged(merged)])];
}

function reasonLines({ reasons, skipped }: CheckSummary, words: FileWords, language: Language): string[] {
  if (skipped === 0) return [];
  const entries = Object.entries(reasons) as [SkipReason, NonNullable<CheckSummary['reasons'][SkipReason]>][];
  return [
    words.skippedTitle,
    ...entries.flatMap(([reason, { count, examples }]) => [
      `  ${grouped(count).padStart(9)}  ${reason}: ${words.reasons[reason]}`,
      ...examples.slice(0, SHOWN_EXAMPLES).map(({ row, to, column, detail }) => {
        const said = detail === undefined ? undefined : describeDetail(detail, language);
        const about = [column, said].filter((part) => part !== undefined).join(', ');
        const what = (printable(to) || words.nothing) + (about === '' ? '' : ` — ${printable(about)}`);
        return `             ${words.line(row, what)}`;
      }),
    ]),
  ];
}

function repairLines({ repaired: { count, examples } }: CheckSummary, words: FileWords): string[] {
  if (count === 0) return [];
  const shown = examples.map(
    ({ row, before, after }) => `             ${words.line(row, `${printable(before)} → ${after}`)}`,
  );
  return [words.renewed(count), ...shown];
}

function countryLines({ countries, cost }: CheckSummary, words: FileWords, language: Language): string[] {
  const lines = Object.entries(countries).map(([country, { recipients, segments, estimatedXof }]) => {
    const texts = segments === 0 ? '' : `, ${words.segments(segments)}`;
    const unknown = cost ? words.noPrice : '';
    const price = estimatedXof === undefined ? unknown : words.about(money(estimatedXof, wordsIn(language).figures));
    return `  ${grouped(recipients).padStart(9)}  ${country}${texts}${price}`;
  });
  return lines.length === 0 ? [] : [words.countries, ...lines];
}

function costLines({ segments, cost, stopLink }: CheckSummary, words: FileWords, language: Language): string[] {
  if (!segments) return [];
  const unpriced = cost && cost.unpriced.length > 0 ? [`  ${words.unpriced(cost.unpriced.join(', '))}`] : [];
  return [
    words.estimate(
      words.segments(segments.total),
      cost ? words.about(money(cost.xof, wordsIn(language).figures)) : '',
    ),
    ...Object.entries(segments.textsBySegments).map(
      ([count, texts]) => `  ${words.texts(grouped(texts).padStart(9), texts === 1, words.segments(Number(count)))}`,
    ),
    ...unpriced,
    ...(segments.long === 0 ? [] : [`  ${words.long(segments.long)}`]),
    ...(stopLink === undefined
      ? []
      : [`  ${words.stopLink(stopLink.characters)}${stopLink.assumed ? words.stopGuess : ''}`]),
    ...costlyLines(segments.costly, words, language),
  ];
}

function costlyLines(
  { texts, characters, segmentsSaved, estimatedXofSaved }: CostlyTotals,
  words: FileWords,
  language: Language,
): string[] {
  if (texts === 0) return [];
  const saved =
    estimatedXofSaved === undefined ? '' : words.about(money(estimatedXofSaved, wordsIn(language).figures));
  return [
    `  ${words.costly(texts)}`,
    ...characters.slice(0, 10).map(({ character, codePoint, replacement, texts: count, inTemplate }) => {
      const place = inTemplate ? words.inText : words.inRows;
      const said = words.costlyLine(printable(character), codePoint, place, adviceFor(replacement, words));
      return `  ${grouped(count).padStart(9)}  ${said}`;
    }),
    segmentsSaved === 0 ? `  ${words.savesNothing}` : `  ${words.saves(words.segments(segmentsSaved), saved)}`,
  ];
}

function adviceFor(replacement: string | undefined, words: FileWords): string {
  if (replacement === undefined) return words.noReplacement;
  return replacement === '' ? words.leaveOut : words.write(replacement);
}

const ADDED = ['row', 'reason', 'explanation', 'column', 'detail'] as const;

/**
 * The skipped rows as CSV for a spreadsheet: the file's own columns, so that it can be corrected and submitted again,
 * followed by the errors. With a byte order mark, so that Excel reads the accents, and separated by `;`, as French
 * Excel expects.
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
  language: Language = 'en',
): string {
  const words = wordsIn(language).file;
  const own = columns.length === 0 ? [to] : ownColumns(columns).map((_, at) => cells[at] ?? '');
  const beside = detail === undefined ? '' : describeDetail(detail, language);
  return `${[...own, row, reason, words.reasons[reason], column ?? '', beside].map(csvCell).join(';')}\r\n`;
}

/** Without the columns of an earlier report; only the number if the columns are unknown. */
function ownColumns(columns: readonly string[]): readonly string[] {
  if (columns.length === 0) return ['to'];
  const last = columns.slice(-ADDED.length);
  return ADDED.every((name, at) => name === last[at]) ? columns.slice(0, -ADDED.length) : columns;
}

/** Untrusted text: it must not control the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�');
}

export type CheckedRow =
  | {
      readonly is: 'recipient';
      readonly row: number;
      /** E.164, with the plus. */
      readonly to: string;
      /** The number's country: two letters, or its calling code if that belongs to no single country. */
      readonly country: string;
      /** By canonical name: the variables of the text, or every other column if no text was given. */
      readonly vars: Readonly<Record<string, string>>;
      /** The old number as written, if it was converted (`repair`). */
      readonly repairedFrom?: string;
      /** Its other columns, packed (`own-columns.ts`); absent if all are empty. */
      readonly own?: string;
    }
  | SkippedRow;

export interface SkippedRow {
  readonly is: 'skipped';
  readonly row: number;
  /** As written in the file, at most 64 characters. */
  readonly to: string;
  readonly reason: SkipReason;
  /** The column with the error, if it is not the number. */
  readonly column?: string;
  readonly detail?: Detail;
  /** The row of the file, in the order of its columns. */
  readonly cells: readonly string[];
  /** All columns except the number, packed; absent if all are empty. */
  readonly own?: string;
}

export type Example = Pick<SkippedRow, 'row' | 'to' | 'column' | 'detail'>;

/** The facts about a file before the first SMS leaves. Plain data: its JSON is the machine-readable report. */
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
  /** Parts of the text that would probably look wrong on a phone, such as `{prenom}`. */
  readonly probablyMeant?: readonly TextDoubt[];
  /** Rows whose other columns are longer than reports return. */
  readonly truncatedRows?: number;
  /** The length of the `{{stop}}` link; `assumed`: the listener's address is unknown. */
  readonly stopLink?: { readonly characters: number; readonly assumed: boolean };
  /** Absent if no text was given. */
  readonly segments?: SegmentTotals;
  /** Absent if no prices or no text were given. */
  readonly cost?: CostEstimate;
  /** Present on request. */
  readonly preview?: readonly PreviewedText[];
}

export interface CountryTotals {
  readonly recipients: number;
  readonly segments: number;
  /** XOF, estimated; absent if no price is known. */
  readonly estimatedXof?: number;
}

export interface Repair {
  readonly row: number;
  readonly before: string;
  readonly after: string;
}

/**
 * By our own implementation of the GSM rules: the interface shows neither segments nor encoding, so this is an
 * estimate.
 */
export interface SegmentTotals {
  readonly estimated: true;
  readonly total: number;
  /** Number of texts with 1, 2, 3 … segments. */
  readonly textsBySegments: Readonly<Record<number, number>>;
  /** Texts with more segments than `warnAbove`. */
  readonly long: number;
  readonly costly: CostlyTotals;
}

interface CostlyTotals {
  /** Texts that a costly character turns into UCS-2. */
  readonly texts: number;
  /** Most frequent first, at most 30. */
  readonly characters: readonly CostlyCharacter[];
  /** Savings if all are replaced that have a replacement. */
  readonly segmentsSaved: number;
  /** XOF, estimated; absent without prices. */
  readonly estimatedXofSaved?: number;
}

export interface CostlyCharacter {
  readonly character: string;
  /** `U+00EA` */
  readonly codePoint: string;
  /** Absent if nothing is readable instead; empty if it is best omitted. */
  readonly replacement?: string;
  readonly texts: number;
  /** It occurs in the text itself, so that one change there corrects every message. */
  readonly inTemplate: boolean;
}

export interface CostEstimate {
  readonly estimated: true;
  /** XOF for all segments with a known price. */
  readonly xof: number;
  /** Countries without a price; `xof` does not include them. */
  readonly unpriced: readonly string[];
}

/** The final text for one of its recipients. */
export interface PreviewedText {
  /** Why this one is shown. */
  readonly why: readonly ('first' | 'longest' | 'dearest' | 'asked')[];
  readonly row: number;
  /** E.164, with the plus. */
  readonly to: string;
  readonly text: string;
  /** UTF-16 code units, as an editor counts them. */
  readonly characters: number;
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly segments: number;
  /** XOF; absent if no price is known. */
  readonly estimatedXof?: number;
  /** The whole row, by column; present on request. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Why a row is left out, for the author of the file. The code is for programs. */
export const skipReasons = english.file.reasons;

export type SkipReason = keyof typeof skipReasons;

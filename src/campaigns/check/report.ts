import { csvCell } from '../../files/csv.ts';
import { describeXof } from '../../lib/money.ts';
import { fileProblems, type UnusableFile } from '../../files/problems.ts';
import { type SkipReason, skipReasons } from './reasons.ts';
import type { CheckSummary, CostlyTotals, SkippedRow } from './summary.ts';

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

function costLines({ segments, cost }: CheckSummary): string[] {
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
    ...costlyLines(segments.costly),
  ];
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

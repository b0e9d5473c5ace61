/** The report of a day from its totals: a row for each account and country, as JSON, CSV or a page to print. */
import type { KindOfMoney } from '../kinds/index.ts';
import { createHash } from 'node:crypto';
import { csvCell } from '../files/csv.ts';
import { type Line, textStates } from '../kinds/day-totals.ts';
import { readWithdrawMode } from '../provider/capabilities.ts';
import { Html, html } from '../lib/html.ts';
import { counted, money } from '../messages/figures.ts';
import { type Language, type Words, wordFor, wordsIn } from '../messages/languages.ts';

interface Sum {
  count: number;
  xof: number;
}

/** In order of display. */
const SUMS = [
  'opening',
  'accepted',
  'succeeded',
  'failed',
  'rejected',
  'cancelled',
  'closing',
  'reversed',
  'inDoubt',
  'collected',
  'credited',
  'creditsOpen',
] as const;
type SumName = (typeof SUMS)[number];
type ByState = Record<(typeof textStates)[number], number>;

export interface DailyRow extends Record<SumName, Sum> {
  readonly account: string;
  readonly country: string | null;
  readonly texts: ByState;
  readonly segments: ByState;
  costEstimated: number | null;
}

export interface DailyReport {
  readonly date: string;
  readonly timezone: string;
  readonly closed: boolean;
  readonly rows: readonly DailyRow[];
}

/** The report field of each measure, by the kind's direction of money. */
const told: Readonly<Record<KindOfMoney, Readonly<Record<string, SumName>>>> = {
  disbursement: {
    '<open': 'opening',
    accepted: 'accepted',
    succeeded: 'succeeded',
    failed: 'failed',
    rejected: 'rejected',
    cancelled: 'cancelled',
    '=open': 'closing',
    reversed: 'reversed',
    '=doubt': 'inDoubt',
  },
  invoice: { completed: 'collected' },
  payment_request: { completed: 'collected' },
  direct_credit: { succeeded: 'credited', '=open': 'creditsOpen' },
};

export function rowsOf(lines: readonly Line[]): DailyRow[] {
  const rows = new Map<string, DailyRow>();
  for (const line of lines) {
    const country = countryOf(line);
    const name = `${line.account}|${country ?? ''}`;
    const row = rows.get(name) ?? blankRow(line.account, country);
    if (addLine(row, line)) rows.set(name, row);
  }
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function countryOf({ kind, place }: Line): string | null {
  if (place === '' || kind === 'text') return place || null;
  // A mode known only to some settings names its country like the standard ones.
  const mode = readWithdrawMode(place, [place]);
  return 'country' in mode ? (mode.country ?? null) : null;
}

const zeros = (): ByState => ({ sent: 0, failed: 0, unknown: 0, expired: 0 });

function blankRow(account: string, country: string | null): DailyRow {
  const sums = Object.fromEntries(SUMS.map((name) => [name, { count: 0, xof: 0 }])) as Record<SumName, Sum>;
  return { account, country, ...sums, texts: zeros(), segments: zeros(), costEstimated: null };
}

/** Whether the line has any figures. */
function addLine(row: DailyRow, { kind, sums }: Line): boolean {
  if (kind === 'text') return addTexts(row, sums);
  const known: Readonly<Record<string, Readonly<Record<string, SumName>>>> = told;
  let any = false;
  for (const [measure, name] of Object.entries(known[kind] ?? {})) {
    const [count = 0, xof = 0] = [sums[measure], sums[`${measure}Xof`]];
    row[name].count += count;
    row[name].xof += xof;
    any ||= count !== 0 || xof !== 0;
  }
  return any;
}

function addTexts(row: DailyRow, sums: Line['sums']): boolean {
  for (const state of textStates) {
    row.texts[state] += sums[state] ?? 0;
    row.segments[state] += sums[`${state}Segments`] ?? 0;
  }
  if (sums['cost'] !== undefined) row.costEstimated = (row.costEstimated ?? 0) + sums['cost'] / 100;
  return true;
}

const COLUMNS = [
  'date',
  'account',
  'country',
  ...SUMS.flatMap((name) => [`${name}Count`, `${name}Xof`]),
  ...textStates.flatMap((state) => [`texts_${state}`, `segments_${state}`]),
  'costEstimatedXof',
];
export const CSV_HEAD = `${COLUMNS.join(';')}\r\n`;

export function dailyCsv({ date, rows }: DailyReport): string {
  const lines = rows.map((row) =>
    [
      date,
      row.account,
      row.country ?? '',
      ...SUMS.flatMap((name) => [row[name].count, row[name].xof]),
      ...textStates.flatMap((state) => [row.texts[state], row.segments[state]]),
      // French Excel reads 12345.5 as a text.
      row.costEstimated === null ? '' : Math.round(row.costEstimated),
    ]
      // A negative sum is a number in the spreadsheet, not a formula.
      .map((cell) => (typeof cell === 'number' ? String(cell) : csvCell(cell)))
      .join(';'),
  );
  return `\ufeff${CSV_HEAD}${lines.map((line) => `${line}\r\n`).join('')}`;
}

const STYLE =
  ':root{color-scheme:light dark}body{font:14px/1.4 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}h1{font-size:1.4rem}' +
  'table{border-collapse:collapse;width:100%;margin:0 0 2rem}caption{text-align:left;font-weight:600;padding:.5rem 0}' +
  'th,td{border-bottom:1px solid #8888;padding:.25rem .5rem;text-align:right}th:first-child{text-align:left}tbody th{font-weight:400}td{white-space:nowrap;font-variant-numeric:tabular-nums}' +
  'section{break-inside:avoid}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`;

/** A page for printing: no script, no external content. */
export function dailyPage(report: DailyReport, language: Language): string {
  const { date, timezone, closed, rows } = report;
  const words = wordsIn(language);
  const { page } = words.status.report;
  const title = page.title(timedDay(date, language));
  const sections = rows.map((row) => sectionOf(row, words));
  return html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${new Html(STYLE)}</style></head><body><h1>${title}</h1>
<p>${page.stands(timezone, closed ? page.over : page.notOver)}</p>${sections.length > 0 ? sections : page.empty}</body></html>
`.text;
}

/** `2026-11-22`, as printed. */
function timedDay(date: string, language: Language): string {
  return language === 'fr' ? date.split('-').toReversed().join('/') : date;
}

function sectionOf(row: DailyRow, { campaign, figures, file, status }: Words): Html {
  const { page } = status.report;
  const sums = SUMS.map(
    (name) =>
      html`<tr><th scope="row">${page.sums[name]}</th><td>${counted(row[name].count, figures)}</td><td>${counted(row[name].xof, figures)}</td></tr>`,
  );
  const texts = textStates.map(
    (state) =>
      html`<tr><th scope="row">${page.texts(wordFor(campaign.bins, state))}</th><td>${counted(row.texts[state], figures)}</td><td>${file.segments(row.segments[state])}</td></tr>`,
  );
  const cost = row.costEstimated === null ? page.noPrice : money(Math.round(row.costEstimated), figures);
  return html`<section><table><caption>${row.account} ${row.country ?? ''}</caption><thead><tr><th scope="col">${page.what}</th>
<th scope="col">${page.count}</th><th scope="col">${page.money}</th></tr></thead><tbody>${sums}${texts}<tr><th scope="row">${page.cost}</th>
<td></td><td>${cost}</td></tr></tbody></table></section>`;
}

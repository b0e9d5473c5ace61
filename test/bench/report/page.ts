/** The results as text, and written into docs/performance.md between its markers. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { median } from '../measure.ts';
import type { Aim, Figure, Row } from '../rows.ts';
import { chartOf } from './chart.ts';

export interface Report {
  readonly rows: readonly Row[];
  readonly machine: ReadonlyArray<readonly [string, string]>;
  readonly command: string;
  readonly minutes: number;
  /** Rows that broke off: what was measured beside them is told all the same. */
  readonly broken: readonly string[];
}

const PAGE = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url));
const CHART = fileURLToPath(new URL('../../../docs/performance.svg', import.meta.url));
const MARKED = /(<!-- results -->\n)[^]*?(<!-- \/results -->)/;

export async function writePage(report: Report): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  if (!MARKED.test(page)) throw new Error(`${PAGE} has no place for results`);
  await writeFile(CHART, chartOf(report.rows));
  await writeFile(
    PAGE,
    page.replace(MARKED, (_all, begin: string, end: string) => begin + resultsOf(report) + end),
  );
}

function resultsOf({ rows, machine, command, minutes, broken }: Report): string {
  const facts = [
    ...machine,
    ['command', `\`${command}\`, ${minutes.toFixed(0)} minutes`] as const,
    ...(broken.length > 0 ? [['broke off, not measured', broken.join(', ')] as const] : []),
  ];
  const summary = rows.flatMap((row) => row.aims.map((aim) => `| ${row.title} | ${aimOf(aim)} | ${reached(aim)} |`));
  return [
    ['| | |', '| --- | --- |', ...facts.map(([name, value]) => `| ${name} | ${value} |`)].join('\n'),
    '![what was reached of each aim](performance.svg)',
    ['| work | measured, and the aim | |', '| --- | --- | --- |', ...summary].join('\n'),
    tableOf(rows),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Each row with its absolute figures: the median, and in brackets the least and the most of the runs. */
export function tableOf(rows: readonly Row[]): string {
  return rows
    .map(({ title, figures, aims, notes = [] }) => {
      const lines = figures.map((figure) => `| ${figure.label} | ${valueOf(figure)} | ${figure.unit} |`);
      const told = aims.map((aim) => `- ${reached(aim)} ${aimOf(aim)}`);
      return [`### ${title}`, '', '| | median | |', '| --- | ---: | --- |', ...lines, '', ...told, ...notes, ''].join(
        '\n',
      );
    })
    .join('\n');
}

function valueOf({ values }: Figure): string {
  const middle = shown(median(values));
  if (values.length < 2) return middle;
  return `**${middle}** (${shown(Math.min(...values))} – ${shown(Math.max(...values))})`;
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

function aimOf({ text, value, least, most }: Aim): string {
  const bound =
    least === undefined ? (most === undefined ? '' : ` (aim: ≤ ${shown(most)})`) : ` (aim: ≥ ${shown(least)})`;
  return `**${shown(value)}** ${text}${bound}`;
}

export function isReached({ value, least, most }: Aim): boolean | undefined {
  if (least === undefined && most === undefined) return undefined;
  return value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);
}

function reached(aim: Aim): string {
  const verdict = isReached(aim);
  return verdict === undefined ? '' : verdict ? '✓' : '✗';
}

/** Every aim as a bar: 1 is the aim itself, longer is better. */
import type { Aim, Row } from '../rows.ts';

const WIDTH = 860;
const LINE = 26;
const TOP = 44;
const BARS_FROM = 430;
const BARS_TO = 800;
/** Whoever is twice as good as the aim, or better, has a full bar. */
const FULL = 2;

interface Bar {
  readonly label: string;
  readonly part: number;
}

export function chartOf(rows: readonly Row[]): string {
  const bars = rows.flatMap(({ title, aims }) => aims.flatMap((aim) => barOf(title, aim)));
  const height = TOP + bars.length * LINE + 16;
  const aimAt = BARS_FROM + (BARS_TO - BARS_FROM) / FULL;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="24" font-size="14" fill="#222222">Measured ÷ aim (longer is better)</text>`,
    ...bars.map(drawn),
    `<line x1="${aimAt}" x2="${aimAt}" y1="${TOP - 8}" y2="${height - 12}" stroke="#222222" stroke-dasharray="4 3"/>`,
    `<text x="${aimAt}" y="${TOP - 14}" text-anchor="middle" fill="#222222">aim</text>`,
    '</svg>\n',
  ].join('\n');
}

function barOf(title: string, { text, value, least, most }: Aim): Bar[] {
  const label = `${title}: ${text}`;
  if (least !== undefined) return [{ label, part: value / least }];
  return most === undefined ? [] : [{ label, part: most / Math.max(value, Number.EPSILON) }];
}

function drawn({ label, part }: Bar, index: number): string {
  const y = TOP + index * LINE;
  const length = (Math.min(part, FULL) / FULL) * (BARS_TO - BARS_FROM);
  const colour = part >= 1 ? '#2f855a' : '#c05621';
  const shown = part > FULL ? `> ${FULL}` : part.toFixed(2);
  return [
    `<text x="${BARS_FROM - 8}" y="${y + 13}" text-anchor="end" fill="#222222">${escaped(short(label))}</text>`,
    `<rect x="${BARS_FROM}" y="${y}" width="${length.toFixed(1)}" height="18" rx="2" fill="${colour}"/>`,
    `<text x="${BARS_FROM + length + 6}" y="${y + 13}" fill="#222222">${shown}</text>`,
  ].join('\n');
}

const MOST_LETTERS = 68;

const short = (text: string): string => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text);

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** A work as a Markdown table. */
import { median } from './measure.ts';
import type { Figure, Result } from './works.ts';

export function tableOf({ work, figures, ratios }: Result): string {
  const lines = figures.map((figure) => `| ${figure.label} | ${valueOf(figure)} | ${figure.unit} |`);
  const told = ratios.map(({ text, value, aim }) => `- **${shown(value)}** ${text}${aim ? ` (aim: ${aim})` : ''}`);
  return [`### ${work}`, '', '| | median | |', '| --- | ---: | --- |', ...lines, '', ...told, ''].join('\n');
}

function valueOf({ values }: Figure): string {
  const middle = shown(median(values));
  return values.length < 2 ? middle : `${middle} (${shown(Math.min(...values))} – ${shown(Math.max(...values))})`;
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** Numbers, money and times in a language's format. */
import { grouped } from './counts.ts';
import type { Words } from './languages.ts';

type Figures = Words['figures'];

/** `80000` → `80 000`, with non-breaking spaces. */
export function counted(count: number, { space }: Figures): string {
  return grouped(count, space);
}

/** XOF has no minor unit. */
export function money(xof: number, figures: Figures): string {
  return figures.money(counted(xof, figures));
}

/** An ISO time of UTC, to the second; other texts are unchanged. */
export function timed(text: string, { time }: Figures): string {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(text);
  if (parts === null) return text;
  const [, year = '', month = '', day = '', clock = ''] = parts;
  return time({ year, month, day, clock, written: text });
}

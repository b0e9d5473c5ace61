/** Numbers, money and times: in the language's format, with their source. */
import { useEffect, useState } from 'react';
import type { Words } from '../words/words.ts';
import { useWords } from './language.tsx';

export function countIn({ figures }: Words, value: number): string {
  return new Intl.NumberFormat(figures.locale, { maximumFractionDigits: 1 }).format(value);
}

/** XOF has no minor unit. */
export function moneyIn(words: Words, xof: number): string {
  return words.figures.xof(countIn(words, xof));
}

const THIS_DAY: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };
const ANOTHER_DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', ...THIS_DAY };
const ANOTHER_YEAR: Intl.DateTimeFormatOptions = { year: 'numeric', ...ANOTHER_DAY };

function formOf(at: Date, now: Date): Intl.DateTimeFormatOptions {
  if (at.toDateString() === now.toDateString()) return THIS_DAY;
  return at.getFullYear() === now.getFullYear() ? ANOTHER_DAY : ANOTHER_YEAR;
}

export function momentIn({ figures }: Words, at: Date, now: Date, withSeconds = false): string {
  const form = { ...formOf(at, now), ...(withSeconds ? { second: '2-digit' as const } : {}) };
  return new Intl.DateTimeFormat(figures.locale, form).format(at);
}

/** A calendar day, independent of the reader's time zone: `2026-11-27` is the same day everywhere. */
export function dayIn({ figures }: Words, day: string): string {
  return new Intl.DateTimeFormat(figures.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** In its largest unit: `2 hours`. */
export function spanIn({ figures }: Words, ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? (['second', 1] as const);
  return figures.span(Math.floor(seconds / size), unit);
}

/** To the second, for configured values: `1 hour 30 minutes`. */
export function wholeSpanIn({ figures }: Words, ms: number): string {
  let left = Math.round(ms / 1_000);
  const parts = UNITS.flatMap(([unit, size]) => {
    const many = Math.floor(left / size);
    left -= many * size;
    return many === 0 ? [] : [figures.span(many, unit)];
  });
  return parts.length === 0 ? figures.span(0, 'second') : parts.join(' ');
}

/** The current time, for displayed durations. */
function useNow(everyMs = 10_000): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const ticking = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(ticking);
  }, [everyMs]);
  return now;
}

export function Money({ xof }: { readonly xof: number }) {
  return <span className="whitespace-nowrap">{moneyIn(useWords(), xof)}</span>;
}

export function Count({ value }: { readonly value: number }) {
  return <span className="whitespace-nowrap">{countIn(useWords(), value)}</span>;
}

interface MomentProps {
  readonly at: string;
  readonly seconds?: boolean;
}

/** Short, with the full time as a tooltip. */
export function Moment({ at, seconds = false }: MomentProps) {
  const words = useWords();
  const now = useNow(60_000);
  const date = new Date(at);
  const whole = new Intl.DateTimeFormat(words.figures.locale, { dateStyle: 'full', timeStyle: 'long' }).format(date);
  return (
    <time dateTime={at} title={whole} className="whitespace-nowrap">
      {momentIn(words, date, now, seconds)}
    </time>
  );
}

export function Since({ at }: { readonly at: string }) {
  const words = useWords();
  const now = useNow();
  return <>{words.figures.for(spanIn(words, now.getTime() - new Date(at).getTime()))}</>;
}

interface AsOfProps {
  /** ms since the epoch. */
  readonly at: number;
  readonly source?: keyof Words['figures']['from'];
}

/** The source and the time of figures. */
export function AsOf({ at, source = 'relais' }: AsOfProps) {
  const words = useWords();
  const { from, at: said } = words.figures;
  if (at === 0) return null;
  return (
    <p className="mt-2 text-sm text-quiet" data-as-of={source}>
      {said(from[source], momentIn(words, new Date(at), new Date(), true))}
    </p>
  );
}

/**
 * The book of each day: what was accepted and how it ended, in counts and XOF, by account and by how it was paid. The
 * scripts that accept and that change a record write it in the same step (`scripts/lib/book.lua`), so a step that is
 * sent again counts once, and a copy of Redis that was put back has the book that fits its records. Nothing is ever
 * counted by looking through the records.
 *
 * What is over and changes afterwards is counted in the day of the change: `failed → succeeded` is one failure less and
 * one success more, on that day.
 */
import type { Redis } from 'ioredis';
import { ACCEPTED, type BookOfDay, type Line, type Posts, measuresOf, named } from '../kinds/day-totals.ts';
import { type Kind, asDeclared, isFinal, statesOf } from '../kinds/index.ts';
import { offsetsOf } from '../lib/zone.ts';
import { keys } from './keys.ts';

export {
  addText,
  isTextState,
  textStates,
  type BookOfDay,
  type Line,
  type Posts,
} from '../kinds/day-totals.ts';

/** How many days of the book are kept where no process has said so yet. */
export const BOOK_KEPT_DAYS = 400;

/** Where the scripts that count find it. */
export const BOOKS = { book: keys.book, closedDays: keys.closedDays } as const;

const DAY_MS = 86_400_000;

interface Of {
  readonly kind: Kind;
  readonly account: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

function ofMoney({ kind, account, fields }: Of, by: Readonly<Record<string, number>>, xof: number): Posts {
  const place = String(fields['withdrawMode'] ?? '');
  const posts: Record<string, number> = {};
  for (const [measure, count] of Object.entries(by)) {
    if (count === 0) continue;
    posts[named(kind, account, place, measure)] = count;
    posts[named(kind, account, place, `${measure}Xof`)] = count * xof;
  }
  return posts;
}

function postsOfAcceptance(of: Of, xof: number | undefined): Posts {
  return xof !== undefined && asDeclared(of.kind).money === 'out' ? ofMoney(of, ACCEPTED, xof) : {};
}

/** The same of many: the sums that count them, and those of their XOF. Undefined: they are in no book. */
export function sumsOfAcceptance({ kind, account, fields }: Of) {
  if (asDeclared(kind).money !== 'out') return undefined;
  const place = String(fields['withdrawMode'] ?? '');
  const counted = Object.keys(ACCEPTED).map((measure) => named(kind, account, place, measure));
  return { counted, summed: counted.map((name) => `${name}Xof`) };
}

/** What a change of state is in the book. `set`: the fields that it writes. */
export function postsOf(
  record: Of & { readonly state: string },
  to: string,
  set: Readonly<Record<string, string | number>> = {},
): Posts {
  const { kind, state: from, fields } = record;
  if (from === to) return {};
  const amountIn = (...names: string[]): number =>
    Number(names.map((name) => set[name] ?? fields[name]).find((one) => one !== undefined && one !== ''));
  const measures = measuresOf(kind, from, to);
  if (asDeclared(kind).money !== 'in') return ofMoney(record, measures, amountIn('amount'));
  return ofMoney(record, measures, amountIn('amountPaid', 'totalAmount', 'askedAmount'));
}

/** What was accepted and led on where no book is left of it, as if all of it had been today. */
export function postsOfWhole(record: Of & { readonly state: string }, xof: number | undefined): Posts {
  const posts: Record<string, number> = { ...postsOfAcceptance(record, xof) };
  const [begins = ''] = statesOf(record.kind).filter((state) => !isFinal(record.kind, state));
  for (const [name, delta] of Object.entries(postsOf({ ...record, state: begins }, record.state)))
    posts[name] = (posts[name] ?? 0) + delta;
  return posts;
}

/** `2026-11-22` as the number of the day. */
const numberOfDay = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

export class DayBook {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Whose midnight ends a day, and for how long days are kept. Said by each process that knows the settings; what a
   * script opens next is a day of this zone.
   */
  async keepIn(zone: string, keepDays: number, now: number): Promise<void> {
    await this.#redis.hset(keys.book, { offsets: offsetsOf(zone, now), keep: keepDays });
  }

  /** `today` as the caller's clock has it: a day that is over is closed, even if nothing has happened since. */
  async day(date: string, today: string): Promise<BookOfDay> {
    const asked = numberOfDay(date);
    const [open, days] = await Promise.all([this.#redis.hgetall(keys.book), this.#redis.hkeys(keys.closedDays)]);
    const current = Number(open['day'] ?? Number.NaN);
    const closed = date < today;
    if (asked === current) return { closed, lines: linesOf(Object.entries(open)) };
    const stands = asked > current ? Object.entries(open) : await this.#before(asked, days.map(Number));
    const own = days.includes(String(asked)) ? await this.#closedDay(asked) : undefined;
    return { closed, lines: own ? linesOf(own) : standing(linesOf(stands)) };
  }

  /** Of the last day before that has something in it. */
  async #before(asked: number, days: readonly number[]): Promise<[string, string][]> {
    const before = Math.max(...days.filter((day) => day < asked));
    return Number.isFinite(before) ? this.#closedDay(before) : [];
  }

  async #closedDay(day: number): Promise<[string, string][]> {
    const text = (await this.#redis.hget(keys.closedDays, String(day))) ?? '';
    return text.split('\n').flatMap((line) => {
      const cut = line.lastIndexOf(' ');
      return cut > 0 ? [[line.slice(0, cut), line.slice(cut + 1)]] : [];
    });
  }
}

/** A day on which nothing happened: what stood at the end of the one before stands. */
function standing(lines: readonly Line[]): Line[] {
  return lines.flatMap(({ sums, ...line }) => {
    const kept = Object.entries(sums).filter(([measure, value]) => measure.startsWith('=') && value !== 0);
    if (kept.length === 0) return [];
    const opened = kept.map(([measure, value]) => [measure.replace('=', '<'), value] as const);
    return [{ ...line, sums: Object.fromEntries([...kept, ...opened]) }];
  });
}

function linesOf(entries: readonly (readonly [string, string])[]): Line[] {
  const lines = new Map<string, Line & { readonly sums: Record<string, number> }>();
  for (const [name, value] of entries) {
    const [kind, account, place, measure] = name.split('|');
    if (kind === undefined || account === undefined || place === undefined || measure === undefined) continue;
    const head = `${kind}|${account}|${place}`;
    const line = lines.get(head) ?? { kind, account, place, sums: {} };
    lines.set(head, line);
    line.sums[measure] = Number(value);
  }
  return [...lines.values()];
}

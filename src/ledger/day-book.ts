/** The daily report, from totals that the publisher maintains. */
import type { BookOfDay, Line } from '../kinds/day-totals.ts';
import type { Database } from './pool.ts';

interface TotalRow {
  readonly day: string;
  readonly account: string;
  readonly mode: string;
  readonly item: string;
  readonly count: string;
  readonly xof: string;
}

/** Kinds whose measures are not money. */
const WITHOUT_XOF = 'text';

export class DayBook {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** A closed day is final. `today`: the day of the caller's clock. */
  async day(date: string, today: string): Promise<BookOfDay> {
    const [[open], rows] = await Promise.all([
      this.#database.run<{ day: string | null }>('open_day_now'),
      this.#database.run<TotalRow>('day_totals', [date]),
    ]);
    const openDay = open?.day ?? null;
    const closed = date < today && (openDay === null || openDay > date);
    const lines = linesOf(rows);
    return { closed, lines: rows[0]?.day === date ? lines : standing(lines) };
  }
}

function linesOf(rows: readonly TotalRow[]): Line[] {
  const lines = new Map<string, Line & { readonly sums: Record<string, number> }>();
  for (const { account, mode: place, item, count, xof } of rows) {
    const [kind = '', measure = ''] = item.split('.');
    const head = `${kind}|${account}|${place}`;
    const line = lines.get(head) ?? { kind, account, place, sums: {} };
    lines.set(head, line);
    line.sums[measure] = Number(count);
    if (kind !== WITHOUT_XOF) line.sums[`${measure}Xof`] = Number(xof);
  }
  return [...lines.values()];
}

/** On a day without activity, figures of state equal those at the end of the day before. */
function standing(lines: readonly Line[]): Line[] {
  return lines.flatMap(({ sums, ...line }) => {
    const kept = Object.entries(sums).filter(([measure, value]) => measure.startsWith('=') && value !== 0);
    if (kept.length === 0) return [];
    const opened = kept.map(([measure, value]) => [measure.replace('=', '<'), value] as const);
    return [{ ...line, sums: Object.fromEntries([...kept, ...opened]) }];
  });
}

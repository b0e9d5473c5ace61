/** Balances of the accounts over time, read by one process for all. */
import type { Database } from './pool.ts';

interface LookRow {
  readonly account: string;
  readonly at: Date;
  readonly balances: Readonly<Record<string, number | null>>;
}

/** XOF by country, as the provider reported it at that time (ms); null: unreadable. */
export interface Seen {
  readonly at: number;
  readonly balances: Readonly<Record<string, number | null>>;
}

export interface Look {
  readonly account: string;
  readonly seen: Seen;
}

/** Times are ms since the epoch, both inclusive. */
interface LooksAsked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The end of a page. */
export const looksCursor = /^(\d{1,16})\.([\w-]{1,64})$/;

export class Balances {
  readonly #database: Database;
  readonly #now: () => Date | null;

  /** `now` gives the time instead of PostgreSQL, for tests. */
  constructor({ database, now }: { readonly database: Database; readonly now?: () => Date }) {
    this.#database = database;
    this.#now = () => now?.() ?? null;
  }

  /** True for the process that reads the balances in this interval. */
  async isMyTurn(everyMs: number): Promise<boolean> {
    return (await this.#database.run('take_turn', ['balances', everyMs, this.#now()])).length > 0;
  }

  async note(account: string, { at, balances }: Seen): Promise<void> {
    await this.#database.run('note_balances', [
      account,
      new Date(at),
      Object.keys(balances),
      Object.values(balances),
    ]);
  }

  /** The newest balance of each account. An account without one is absent. */
  async latest(accounts: readonly string[]): Promise<{ readonly account: string; readonly seen: Seen }[]> {
    return (await this.#database.run<LookRow>('latest_balances', [accounts])).map(lookOf);
  }

  /** Newest first, with the cursor of the next page. */
  async history(
    accounts: readonly string[],
    { from, to, after, limit }: LooksAsked,
  ): Promise<{ readonly items: readonly Look[]; readonly next?: string }> {
    const [, at, name = null] = looksCursor.exec(after ?? '') ?? [];
    const place = [timeOf(from), timeOf(to), timeOf(at === undefined ? undefined : Number(at)), name];
    const rows = await this.#database.run<LookRow>('balances', [accounts, ...place, limit + 1]);
    const items = rows.slice(0, limit).map(lookOf);
    const last = items.at(-1);
    return { items, ...(last && rows.length > limit ? { next: `${last.seen.at}.${last.account}` } : {}) };
  }
}

const timeOf = (at: number | undefined): Date | null => (at === undefined ? null : new Date(at));

const lookOf = ({ account, at, balances }: LookRow): Look => ({ account, seen: { at: at.getTime(), balances } });

/** Holds of accounts: the circuit breaker of each account and area. */
import type { HoldArea } from '../kinds/account.ts';
import {
  type AccountHold,
  type AccountStanding,
  PROVIDER_UNREADABLE,
  type Row,
  type UnreadableAnswers,
} from '../kinds/hold.ts';
import type { Clock } from '../lib/clock.ts';
import { type Act, type Known, actOf, actToJson } from './acts.ts';
import type { OnCommitted } from './committed.ts';
import type { Database } from './pool.ts';

interface HoldsOptions {
  readonly database: Database;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Gives the time instead of PostgreSQL, for tests. */
  readonly now?: () => Date;
  /** Receives holds by operators, before the call returns. After a restore they are held again, never released. */
  readonly onCommitted?: OnCommitted;
}

interface StandingRow {
  readonly account: string;
  readonly area: HoldArea;
  readonly reason: string;
  readonly since: Date | null;
  readonly trial_at: Date | null;
  readonly unreadable: UnreadableAnswers | null;
}

type Standings = ReadonlyMap<string, AccountStanding>;

const NONE: AccountStanding = { holds: [], failing: new Set() };
/** Maximum age of a cached bulk read. The statement that records an intent reads the holds itself. */
const FRESH_MS = 200;

export class Holds {
  readonly #options: HoldsOptions;
  #cached: { readonly atMono: number; readonly standings: Promise<Standings> } | undefined;

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  /** True for the call that began the hold and so announced it. */
  async hold(account: string, area: HoldArea, reason: string, act?: Act): Promise<boolean> {
    return this.#hold({ account, area, reason }, act);
  }

  /** A newer answer replaces the stored one, so that a hold shows the last unreadable answer. */
  async holdUnreadable(account: string, area: HoldArea, answers: UnreadableAnswers): Promise<boolean> {
    return this.#hold({ account, area, reason: PROVIDER_UNREADABLE, unreadable: answers });
  }

  /** True for the call that ended the hold. */
  async release(account: string, area: HoldArea, reason: string, act?: Act): Promise<boolean> {
    const { database } = this.#options;
    const written = actJson(act, { before: { held: `${area}.${reason}` } });
    const rows = await database.run('release_account', [account, area, reason, written, this.#now()]);
    this.#cached = undefined;
    return rows.length > 0;
  }

  /** Counts one more failure in a row. True for the call that thereby began the hold. */
  async countFailure(account: string, area: HoldArea, reason: string, row: Row): Promise<boolean> {
    const { database } = this.#options;
    const values = [account, area, reason, row.windowMs, this.#now()];
    const [counted] = await database.run<{ length: number }>('count_failure', values);
    this.#cached = undefined;
    if (counted === undefined || counted.length < row.length) return false;
    // If the process dies here, the next failure begins the hold.
    const begun = await this.#hold({ account, area, reason });
    await this.endRow(account, area, reason);
    return begun;
  }

  /** An answer of another kind ends the series. */
  async endRow(account: string, area: HoldArea, reason: string): Promise<void> {
    await this.#options.database.run('end_row', [account, area, reason]);
    this.#cached = undefined;
  }

  /** Whether this operation is the trial of this interval. */
  async mayProbe(account: string, area: HoldArea, reason: string, everyMs: number): Promise<boolean> {
    const values = [account, area, reason, everyMs, this.#now()];
    const [row] = await this.#options.database.run<{ may: boolean }>('try_again', values);
    return row?.may ?? false;
  }

  /** At most 200 ms old. */
  async standingOf(account: string): Promise<AccountStanding> {
    return (await this.standings()).get(account) ?? NONE;
  }

  async holdsOf(account: string): Promise<readonly AccountHold[]> {
    return (await this.#read(account)).get(account)?.holds ?? [];
  }

  async allHolds(): Promise<AccountHold[]> {
    return [...(await this.#read(null)).values()].flatMap(({ holds }) => holds);
  }

  /** Accounts with a hold or a series of failures, at most 200 ms old: for callers that read them with each claim. */
  async standings(): Promise<Standings> {
    const atMono = this.#options.clock.monotonic();
    if (this.#cached !== undefined && atMono - this.#cached.atMono <= FRESH_MS) return this.#cached.standings;
    const read = { atMono, standings: this.#read(null) };
    this.#cached = read;
    read.standings.catch(() => {
      if (this.#cached === read) this.#cached = undefined;
    });
    return read.standings;
  }

  async #hold({ account, area, reason, unreadable }: Omit<AccountHold, 'since'>, act?: Act): Promise<boolean> {
    const { database, onCommitted } = this.#options;
    const written = actJson(act, { facts: { held: `${area}.${reason}` } });
    const values = [account, area, reason, unreadable ?? null, written, this.#now()];
    const [row] = await database.run<{ begun: boolean }>('hold_account', values);
    this.#cached = undefined;
    if (act !== undefined) await onCommitted?.('account.held', { account, area, reason });
    return row?.begun ?? false;
  }

  async #read(account: string | null): Promise<Standings> {
    const rows = await this.#options.database.run<StandingRow>('standings', [account]);
    const byAccount = new Map<string, { holds: AccountHold[]; failing: Set<string> }>();
    for (const row of rows) {
      const standing = byAccount.get(row.account) ?? { holds: [], failing: new Set() };
      byAccount.set(row.account, standing);
      const hold = holdOf(row);
      if (hold === undefined) standing.failing.add(`${row.area}.${row.reason}`);
      else standing.holds.push(hold);
    }
    return byAccount;
  }

  #now(): Date | null {
    return this.#options.now?.() ?? null;
  }
}

function holdOf({ account, area, reason, since, trial_at, unreadable }: StandingRow): AccountHold | undefined {
  if (since === null || trial_at === null) return undefined;
  const hold = { account, area, reason, since: since.getTime(), probedAt: trial_at.getTime() };
  return unreadable === null ? hold : { ...hold, unreadable };
}

const actJson = (act: Act | undefined, known: Known): object | null =>
  act === undefined ? null : actToJson(actOf(act, known));

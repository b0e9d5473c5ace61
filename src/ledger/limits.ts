/**
 * The money limits shared by all processes. A process can make them stricter when it starts, never looser. Making
 * them looser takes two different people.
 */
import {
  ASKED_FOR_MS,
  type LimitChange,
  type LimitSet,
  type LimitStanding,
  type LimitValue,
  type Limits,
  type MoneyLimit,
  type Opinions,
  moneyLimits,
  looserThanHeld,
  strictestOf,
} from '../kinds/limits.ts';
import type { Act } from './acts.ts';
import type { OnCommitted } from './committed.ts';
import {
  type LimitRow,
  type LimitRows,
  type Published,
  byName,
  looseness,
  publishLimits,
  setLimit,
  valueIn,
} from './limit-changes.ts';
import type { Database } from './pool.ts';
import { textOf } from '../messages/texts.ts';

interface LimitsOptions {
  readonly database: Database;
  /** The limits in the settings of this process. */
  readonly own?: Opinions;
  /** Gives the time (ms) instead of PostgreSQL, for tests. */
  readonly now?: () => number;
  readonly onCommitted?: OnCommitted;
}

interface SetOptions {
  readonly act?: Act;
  readonly ones?: readonly string[];
}

export class MoneyLimits {
  readonly #options: LimitsOptions;
  readonly #own: Opinions;
  /** Settings of this process that were looser than the current value when it started. */
  readonly #looser = new Set<MoneyLimit>();

  constructor(options: LimitsOptions) {
    this.#options = options;
    this.#own = options.own ?? {};
  }

  /**
   * Lowers the limits to the settings of this process. Returns the changes, and the settings that are looser. `op`:
   * equal in a retry after a lost answer. `again`: the process has published before, and the ledger may have lost it;
   * values set by users since then stay.
   */
  async publish(
    by: string,
    op: string,
    when: 'at start' | 'again' = 'at start',
    act?: Act,
  ): Promise<{ readonly lowered: readonly LimitChange[]; readonly looser: readonly MoneyLimit[] }> {
    const { database } = this.#options;
    const asked = moneyLimits.flatMap((name) => {
      const value = this.#own[name];
      return value === undefined ? [] : [{ name, value }];
    });
    const answers = await database.transaction((run) =>
      publishLimits(run, { asked, by, op, runs: when === 'again', act, now: this.#now() }),
    );
    for (const { name, is } of answers) if (is === 'looser') this.#looser.add(name);
    const lowered = answers.filter(({ is }) => is === 'lowered').map((one) => changeOf(one, this.#own[one.name]));
    for (const { name, to } of lowered) await this.#lowered(name, to, by);
    return { lowered, looser: [...this.#looser] };
  }

  /**
   * A repeated call with the same key returns the first answer for a day, since that answer may have been lost.
   * `ones`: names of the same person as `by`, in lower case.
   */
  async set(name: MoneyLimit, value: LimitValue, by: string, { act, ones = [] }: SetOptions = {}): Promise<LimitSet> {
    const done = await this.#options.database.transaction((run) =>
      setLimit(run, { name, value, by, ones, act, now: this.#now() }),
    );
    const isLowered = done.is === 'in force' && looseness(name, value) <= looseness(name, done.from);
    if (isLowered) await this.#lowered(name, value, by);
    return done;
  }

  /** All limits in the ledger. `now`: ms; proposals older than a day are omitted. */
  async list(now: number): Promise<LimitStanding[]> {
    const rows = await this.#read();
    return moneyLimits.map((name) => standingOf(name, rows.get(name), now));
  }

  /** Limits in force for this process. The statement that accepts reads them itself. */
  async inForce(): Promise<Limits> {
    const rows = await this.#read();
    const held = moneyLimits.map(
      (name) => [name, strictestOf(name, [this.#own[name], valueIn(rows.get(name))])] as const,
    );
    return Object.fromEntries(held.filter(([, value]) => value !== null));
  }

  /**
   * Why this process should receive no traffic: its settings were looser than the limits when it started, and still
   * are. A process that ran before a limit became stricter stays ready. Otherwise each stricter setting would empty
   * the load balancer.
   */
  async reasons(now: number): Promise<string[]> {
    if (this.#looser.size === 0) return [];
    const looser = looserThanHeld(this.#own, await this.list(now));
    for (const name of this.#looser) if (!looser.has(name)) this.#looser.delete(name);
    return [...this.#looser].flatMap((name) => {
      const one = looser.get(name);
      return one === undefined ? [] : [`${textOf(one.says)}. ${textOf(one.fix)}`];
    });
  }

  async #read(): Promise<LimitRows> {
    return byName(await this.#options.database.run<LimitRow>('limits'));
  }

  #now(): Date | null {
    const { now } = this.#options;
    return now === undefined ? null : new Date(now());
  }

  /** Only stricter values are repeated after a restore, so only they enter the journal. */
  async #lowered(name: MoneyLimit, value: LimitValue, by: string): Promise<void> {
    await this.#options.onCommitted?.('limit.set', { name, value, by });
  }
}

const changeOf = ({ name, was }: Published, to: LimitValue | undefined): LimitChange => ({
  name,
  from: strictestOf(name, [was]),
  to: to ?? null,
});

function standingOf(name: MoneyLimit, row: LimitRow | undefined, now: number): LimitStanding {
  const value = strictestOf(name, [valueIn(row)]);
  const askedAt = row?.asked_at?.getTime();
  const isWaiting = askedAt !== undefined && now - askedAt <= ASKED_FOR_MS;
  return {
    name,
    value,
    ...(row?.set_at ? { since: row.set_at.getTime() } : {}),
    ...(row?.set_by ? { by: row.set_by } : {}),
    ...(isWaiting && row?.asked_by
      ? { asked: { value: row.asked === null ? null : Number(row.asked), by: row.asked_by, at: askedAt } }
      : {}),
  };
}

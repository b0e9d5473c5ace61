/** Figures of the whole ledger, for status, metrics and balances. */
import { dueQueues, type QueueName } from '../kinds/due-queues.ts';
import type { Kind } from '../kinds/index.ts';
import type { Database } from './pool.ts';

interface Due {
  readonly queue: string;
  readonly account: string;
  /** Due now, and due later. */
  readonly due: number;
  readonly later: number;
  /** ms since the epoch. */
  readonly oldestAt: number;
}

interface DueRow {
  readonly queue: string;
  readonly account: string;
  readonly due: string;
  readonly later: string;
  readonly oldest_at: Date;
}

interface CountRow {
  readonly state: string;
  readonly count: string;
  readonly xof: string;
  readonly fold: boolean;
}

/** Kinds whose states are counted: requests of campaigns are not operations. */
export type Counted = Kind | 'sms_request';

interface Sum {
  readonly count: number;
  readonly xof: number;
}

/** A state of a kind. */
export interface KindState {
  readonly kind: Kind;
  readonly state: string;
}

export class Figures {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async counts(kind: Counted): Promise<{ count: Record<string, number>; xof: Record<string, number> }> {
    const rows = await this.#database.run<CountRow>('count_states', [kind]);
    const count: Record<string, number> = {};
    const xof: Record<string, number> = {};
    for (const row of rows) {
      count[row.state] = Number(row.count);
      xof[row.state] = Number(row.xof);
    }
    if (rows.some(({ fold }) => fold)) await this.fold();
    return { count, xof };
  }

  /** Folds newly finished operations into the counts, so that counting reads few rows. */
  async fold(): Promise<number> {
    const [row] = await this.#database.run<{ folded: string }>('fold_counts');
    return Number(row?.folded ?? 0);
  }

  async oldestIn(kind: Counted, state: string): Promise<number | undefined> {
    const [row] = await this.#database.run<{ since: Date }>('oldest_in_state', [kind, state]);
    return row?.since.getTime();
  }

  async dueAt(queue: QueueName, id: string): Promise<number | undefined> {
    const [row] = await this.#database.run<{ due_at: Date }>('due_at', [queue, id]);
    return row?.due_at.getTime();
  }

  /** By queue and account. */
  async due(queue?: QueueName, at?: number): Promise<readonly Due[]> {
    const now = at === undefined ? null : new Date(at);
    const rows = await this.#database.run<DueRow>('due_by_account', [queue ?? null, now]);
    return rows.map((row) => ({
      queue: row.queue,
      account: row.account,
      due: Number(row.due),
      later: Number(row.later),
      oldestAt: row.oldest_at.getTime(),
    }));
  }

  async dueIn(
    queue: QueueName,
    at: number,
  ): Promise<{ readonly now: number; readonly later: number; readonly oldestAt?: number }> {
    const rows = await this.due(queue, at);
    const now = total(rows, ({ due }) => due);
    const later = total(rows, (row) => row.later);
    return { now, later, ...(now > 0 ? { oldestAt: oldestOf(rows) } : {}) };
  }

  async backlog(): Promise<{ queue: QueueName; due: number; oldestDueAt?: number }[]> {
    const all = await this.due();
    return dueQueues.map((queue) => {
      const rows = all.filter((row) => row.queue === queue);
      const due = total(rows, (row) => row.due + row.later);
      return { queue, due, ...(due > 0 ? { oldestDueAt: oldestOf(rows) } : {}) };
    });
  }

  async inFlight(account: string, states: readonly string[]): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#database.run<{ mode: string; xof: string }>('in_flight', [account, states]);
    return Object.fromEntries(rows.map(({ mode, xof }) => [mode, Number(xof)]));
  }

  async outcomes(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#database.run<{ outcome: string; count: string }>('count_outcomes');
    return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, Number(count)]));
  }

  async unfinishedUploads(): Promise<number> {
    const [row] = await this.#database.run<{ count: string }>('count_uploads');
    return Number(row?.count ?? 0);
  }

  async eventsEmitted(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#database.run<{ type: string; count: string }>('count_events');
    return Object.fromEntries(rows.map(({ type, count }) => [type, Number(count)]));
  }

  /** By the first limit (ms) that an age has not reached; one more for ages above the last limit. */
  async agesIn(states: readonly KindState[], limits: readonly number[], now: number): Promise<readonly Sum[]> {
    const rows = await this.#database.run<{ age: number; count: string; xof: string }>('ages_in_doubt', [
      ...pairsOf(states),
      limits,
      new Date(now),
    ]);
    return [...limits, Number.POSITIVE_INFINITY].map((_, at) => {
      const row = rows.find(({ age }) => age === at);
      return { count: Number(row?.count ?? 0), xof: Number(row?.xof ?? 0) };
    });
  }

  /** Operations in these states, by account and kind. */
  async unsent(
    states: readonly KindState[],
  ): Promise<readonly (Sum & { readonly account: string; readonly kind: string })[]> {
    const rows = await this.#database.run<{ account: string; kind: string; count: string; xof: string }>(
      'unsent',
      pairsOf(states),
    );
    return rows.map(({ account, kind, count, xof }) => ({ account, kind, count: Number(count), xof: Number(xof) }));
  }

  async lastCallback(id: string): Promise<string | undefined> {
    const [row] = await this.#database.run<{ body: string }>('last_callback', [id, null]);
    return row?.body;
  }
}

const pairsOf = (states: readonly KindState[]) => [states.map(({ kind }) => kind), states.map(({ state }) => state)];
const oldestOf = (rows: readonly Due[]): number => Math.min(...rows.map(({ oldestAt }) => oldestAt));

function total(rows: readonly Due[], of: (row: Due) => number): number {
  return rows.reduce((all, row) => all + of(row), 0);
}

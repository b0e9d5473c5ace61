/**
 * Takes out of Redis what history has, once it is older than somebody may still want it near. Nothing leaves that was
 * not read back from this very database in the same turn, and compared to the byte; what differs there is copied anew.
 */
import { kindOf } from '../kinds/index.ts';
import { kindTables } from '../kinds/tables.ts';
import type { HistoryDesk } from '../operations/history.ts';
import {
  type FinalList,
  type Standing,
  trimmedKinds,
  type TrimmedKind,
  type Trimming,
} from '../operations/trimming.ts';
import type { Operations } from '../operations/operations.ts';
import { readStored, UnreadableRecord } from '../operations/record.ts';
import { fieldsOfRow } from './past.ts';
import type { PayeeOf } from './payees.ts';
import { rowOf } from './readings.ts';
import type { HistoryStore } from './store.ts';

export interface TrimmerOptions {
  readonly trimming: Trimming;
  readonly desk: Pick<HistoryDesk, 'copyAnew'>;
  readonly operations: Pick<Operations, 'nudge'>;
  readonly payeeOf: PayeeOf;
  /** How long each kind stays near once it changes no more, ms. Absent: for ever. */
  readonly after: Partial<Readonly<Record<TrimmedKind, number>>>;
  /** Told of each step before it is made, for tests that end the process there. */
  readonly at?: (step: TrimmerStep) => Promise<void> | void;
}

export const trimmerSteps = ['read', 'compared', 'trimmed'] as const;
export type TrimmerStep = (typeof trimmerSteps)[number];

/** What of a database the trimmer asks. */
type TrimmedInto = Pick<HistoryStore, 'name' | 'has' | 'rows'>;

const AT_ONCE = 200;
/** What is left standing in a list is looked at again after so long. */
const ROUND_MS = 60_000;

/** What left Redis is in another database: this one is not given the rest of it. */
class OtherHistory extends Error {
  override readonly name = 'OtherHistory';
}

export class Trimmer {
  readonly #options: TrimmerOptions;
  #nextRound = 0;

  constructor(options: TrimmerOptions) {
    this.#options = options;
  }

  /** How many left. */
  async pass(store: TrimmedInto, isStopping: () => boolean = () => false): Promise<number> {
    const { trimming, after } = this.#options;
    const begun = await trimming.hasBegun();
    const kinds = trimmedKinds.filter((kind) => after[kind] !== undefined);
    if (!begun && kinds.length === 0) return 0;
    if (!(await trimming.isOf(store.name)))
      throw new OtherHistory('what left Redis is in another database: connect to that one, or to a copy of it');
    await this.#bringBack(store);
    await trimming.forgetStubs();
    const now = await trimming.now();
    if (now < this.#nextRound) return 0;
    let left = 0;
    for (const kind of kinds) {
      for (const list of await trimming.lists(kind)) left += await this.#list(store, { list, now }, isStopping);
    }
    if (!isStopping()) this.#nextRound = now + ROUND_MS;
    return left;
  }

  async #list(
    store: TrimmedInto,
    { list, now }: { readonly list: FinalList; readonly now: number },
    isStopping: () => boolean,
  ): Promise<number> {
    const to = now - (this.#options.after[list.kind] ?? Number.POSITIVE_INFINITY);
    let [from, left] = [0, 0];
    while (!isStopping()) {
      const { items, last } = await this.#options.trimming.standing(list, { from, to, most: AT_ONCE });
      if (last === undefined) break;
      const old = items.filter(({ record }) => record.updatedAt <= to);
      const gone = await this.#take(store, list.kind, old);
      left += gone;
      // Those of one moment are walked past once nothing of them leaves any more.
      if (gone === 0) from = last + 1;
    }
    return left;
  }

  async #take(store: TrimmedInto, kind: TrimmedKind, items: readonly Standing[]): Promise<number> {
    const { trimming, desk, payeeOf } = this.#options;
    const table = kindTables[kind];
    if (table === undefined || items.length === 0) return 0;
    await this.#at('read');
    const there = await store.has(
      table,
      items.map(({ record }) => rowOf(record, table, payeeOf)),
    );
    await this.#at('compared');
    const absent = items.filter((_, at) => there[at] !== true);
    await desk.copyAnew(absent.map(({ record }) => record.id));
    const results = await Promise.all(items.filter((_, at) => there[at]).map((one) => trimming.take(one)));
    await this.#at('trimmed');
    return results.filter((one) => one === 'trimmed').length;
  }

  /** Records that something was said about since they left are there again, and it is noted with them. */
  async #bringBack(store: TrimmedInto): Promise<void> {
    const { trimming, operations } = this.#options;
    for (const [id, { evidence, intervalMs, posted }] of await trimming.recalled()) {
      const kind = trimmedKinds.find((one) => one === kindOf(id));
      const table = kind && kindTables[kind];
      if (kind === undefined || table === undefined) {
        await trimming.heard(id);
        continue;
      }
      const [row] = await store.rows(table, [id]);
      if (row === undefined) throw new OtherHistory(`history does not have ${id}, which left Redis`);
      const record = readStored(kind, id, fieldsOfRow(kind, table, row));
      if (record instanceof UnreadableRecord) throw record;
      await trimming.bringBack(record);
      if (kind === 'disbursement') await operations.nudge(kind, id, evidence, intervalMs, posted);
      await trimming.heard(id);
    }
  }

  async #at(step: TrimmerStep): Promise<void> {
    await this.#options.at?.(step);
  }
}

/**
 * Takes out of Redis what history has, once it is older than somebody may still want it near. Nothing leaves that was
 * not read back from this very database in the same turn, and compared to the byte; what differs there is copied anew.
 */
import { kindOf } from '../kinds/index.ts';
import { kindTables, NAMES } from '../kinds/tables.ts';
import type { Batches } from '../operations/batches.ts';
import type { Campaigns } from '../operations/campaigns.ts';
import type { HistoryDesk } from '../operations/history.ts';
import {
  type FinalList,
  type ListPlace,
  type Parts,
  type Standing,
  trimmedKinds,
  type TrimmedKind,
  type Trimming,
} from '../operations/trimming.ts';
import type { Operations } from '../operations/operations.ts';
import { nameInHistory } from '../operations/places.ts';
import { readRecord, readStored, UnreadableRecord } from '../operations/record.ts';
import { fieldsOfRow } from './past.ts';
import { missingIn } from './older-copy.ts';
import type { PayeeOf } from './payees.ts';
import { type ComparedWith, partsOf, partsOfBatch } from './parts.ts';
import { rowOf, withoutPerson } from './readings.ts';
import { areThere } from './set-aside.ts';
import type { HistoryStore } from './store.ts';

export interface TrimmerOptions {
  readonly trimming: Trimming;
  readonly desk: Pick<HistoryDesk, 'copyAnew' | 'leaving' | 'own' | 'read' | 'wait'>;
  readonly campaigns: Pick<Campaigns, 'skippedRows'>;
  readonly batches: Pick<Batches, 'hasOpen' | 'refused' | 'rows'>;
  readonly operations: Pick<Operations, 'nudge'>;
  readonly payeeOf: PayeeOf;
  /** How long each kind stays near once it changes no more, ms. Absent: for ever. */
  readonly after: Partial<Readonly<Record<TrimmedKind, number>>>;
  /** Keeps the turn of this process to write, or says that it is over. Absent: nobody else has one. */
  readonly keepsTurn?: () => Promise<boolean>;
  /** Looked at in one pass, at most, of two hundred each. Default: 50. */
  readonly pages?: number | undefined;
  /** Told of each step before it is made, for tests that end the process there. */
  readonly at?: (step: TrimmerStep) => Promise<void> | void;
}

export const trimmerSteps = ['read', 'compared', 'trimmed'] as const;
export type TrimmerStep = (typeof trimmerSteps)[number];

/** What of a database the trimmer asks. */
type TrimmedInto = ComparedWith & Pick<HistoryStore, 'name' | 'row' | 'fact' | 'now'>;

const AT_ONCE = 200;
/** Of so many each: what is newly over is copied between two passes, however much has grown old in one night. */
const PAGES_PER_PASS = 50;
const BEGINNING: ListPlace = { at: 0, past: 0 };
/** What is left standing in a list is looked at again after so long. */
const ROUND_MS = 60_000;
/** Of Redis and PostgreSQL, where nothing is wrong with them. */
const CLOCKS_APART_MS = 86_400_000;

/** What left Redis is in another database: this one is not given the rest of it. */
class OtherHistory extends Error {
  override readonly name = 'OtherHistory';
}

export class Trimmer {
  readonly #options: TrimmerOptions;
  #nextRound = 0;
  /** How far the round has come in each list; a pass may end in the middle of one. Undefined: through all of it. */
  readonly #places = new Map<string, ListPlace | undefined>();

  constructor(options: TrimmerOptions) {
    this.#options = options;
  }

  /** How many left. */
  async pass(store: TrimmedInto, isStopping: () => boolean = () => false): Promise<number> {
    const { trimming, after } = this.#options;
    const begun = await trimming.hasBegun();
    const kinds = trimmedKinds.filter((kind) => after[kind] !== undefined);
    if (!begun && kinds.length === 0) return 0;
    const isWhole = (await missingIn(store)) === undefined;
    if (isWhole && !(await trimming.isOf(store.name)))
      throw new OtherHistory('what left Redis is in another database: connect to that one, or to a copy of it');
    await this.#bringBack(store);
    // Nothing more is divided between this one and the one that has what is missing here.
    if (!isWhole) return 0;
    const now = await trimming.now();
    // An identity is free again when two clocks say so: one that has run ahead would free them all.
    if ((await store.now()) > now - CLOCKS_APART_MS) await trimming.forgetStubs();
    if (now < this.#nextRound && now >= this.#nextRound - ROUND_MS) return 0;
    // What a process that ended has left behind.
    if (kinds.includes('message')) await trimming.takeSlices();
    const round = { now, pages: this.#options.pages ?? PAGES_PER_PASS };
    let left = 0;
    for (const kind of kinds) {
      for (const list of await trimming.lists(kind)) left += await this.#list(store, { list, round }, isStopping);
    }
    if (isStopping() || round.pages === 0) return left;
    this.#nextRound = now + ROUND_MS;
    this.#places.clear();
    return left;
  }

  async #list(
    store: TrimmedInto,
    { list, round }: { readonly list: FinalList; readonly round: { readonly now: number; pages: number } },
    isStopping: () => boolean,
  ): Promise<number> {
    const to = round.now - (this.#options.after[list.kind] ?? Number.POSITIVE_INFINITY);
    let from = this.#places.has(list.set) ? this.#places.get(list.set) : BEGINNING;
    let left = 0;
    while (from !== undefined && round.pages > 0 && !isStopping() && (await this.#keepsTurn())) {
      const { items, next } = await this.#options.trimming.standing(list, { from, to, most: AT_ONCE });
      if (next === undefined) {
        from = undefined;
        break;
      }
      round.pages -= 1;
      const old = await this.#notWaiting(items.filter(({ record }) => record.updatedAt <= to));
      const gone = await this.#take(store, { kind: list.kind, items: old }, isStopping);
      left += gone;
      // Walked past once nothing of them leaves any more. Thousands may be of one moment: one of them does not hide the rest.
      if (gone === 0) from = next;
    }
    this.#places.set(list.set, from);
    return left;
  }

  /** What waits to be copied stays, and what history does not take cannot even be compared. */
  async #notWaiting(items: readonly Standing[]): Promise<readonly Standing[]> {
    const wait = await this.#options.desk.wait(items.map(({ record }) => record.id));
    return items.filter((_, at) => wait[at] !== true);
  }

  async #take(
    store: TrimmedInto,
    { kind, items }: { readonly kind: TrimmedKind; readonly items: readonly Standing[] },
    isStopping: () => boolean,
  ): Promise<number> {
    const { trimming, desk, payeeOf } = this.#options;
    const table = kindTables[kind];
    if (table === undefined || items.length === 0) return 0;
    await this.#at('read');
    const rows = items.map(({ record }) => rowOf(record, table, payeeOf));
    const asCopied = await areThere(store, { table, rows });
    // One whose person was forgotten is found by them no more.
    const forgotten = asCopied.includes(false)
      ? await areThere(store, { table, rows: rows.map(withoutPerson) })
      : asCopied;
    const there = asCopied.map((isThere, at) => isThere || forgotten[at] === true);
    await this.#at('compared');
    const absent = items.filter((_, at) => there[at] !== true);
    await desk.copyAnew(absent.map(({ record }) => record.id));
    const kept = items.filter((_, at) => there[at]);
    if (kind === 'message') await trimming.noteSlices(slicesOf(kept));
    const hasParts = kind === 'campaign' || kind === 'batch';
    const gone = hasParts ? await this.#takeWithParts(store, kept, isStopping) : await this.#takeAll(kept);
    if (kind === 'message') await trimming.takeSlices();
    await this.#at('trimmed');
    return gone;
  }

  async #takeAll(items: readonly Standing[]): Promise<number> {
    const { trimming, desk } = this.#options;
    await desk.leaving(items.map(({ record }) => record));
    const results = await Promise.all(items.map((one) => trimming.take(one)));
    return results.filter((one) => one === 'trimmed').length;
  }

  /** One after the other: each may be as long as a million people. */
  async #takeWithParts(store: ComparedWith, items: readonly Standing[], isStopping: () => boolean): Promise<number> {
    const { trimming, desk } = this.#options;
    let gone = 0;
    for (const one of items) {
      if (!(await this.#keepsTurn())) break;
      const parts = await this.#partsOf(one, { store, isStopping });
      if (parts === undefined) continue;
      await desk.leaving([one.record]);
      if ((await trimming.take(one, parts)) === 'trimmed') gone += 1;
    }
    return gone;
  }

  #partsOf(
    { record: { kind }, stored }: Standing,
    how: { readonly store: ComparedWith; readonly isStopping: () => boolean },
  ): Promise<Parts | undefined> {
    if (kind === 'batch') return partsOfBatch(readRecord(kind, stored), this.#options, how);
    return partsOf(readRecord('campaign', stored), this.#options, how);
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
      const row = await store.row(table, id);
      // Another copy may have it: until then what was said is kept.
      if (row === undefined) continue;
      const record = readStored(kind, id, fieldsOfRow(kind, table, row));
      // A newer version may read it: until then what was said is kept, and the others go on.
      if (record instanceof UnreadableRecord) {
        await trimming.cannotBeRead(id);
        continue;
      }
      // A person who was forgotten since is not among its names there.
      await trimming.bringBack(
        record,
        (one) => one[0] !== 'phone' || row[NAMES]?.includes(nameInHistory(one)) === true,
      );
      if (isHeardOf(kind)) await operations.nudge(kind, id, evidence, intervalMs, posted);
      await trimming.heard(id);
    }
  }

  async #keepsTurn(): Promise<boolean> {
    return (await this.#options.keepsTurn?.()) ?? true;
  }

  async #at(step: TrimmerStep): Promise<void> {
    await this.#options.at?.(step);
  }
}

/** Those that carried these messages. */
function slicesOf(messages: readonly Standing[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ stored: { slice } }) => slice ?? []));
}

/** The service speaks of it by itself. */
function isHeardOf(kind: TrimmedKind): kind is Parameters<Operations['nudge']>[0] & TrimmedKind {
  return kind === 'disbursement' || kind === 'invoice' || kind === 'payment_request';
}

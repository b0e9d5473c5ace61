/**
 * Copies what waits into history: what ended, the events, the audit and the balances. One process at a time; whatever
 * it is doing when it dies, the next one does again, and again comes to the same: what is there already is not written
 * twice, and nothing stops to wait until it was read back.
 */
import type { Redis } from 'ioredis';
import { isFinal } from '../kinds/index.ts';
import type { Table } from '../kinds/tables.ts';
import type { Batches } from '../operations/batches.ts';
import type { Campaigns } from '../operations/campaigns.ts';
import type { HistoryDesk, Missing } from '../operations/history.ts';
import {
  type BatchRecord,
  type CampaignRecord,
  type Fields,
  isUnreadable,
  noteUnreadable,
  readRecord,
} from '../operations/record.ts';
import { RECIPIENTS_PER_REQUEST, REQUESTS_PER_SLICE } from '../operations/slice-form.ts';
import { isLineId, type SetAside } from '../operations/set-aside.ts';
import { campaignOfSlice, isSlice } from '../operations/slices.ts';
import type { WitnessWord } from '../operations/witness-word.ts';
import { keepBatchRows, keepBeside } from './parts.ts';
import { type Beside, type CampaignOfRows, type Reading, readingOf } from './readings.ts';
import { type Compared, compareMarks, goOnWhereAccepted, THROUGH } from './older-copy.ts';
import { forgottenAmong, nobody, type PayeeOf } from './payees.ts';
import type { Row } from './rows.ts';
import { compareTogether, type Keeping, type NotTaken, type RowsOf, whyOf, writeTogether } from './set-aside.ts';
import { type HistoryStore, NotAsWritten } from './store.ts';
import { copyEvents, copyStreams, type Following, readingOfLine, type Streams } from './streams.ts';
import type { Trimmer } from './trimmer.ts';
import { BEAT, beatAsTold } from './witness.ts';

interface HistorySources extends Streams {
  readonly redis: Redis;
  readonly desk: HistoryDesk;
  readonly campaigns: Pick<Campaigns, 'skippedRows'>;
  readonly batches: Pick<Batches, 'refused' | 'rows'>;
  readonly payeeOf: PayeeOf;
}

interface WriterOptions extends HistorySources {
  readonly open: () => Promise<HistoryStore>;
  /** Takes out of Redis what history has. Absent: nothing leaves. */
  readonly trimmer?: Pick<Trimmer, 'pass'> | undefined;
  /** History is asked whether Redis is older than it was, and told how far it has come. Absent: it is no witness. */
  readonly witness?: {
    compare(told: WitnessWord): Promise<void>;
    /** As it is written; undefined: nothing is known, or a recovery is under way. */
    known(): string | undefined;
  };
  /** Told where history turns out to be an older copy, and of what is missing in it. */
  readonly onMissing?: ((compared: Compared) => void) | undefined;
  /** Told of what history does not take, each time that it was tried. */
  readonly onSetAside?: ((some: readonly SetAside[]) => void) | undefined;
  /** Told of each step before it is made, for tests that end the process there. */
  readonly at?: (step: WriterStep) => Promise<void> | void;
}

/** Between any two of them the process, PostgreSQL or Redis may end. */
export const writerSteps = ['taken', 'read', 'written', 'compared', 'kept'] as const;
export type WriterStep = (typeof writerSteps)[number];

const IDS_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 20_000;
const PEOPLE_MOST = REQUESTS_PER_SLICE * RECIPIENTS_PER_REQUEST;

export class HistoryWriter {
  readonly #options: WriterOptions;
  #store: HistoryStore | undefined;
  #mark = 0;
  #missing: Missing | undefined;
  /** When nothing waited any more; undefined: something does. */
  #drainedAt: number | undefined;
  #isNoted = false;
  #hasBegun = false;
  /** The last pass ended because something was not there as it was given. */
  #isAgain = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Writes what there is, if it is our turn. Whatever fails, the next pass begins with another connection. */
  async pass(isStopping: () => boolean = () => false): Promise<void> {
    const { desk } = this.#options;
    try {
      if (!(await desk.isMyTurn())) return await this.#leave();
      // What history did not take is tried by each process that begins: a newer version may make another row of it.
      if (!this.#hasBegun) await desk.tryAgain();
      this.#hasBegun = true;
      this.#store ??= await this.#open();
      await this.#goOn(this.#store);
      const setAside = (some: readonly SetAside[]): Promise<void> => this.#leaveOut(some);
      const how = { store: this.#store, isStopping, isAgain: this.#isAgain, setAside };
      await copyStreams(this.#options, how);
      let swept = false;
      // What had ended before history was kept is looked for without a pause: there may be much of it.
      while (!swept && !isStopping() && (await desk.isMyTurn())) {
        swept = await desk.sweep(this.#store.name);
        while (!isStopping() && (await this.#records(how))) await desk.isMyTurn();
      }
      if (swept) await this.#noteDrained(this.#store);
      const beat = this.#options.witness?.known();
      if (beat !== undefined) await this.#store.note(BEAT, beat);
      this.#isAgain = false;
      await this.#options.trimmer?.pass(this.#store, isStopping);
    } catch (error) {
      this.#isAgain = error instanceof NotAsWritten;
      this.cut();
      desk.beginAnew();
      throw error;
    }
  }

  async #leaveOut(some: readonly SetAside[]): Promise<void> {
    const lines = some.map((one) => ({ ...one, rev: 0 }));
    await this.#options.desk.areKept([], [], lines);
    this.#options.onSetAside?.(some);
  }

  /** Hangs up at once. */
  cut(): void {
    this.#store?.destroy();
    this.#store = undefined;
  }

  async close(): Promise<void> {
    await this.#leave();
    await this.#options.desk.release();
  }

  async #leave(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }

  async #open(): Promise<HistoryStore> {
    const { open, desk, onMissing, witness } = this.#options;
    const store = await open();
    const compared = await compareMarks(store, desk);
    const beat = beatAsTold(await store.fact(BEAT));
    if (beat) await witness?.compare(beat);
    [this.#mark, this.#missing, this.#isNoted] = [compared.mark, compared.missing, false];
    if (compared.isOlder || compared.missing) onMissing?.(compared);
    return store;
  }

  async #goOn(store: HistoryStore): Promise<void> {
    if (this.#missing && (await goOnWhereAccepted(store, this.#options.desk, this.#missing))) {
      this.#missing = undefined;
    }
  }

  /** Nothing waited any more, and everything had been looked through: what changed before is all there. */
  async #noteDrained(store: HistoryStore): Promise<void> {
    if (this.#drainedAt === undefined || this.#isNoted) return;
    await store.write([], { [THROUGH]: String(this.#drainedAt) }, { from: this.#mark, to: this.#mark });
    this.#isNoted = true;
  }

  /**
   * True where more is to be copied in this pass. What ends meanwhile waits for the next one: a turn for each that has
   * just ended would be a commit for each.
   */
  async #records(how: Following): Promise<boolean> {
    const { desk, redis, onSetAside } = this.#options;
    const waiting = await desk.next(IDS_AT_ONCE);
    const ids = inOneTurn(waiting.ids);
    this.#drainedAt = ids.length === 0 ? waiting.at : undefined;
    if (ids.length === 0) return false;
    this.#isNoted = false;
    await this.#at('taken');
    const { readings, gone, unread, over, batches, forgotten, stored, lines, notTaken } = await this.#read(ids);
    await noteUnreadable(redis, unread);
    await this.#at('read');
    // Before the records: one that history has without what was told of it is told to nobody once Redis has lost that.
    await copyEvents(this.#options, how);
    // Before the batch itself: a copy of history that has it has them too.
    const begun = await this.#keepBatches(batches, notTaken, how);
    const groups = groupsOf(readings);
    const pass = await desk.nextPass();
    const written = await writeTogether(groups, { from: this.#mark, to: pass }, how);
    await this.#at('written');
    for (const [group, places] of await compareTogether(groups, written, how)) {
      for (const [id, why] of idsNotTaken(group, readings, places)) notTaken.set(id, why);
    }
    for (const campaign of over) {
      const why = await keepBeside(campaign, this.#options, how);
      if (why !== undefined) notTaken.set(campaign.id, why);
    }
    await this.#at('compared');
    // Before they wait no longer: what is put back from before this is known to lack them.
    await desk.raiseMark(pass);
    this.#mark = pass;
    // A person who was forgotten since they were read may be named in what was written just now: it is written again.
    const since = await this.#forgotten(stored);
    const named = readings.filter(({ id }) => since.has(id) !== forgotten.has(id)).map(({ id }) => id);
    // Also where another writer has kept them meanwhile, so that they wait no more.
    await desk.copyAnew(named);
    const asTheyAre = readings.filter(({ id }) => !named.includes(id) && !begun.has(id) && !notTaken.has(id));
    const kept = [...asTheyAre, ...gone.map((id) => ({ id, rev: 0 }))];
    const aside = [...notTaken].map(([id, why]) => ({ id, why, line: lines.get(id), rev: revIn(stored.get(id)) }));
    const isAll = (await desk.areKept(kept, unread, aside)) === ids.length - unread.length - aside.length;
    if (aside.length > 0) onSetAside?.(aside);
    await this.#at('kept');
    const isLast = ids.length === waiting.ids.length && ids.length < IDS_AT_ONCE;
    // A campaign that is over may have given more to copy.
    if (!isAll || !isLast || over.length > 0) return desk.mayGoOn();
    this.#drainedAt = waiting.at;
    return false;
  }

  /** Answers which were stopped in the middle of their rows. */
  async #keepBatches(
    batches: readonly BatchRecord[],
    notTaken: Map<string, string>,
    how: Keeping & { readonly store: HistoryStore },
  ): Promise<ReadonlySet<string>> {
    const begun = new Set<string>();
    for (const batch of batches) {
      const rows = await keepBatchRows(batch, this.#options, how);
      if (rows === undefined) begun.add(batch.id);
      else if (rows.why !== undefined) notTaken.set(batch.id, rows.why);
    }
    return begun;
  }

  async #read(ids: readonly string[]): Promise<Taken> {
    const { desk } = this.#options;
    const stored = await desk.read(ids);
    const records = new Map(ids.map((id, at) => [id, stored[at] ?? {}]));
    const forgotten = await this.#forgotten(records);
    const lines = await desk.lines(ids);
    const notTaken = new Map<string, string>();
    const found = { readings: [], gone: [], unread: [], over: [], batches: [] };
    const taken: Taken = { ...found, forgotten, stored: records, lines, notTaken };
    const own = await desk.own(ids);
    const campaigns = await this.#campaigns(ids);
    const campaignOf = (id: string) => campaigns.get(id);
    for (const [at, id] of ids.entries()) {
      const payeeOf = forgotten.has(id) ? nobody : this.#options.payeeOf;
      take(taken, { id, stored: stored[at] ?? {}, own: own[at] ?? [], line: lines.get(id), campaignOf, payeeOf });
    }
    return taken;
  }

  #forgotten(records: ReadonlyMap<string, Fields>): Promise<ReadonlySet<string>> {
    return forgottenAmong(this.#options.redis, records, this.#options.payeeOf);
  }

  async #campaigns(ids: readonly string[]): Promise<ReadonlyMap<string, CampaignOfRows>> {
    const campaigns = [...new Set(ids.filter(isSlice).map(campaignOfSlice))];
    const read = await this.#options.desk.read(campaigns);
    return new Map(
      campaigns.flatMap((id, at) => {
        const { account = '', state, createdAt } = read[at] ?? {};
        if (createdAt === undefined) return [];
        return [[id, { id, account, createdAt: Number(createdAt), isCancelled: state === 'cancelled' }] as const];
      }),
    );
  }

  async #at(step: WriterStep): Promise<void> {
    await this.#options.at?.(step);
  }
}

interface Taken {
  readonly readings: Reading[];
  /** Their records are gone, or history has no table for them. */
  readonly gone: string[];
  readonly unread: string[];
  /** Campaigns that are. */
  readonly over: CampaignRecord[];
  readonly batches: BatchRecord[];
  /** Records as they were read, and those of them whose person was forgotten. */
  readonly stored: ReadonlyMap<string, Fields>;
  readonly forgotten: ReadonlySet<string>;
  /** Of streams, that were set aside. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** By its id, why history does not take it. */
  readonly notTaken: Map<string, string>;
}

interface Found extends Beside {
  readonly id: string;
  readonly stored: Fields;
  readonly line: readonly string[] | undefined;
}

/** As many of them as are copied together. */
function inOneTurn(ids: readonly string[]): readonly string[] {
  let rows = 0;
  const end = ids.findIndex((id) => (rows += isSlice(id) ? PEOPLE_MOST : 1) > ROWS_AT_ONCE);
  return end < 0 ? ids : ids.slice(0, end);
}

function take({ readings, gone, unread, over, batches, notTaken }: Taken, found: Found): void {
  const { id, stored } = found;
  try {
    const reading = readingIn(found);
    if (reading === undefined) gone.push(id);
    else readings.push(reading);
    const { kind, state = '' } = stored;
    if (kind === 'campaign' && isFinal(kind, state)) over.push(readRecord(kind, stored));
    if (kind === 'batch' && isFinal(kind, state)) batches.push(readRecord(kind, stored));
  } catch (error) {
    if (isUnreadable(error)) unread.push(id);
    else notTaken.set(id, whyOf(error));
  }
}

function readingIn({ id, stored, line, ...beside }: Found): Reading | undefined {
  if (isLineId(id)) return line && readingOfLine(id, line);
  return stored['kind'] === undefined ? undefined : readingOf(id, stored, beside);
}

const revIn = (stored: Fields | undefined): number => Number(stored?.['rev'] ?? 0);

function groupsOf(readings: readonly Reading[]): RowsOf[] {
  const byTable = new Map<Table, Row[]>();
  for (const { table, rows } of readings) {
    const all = byTable.get(table) ?? [];
    for (const row of rows) all.push(row);
    byTable.set(table, all);
  }
  return [...byTable].map(([table, rows]) => ({ table, rows }));
}

/** Of what the rows of a table were made, why one of them was not taken. Of many rows it is said which. */
function idsNotTaken({ table }: RowsOf, readings: readonly Reading[], places: NotTaken): Map<string, string> {
  const ids = new Map<string, string>();
  if (places.size === 0) return ids;
  const of = readings.filter((one) => one.table === table);
  const rowsOfAll = of.flatMap(({ id, rows }) => rows.map((_, place) => ({ id, place, isOne: rows.length === 1 })));
  for (const [at, why] of places) {
    const row = rowsOfAll[at];
    if (row && !ids.has(row.id)) ids.set(row.id, row.isOne ? why : `the row in place ${row.place}: ${why}`);
  }
  return ids;
}

/**
 * Copies what waits into history: what ended, the events, the audit and the balances. One process at a time; whatever
 * it is doing when it dies, the next one does again, and again comes to the same: what is there already is not written
 * twice, and nothing stops to wait until it was read back.
 */
import type { Redis } from 'ioredis';
import type { EventStream } from '../events/stream.ts';
import { isFinal } from '../kinds/index.ts';
import { auditTable, balanceTable, eventTable, type Table } from '../kinds/tables.ts';
import type { Audit, AuditLine } from '../operations/audit.ts';
import type { Balances } from '../operations/balances.ts';
import type { Batches } from '../operations/batches.ts';
import type { Campaigns } from '../operations/campaigns.ts';
import type { Beat } from '../operations/heartbeat.ts';
import type { HistoryDesk, Missing } from '../operations/history.ts';
import { keys } from '../operations/keys.ts';
import {
  type BatchRecord,
  type CampaignRecord,
  type Fields,
  isUnreadable,
  noteUnreadable,
  readRecord,
} from '../operations/record.ts';
import { RECIPIENTS_PER_REQUEST } from '../operations/slice-form.ts';
import { campaignOfSlice, isSlice, REQUESTS_PER_SLICE } from '../operations/slices.ts';
import { keepBatchRows, keepBeside } from './parts.ts';
import { type Beside, type CampaignOfRows, type Reading, readingOf } from './readings.ts';
import { type Compared, compareMarks, goOnWhereAccepted, THROUGH } from './older-copy.ts';
import { forgottenAmong, nobody, type PayeeOf } from './payees.ts';
import { type Copy, copyOf, type Row } from './rows.ts';
import type { HistoryStore } from './store.ts';
import type { Trimmer } from './trimmer.ts';
import { BEAT, beatAsTold } from './witness.ts';

interface HistorySources {
  readonly redis: Redis;
  readonly desk: HistoryDesk;
  readonly events: Pick<EventStream, 'entries'>;
  readonly audit: Pick<Audit, 'after'>;
  readonly balances: Pick<Balances, 'history'>;
  readonly campaigns: Pick<Campaigns, 'skippedRows'>;
  readonly batches: Pick<Batches, 'refused' | 'rows'>;
  readonly accounts: readonly string[];
  readonly payeeOf: PayeeOf;
}

interface WriterOptions extends HistorySources {
  readonly open: () => Promise<HistoryStore>;
  /** Takes out of Redis what history has. Absent: nothing leaves. */
  readonly trimmer?: Pick<Trimmer, 'pass'> | undefined;
  /** History is asked whether Redis is older than it was, and told how far it has come. Absent: it is no witness. */
  readonly witness?: {
    compare(beat: Beat): Promise<void>;
    /** As it is written; undefined: nothing is known, or a recovery is under way. */
    known(): string | undefined;
  };
  /** Told where history turns out to be an older copy, and of what is missing in it. */
  readonly onMissing?: ((compared: Compared) => void) | undefined;
  /** Told of each step before it is made, for tests that end the process there. */
  readonly at?: (step: WriterStep) => Promise<void> | void;
}

/** Between any two of them the process, PostgreSQL or Redis may end. */
export const writerSteps = ['taken', 'read', 'written', 'compared', 'kept'] as const;
export type WriterStep = (typeof writerSteps)[number];

const IDS_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 20_000;
const PEOPLE_MOST = REQUESTS_PER_SLICE * RECIPIENTS_PER_REQUEST;
const LINES_AT_ONCE = 1_000;
const BEGINNING = '0-0';

export class HistoryWriter {
  readonly #options: WriterOptions;
  #store: HistoryStore | undefined;
  #mark = 0;
  #missing: Missing | undefined;
  /** When nothing waited any more; undefined: something does. */
  #drainedAt: number | undefined;
  #isNoted = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Writes what there is, if it is our turn. Whatever fails, the next pass begins with another connection. */
  async pass(isStopping: () => boolean = () => false): Promise<void> {
    const { desk } = this.#options;
    try {
      if (!(await desk.isMyTurn())) return await this.#leave();
      this.#store ??= await this.#open();
      await this.#goOn(this.#store);
      await this.#streams(this.#store);
      let swept = false;
      // What had ended before history was kept is looked for without a pause: there may be much of it.
      while (!swept && !isStopping() && (await desk.isMyTurn())) {
        swept = await desk.sweep(this.#store.name);
        while (!isStopping() && (await this.#records(this.#store, isStopping))) await desk.isMyTurn();
      }
      if (swept) await this.#noteDrained(this.#store);
      const beat = this.#options.witness?.known();
      if (beat !== undefined) await this.#store.note(BEAT, beat);
      await this.#options.trimmer?.pass(this.#store, isStopping);
    } catch (error) {
      this.cut();
      desk.beginAnew();
      throw error;
    }
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
  async #records(store: HistoryStore, isStopping: () => boolean): Promise<boolean> {
    const { desk, redis } = this.#options;
    const waiting = await desk.next(IDS_AT_ONCE);
    const ids = inOneTurn(waiting.ids);
    this.#drainedAt = ids.length === 0 ? waiting.at : undefined;
    if (ids.length === 0) return false;
    this.#isNoted = false;
    await this.#at('taken');
    const { readings, gone, unread, over, batches, forgotten, stored } = await this.#read(ids);
    await noteUnreadable(redis, unread);
    await this.#at('read');
    // Before the batch itself: a copy of history that has it has them too.
    const begun = new Set<string>();
    for (const batch of batches) {
      if (!(await keepBatchRows(batch, this.#options, { store, isStopping }))) begun.add(batch.id);
    }
    const copies = copiesOf(readings);
    const pass = await desk.nextPass();
    await store.write(copies, {}, { from: this.#mark, to: pass });
    await this.#at('written');
    await store.compare(copies);
    for (const campaign of over) await keepBeside(campaign, this.#options, { store, isStopping });
    await this.#at('compared');
    // Before they wait no longer: what is put back from before this is known to lack them.
    await desk.raiseMark(pass);
    this.#mark = pass;
    // A person who was forgotten since they were read may be named in what was written just now: it is written again.
    const since = await this.#forgotten(stored);
    const asTheyAre = readings.filter(({ id }) => since.has(id) === forgotten.has(id) && !begun.has(id));
    const kept = [...asTheyAre, ...gone.map((id) => ({ id, rev: 0 }))];
    const isAll = (await desk.areKept(kept, unread)) === ids.length - unread.length;
    await this.#at('kept');
    const isLast = ids.length === waiting.ids.length && ids.length < IDS_AT_ONCE;
    // A campaign that is over may have given more to copy.
    if (!isAll || !isLast || over.length > 0) return desk.mayGoOn();
    this.#drainedAt = waiting.at;
    return false;
  }

  async #read(ids: readonly string[]): Promise<Taken> {
    const { desk } = this.#options;
    const stored = await desk.read(ids);
    const records = new Map(ids.map((id, at) => [id, stored[at] ?? {}]));
    const forgotten = await this.#forgotten(records);
    const taken: Taken = { readings: [], gone: [], unread: [], over: [], batches: [], forgotten, stored: records };
    const own = await desk.own(ids);
    const campaigns = await this.#campaigns(ids);
    const campaignOf = (id: string) => campaigns.get(id);
    for (const [at, id] of ids.entries()) {
      const payeeOf = forgotten.has(id) ? nobody : this.#options.payeeOf;
      take(taken, { id, stored: stored[at] ?? {}, own: own[at] ?? [], campaignOf, payeeOf });
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

  async #streams(store: HistoryStore): Promise<void> {
    const { events, audit, redis } = this.#options;
    await follow(store, eventTable, async (place) =>
      (await events.entries(place, LINES_AT_ONCE)).map((one) => ({ place: one.place, row: rowOfEvent(one) })),
    );
    const [[last] = []] = await redis.xrevrange(keys.audit, '+', '-', 'COUNT', 1);
    if (last !== undefined) {
      await follow(store, auditTable, async (place) =>
        (await audit.after(place, last, LINES_AT_ONCE)).map((line) => ({ place: line.id, row: rowOfAct(line) })),
      );
    }
    for (const account of this.#options.accounts) await this.#balances(store, account);
  }

  async #balances(store: HistoryStore, account: string): Promise<void> {
    const name = `balances:${account}`;
    const from = Number((await store.fact(name)) ?? 0) + 1;
    let newest: number | undefined;
    let after: string | undefined;
    // The newest come first, so how far it has come is noted when the last of them is there.
    do {
      const { items, next } = await this.#options.balances.history([account], { from, after, limit: LINES_AT_ONCE });
      const rows = items.flatMap(({ seen: { at, balances } }) =>
        Object.entries(balances).map(([country, xof]): Row => ({ account, country, xof, at })),
      );
      newest ??= items[0]?.seen.at;
      if (rows.length > 0) await writeAndCompare(store, [copyOf(balanceTable, rows)]);
      after = next;
    } while (after !== undefined);
    if (newest !== undefined) await store.note(name, String(newest));
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
}

interface Found extends Beside {
  readonly id: string;
  readonly stored: Fields;
}

/** As many of them as are copied together. */
function inOneTurn(ids: readonly string[]): readonly string[] {
  let rows = 0;
  const end = ids.findIndex((id) => (rows += isSlice(id) ? PEOPLE_MOST : 1) > ROWS_AT_ONCE);
  return end < 0 ? ids : ids.slice(0, end);
}

function take({ readings, gone, unread, over, batches }: Taken, { id, stored, ...beside }: Found): void {
  try {
    const reading = stored['kind'] === undefined ? undefined : readingOf(id, stored, beside);
    if (reading === undefined) gone.push(id);
    else readings.push(reading);
    const { kind, state = '' } = stored;
    if (kind === 'campaign' && isFinal(kind, state)) over.push(readRecord(kind, stored));
    if (kind === 'batch' && isFinal(kind, state)) batches.push(readRecord(kind, stored));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    unread.push(id);
  }
}

function copiesOf(readings: readonly Reading[]): Copy[] {
  const byTable = new Map<Table, Row[]>();
  for (const { table, rows } of readings) {
    const all = byTable.get(table) ?? [];
    for (const row of rows) all.push(row);
    byTable.set(table, all);
  }
  return [...byTable].map(([table, rows]) => copyOf(table, rows));
}

async function writeAndCompare(store: HistoryStore, copies: readonly Copy[]): Promise<void> {
  await store.write(copies);
  await store.compare(copies);
}

/** Copies a stream from where history has come to, which history itself knows. */
async function follow(
  store: HistoryStore,
  table: Table,
  after: (place: string) => Promise<readonly { readonly place: string; readonly row: Row }[]>,
): Promise<void> {
  let place = (await store.fact(table.table)) ?? BEGINNING;
  for (;;) {
    const lines = await after(place);
    const last = lines.at(-1);
    if (last === undefined) return;
    const copy = copyOf(
      table,
      lines.map(({ row }) => row),
    );
    await writeAndCompare(store, [copy]);
    place = last.place;
    await store.note(table.table, place);
  }
}

function rowOfEvent({ place, event }: Awaited<ReturnType<EventStream['entries']>>[number]): Row {
  const { id, type, timestamp, sequence, account, data } = event;
  return {
    place,
    type,
    operation: id.slice(0, id.lastIndexOf('.')),
    sequence,
    account,
    data,
    at: Date.parse(timestamp),
  };
}

function rowOfAct({ id, words }: AuditLine): Row {
  const { before, after } = words;
  const json = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));
  return { ...words, id, before: json(before), after: json(after), at: Number(words.at) };
}

/**
 * What leaves Redis with a campaign, its people and those who were left out, and with a batch, its rows: compared with
 * the rows of history.
 */
import { batchRowTable, recipientTable, type Table } from '../kinds/tables.ts';
import { type Batches, hasRows } from '../operations/batches.ts';
import { type Campaigns, sliceAt } from '../operations/campaigns.ts';
import type { HistoryDesk } from '../operations/history.ts';
import { keys } from '../operations/keys.ts';
import type { BatchRecord, CampaignRecord } from '../operations/record.ts';
import type { SliceRecord } from '../operations/slices.ts';
import { type Parts, sliceOf, slicesAreOverIn } from '../operations/trimming.ts';
import { type CampaignOfRows, readingOfSlice, rowsOfBatch, rowsOfSkipped } from './readings.ts';
import type { Row } from './rows.ts';
import { areThere, isOfDamage, keepRows, type Keeping as KeepingRows, type RowsOf, whyOf } from './set-aside.ts';
import type { HistoryStore } from './store.ts';

/** Up to ten thousand people. */
const SLICES_AT_ONCE = 10;
const SKIPPED_AT_ONCE = 5_000;
const BATCH_ROWS_AT_ONCE = 5_000;

export type ComparedWith = Pick<HistoryStore, 'has' | 'write' | 'compare' | 'differing'>;

interface PartsSources {
  readonly desk: Pick<HistoryDesk, 'copyAnew' | 'own' | 'read' | 'wait'>;
  readonly campaigns: Pick<Campaigns, 'skippedRows'>;
}

/** Undefined: history does not have all of it as it is. Then that is copied anew, or something goes on. */
export async function partsOf(
  record: CampaignRecord,
  { desk, campaigns }: PartsSources,
  { store, isStopping }: Keeping,
): Promise<Parts | undefined> {
  const { id, account, createdAt, state } = record;
  const campaign: CampaignOfRows = { id, account, createdAt, isCancelled: state === 'cancelled' };
  const over: readonly string[] = slicesAreOverIn(state);
  const slices: { id: string; rev: number }[] = [];
  let isWhole = true;
  for (let from = 0; from < record.slices; from += SLICES_AT_ONCE) {
    if (isStopping()) return undefined;
    const ids = idsOf(record, from);
    const read = slicesIn(await desk.read(ids));
    if (read.length < ids.length || read.some((slice) => !over.includes(slice.state))) return undefined;
    // What history did not take may not even be compared.
    if ((await desk.wait(ids)).includes(true)) return undefined;
    const absent = await absentFrom(store, { campaign, slices: read, own: await desk.own(ids) });
    await desk.copyAnew(absent);
    isWhole &&= absent.length === 0;
    slices.push(...read.map((slice) => ({ id: slice.id, rev: slice.rev })));
  }
  if (!isWhole) return undefined;
  if ((await keepSkipped(record, campaigns, { store, isStopping })) !== undefined) {
    await desk.copyAnew([id]);
    return undefined;
  }
  const lists = record.uploads.flatMap(({ tag, skipped }) =>
    skipped > 0 ? [{ list: keys.skipped(id, tag), length: skipped }] : [],
  );
  return isStopping() ? undefined : { slices, lists };
}

/**
 * What is known of a campaign once it is over, and noted nowhere by itself: the people left out, and those never sent
 * to. Answers why history did not take some of it; undefined: it has all.
 */
export async function keepBeside(
  record: CampaignKept,
  { desk, campaigns }: PartsSources,
  how: Keeping,
): Promise<string | undefined> {
  const why = await keepSkipped(record, campaigns, how);
  if (record.state !== 'cancelled') return why;
  for (let from = record.fed; from < record.slices; from += SLICES_AT_ONCE) await desk.copyAnew(idsOf(record, from));
  return why;
}

type CampaignKept = Pick<CampaignRecord, 'id' | 'account' | 'createdAt' | 'state' | 'uploads' | 'slices' | 'fed'>;

interface Keeping extends KeepingRows {
  readonly store: ComparedWith;
}

async function keepSkipped(
  { id, account, createdAt, state, uploads }: CampaignKept,
  campaigns: PartsSources['campaigns'],
  how: Keeping,
): Promise<string | undefined> {
  const campaign = { id, account, createdAt, isCancelled: state === 'cancelled' };
  let why: string | undefined;
  for (const { tag, skipped } of uploads) {
    for (let from = 0; from < skipped && !how.isStopping(); ) {
      const kept = await keepRead(how, recipientTable, async () => {
        const some = await campaigns.skippedRows(id, tag, from, SKIPPED_AT_ONCE);
        return rowsOfSkipped(campaign, { tag, from, skipped: some });
      });
      why ??= kept.why;
      // Else read once more: somebody may have been forgotten meanwhile, here and there.
      if (kept.hadAll || kept.why !== undefined) from += SKIPPED_AT_ONCE;
    }
  }
  return why;
}

/** The same of rows as they are read: where one of them is damaged none of them is kept, and it is said why. */
async function keepRead(how: Keeping, table: Table, read: () => Promise<readonly Row[]>): Promise<Kept> {
  let rows: readonly Row[];
  try {
    rows = await read();
  } catch (error) {
    if (!isOfDamage(error)) throw error;
    return { hadAll: false, why: whyOf(error), count: undefined };
  }
  return { ...(await keep({ table, rows }, how)), count: rows.length };
}

interface Kept {
  readonly hadAll: boolean;
  readonly why?: string | undefined;
  /** Undefined: they could not be read. */
  readonly count: number | undefined;
}

/** Where history does not have all of them, they are written just now, and read back; why it does not take one of them. */
async function keep(
  { table, rows }: RowsOf,
  how: Keeping,
): Promise<{ readonly hadAll: boolean; readonly why?: string | undefined }> {
  if ((await areThere(how.store, { table, rows })).every((is) => is)) return { hadAll: true };
  const [why] = (await keepRows({ table, rows }, how)).values();
  return { hadAll: false, why };
}

/** The rows of a batch that is over. Undefined: it was stopped, and not all of them are in history. */
export async function keepBatchRows(
  record: BatchRecord,
  { batches }: BatchSources,
  how: Keeping,
): Promise<BatchKept | undefined> {
  const refused = await batches.refused(record.id);
  let [from, isWhole] = [0, true];
  let why: string | undefined;
  for (;;) {
    if (how.isStopping()) return undefined;
    const kept = await keepRead(how, batchRowTable, async () => {
      const rows = await batches.rows(record.id, from, BATCH_ROWS_AT_ONCE);
      return rowsOfBatch(record, { from, rows, refused });
    });
    if (kept.count === 0) return { rows: from, refused: Object.keys(refused).length, hadAll: isWhole, why };
    isWhole &&= kept.hadAll;
    why ??= kept.why;
    from += kept.count ?? BATCH_ROWS_AT_ONCE;
  }
}

interface BatchKept {
  readonly rows: number;
  /** By acceptance. */
  readonly refused: number;
  readonly hadAll: boolean;
  /** Why history does not take one of them. */
  readonly why: string | undefined;
}

/** Undefined: a payment of it goes on, or history did not have all of its rows as they are. Then it has them now. */
export async function partsOfBatch(
  record: BatchRecord,
  sources: BatchSources & {
    readonly batches: Pick<Batches, 'hasOpen'>;
    readonly desk: Pick<HistoryDesk, 'copyAnew'>;
  },
  how: Keeping,
): Promise<Parts | undefined> {
  const { id, totals } = record;
  const kept = await keepBatchRows(record, sources, how);
  if (kept?.why !== undefined) await sources.desk.copyAnew([id]);
  if (!kept?.hadAll || (await sources.batches.hasOpen(record))) return undefined;
  if (kept.rows !== (hasRows(record) ? totals.count : 0)) return undefined;
  return {
    lists: [{ list: keys.batchRows(id), length: kept.rows }],
    hashes: [{ hash: keys.batchRefused(id), size: kept.refused }],
  };
}

interface BatchSources {
  readonly batches: Pick<Batches, 'refused' | 'rows'>;
}

function idsOf(record: Pick<CampaignKept, 'id' | 'uploads' | 'slices'>, from: number): string[] {
  const count = Math.min(SLICES_AT_ONCE, record.slices - from);
  return Array.from({ length: count }, (_, at) => sliceAt(record, from + at)).filter((id) => id !== undefined);
}

/** Those that can be read: a campaign with others stays, and keeps none from leaving. */
function slicesIn(read: Awaited<ReturnType<HistoryDesk['read']>>): SliceRecord[] {
  return read.flatMap((stored) => sliceOf(stored) ?? []);
}

/** Ids of the slices of which history does not have each row as it is. */
async function absentFrom(
  store: ComparedWith,
  { campaign, slices, own }: CampaignSlices,
): Promise<readonly string[]> {
  const readings = slices.map((slice, at) => readingOfSlice(slice, campaign, own[at] ?? []));
  const there = await areThere(store, { table: recipientTable, rows: readings.flatMap(({ rows }) => rows) });
  let place = 0;
  return readings.flatMap(({ id, rows }) => {
    const all = there.slice(place, (place += rows.length)).every((is) => is);
    return all ? [] : [id];
  });
}

interface CampaignSlices {
  readonly campaign: CampaignOfRows;
  readonly slices: readonly SliceRecord[];
  readonly own: readonly (readonly string[])[];
}

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
import { copyOf, type Row } from './rows.ts';
import type { HistoryStore } from './store.ts';

/** Up to ten thousand people. */
const SLICES_AT_ONCE = 10;
const SKIPPED_AT_ONCE = 5_000;
const BATCH_ROWS_AT_ONCE = 5_000;

export type ComparedWith = Pick<HistoryStore, 'has' | 'write' | 'compare'>;

interface PartsSources {
  readonly desk: Pick<HistoryDesk, 'copyAnew' | 'own' | 'read'>;
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
    const absent = await absentFrom(store, { campaign, slices: read, own: await desk.own(ids) });
    await desk.copyAnew(absent);
    isWhole &&= absent.length === 0;
    slices.push(...read.map((slice) => ({ id: slice.id, rev: slice.rev })));
  }
  if (!isWhole) return undefined;
  await keepSkipped(record, campaigns, { store, isStopping });
  const lists = record.uploads.flatMap(({ tag, skipped }) =>
    skipped > 0 ? [{ list: keys.skipped(id, tag), length: skipped }] : [],
  );
  return isStopping() ? undefined : { slices, lists };
}

/** What is known of a campaign once it is over, and noted nowhere by itself: who was left out, who was never sent to. */
export async function keepBeside(
  record: CampaignKept,
  { desk, campaigns }: PartsSources,
  how: Keeping,
): Promise<void> {
  await keepSkipped(record, campaigns, how);
  if (record.state !== 'cancelled') return;
  for (let from = record.fed; from < record.slices; from += SLICES_AT_ONCE) await desk.copyAnew(idsOf(record, from));
}

type CampaignKept = Pick<CampaignRecord, 'id' | 'account' | 'createdAt' | 'state' | 'uploads' | 'slices' | 'fed'>;

interface Keeping {
  readonly store: ComparedWith;
  readonly isStopping: () => boolean;
}

async function keepSkipped(
  { id, account, createdAt, state, uploads }: CampaignKept,
  campaigns: PartsSources['campaigns'],
  { store, isStopping }: Keeping,
): Promise<void> {
  const campaign = { id, account, createdAt, isCancelled: state === 'cancelled' };
  for (const { tag, skipped } of uploads) {
    for (let from = 0; from < skipped && !isStopping(); ) {
      const rows = rowsOfSkipped(campaign, {
        tag,
        from,
        skipped: await campaigns.skippedRows(id, tag, from, SKIPPED_AT_ONCE),
      });
      // Else read once more: somebody may have been forgotten meanwhile, here and there.
      if (await hadAll(store, recipientTable, rows)) from += SKIPPED_AT_ONCE;
    }
  }
}

/** False: they were written just now, and read back. */
async function hadAll(store: ComparedWith, table: Table, rows: readonly Row[]): Promise<boolean> {
  const copy = copyOf(table, rows);
  if (rows.length === 0 || (await store.has(copy)).every((is) => is)) return true;
  const copies = [copy];
  await store.write(copies);
  await store.compare(copies);
  return false;
}

/** The rows of a batch that is over. Undefined: it was stopped, and not all of them are in history. */
export async function keepBatchRows(
  record: BatchRecord,
  { batches }: BatchSources,
  { store, isStopping }: Keeping,
): Promise<{ readonly rows: number; readonly refused: number; readonly hadAll: boolean } | undefined> {
  const refused = await batches.refused(record.id);
  let [from, isWhole] = [0, true];
  for (;;) {
    if (isStopping()) return undefined;
    const rows = await batches.rows(record.id, from, BATCH_ROWS_AT_ONCE);
    if (rows.length === 0) return { rows: from, refused: Object.keys(refused).length, hadAll: isWhole };
    const had = await hadAll(store, batchRowTable, rowsOfBatch(record, { from, rows, refused }));
    isWhole &&= had;
    from += rows.length;
  }
}

/** Undefined: a payment of it goes on, or history did not have all of its rows as they are. Then it has them now. */
export async function partsOfBatch(
  record: BatchRecord,
  sources: BatchSources & { readonly batches: Pick<Batches, 'hasOpen'> },
  how: Keeping,
): Promise<Parts | undefined> {
  const { id, totals } = record;
  if (await sources.batches.hasOpen(record)) return undefined;
  const kept = await keepBatchRows(record, sources, how);
  if (!kept?.hadAll) return undefined;
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
  const there = await store.has(
    copyOf(
      recipientTable,
      readings.flatMap(({ rows }) => rows),
    ),
  );
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

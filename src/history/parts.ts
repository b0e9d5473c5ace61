/** What leaves Redis with a campaign: its people and those who were left out, compared with the rows of history. */
import { recipientTable } from '../kinds/tables.ts';
import { type Campaigns, sliceAt } from '../operations/campaigns.ts';
import type { HistoryDesk } from '../operations/history.ts';
import { keys } from '../operations/keys.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { SliceRecord } from '../operations/slices.ts';
import { type Parts, sliceOf, slicesAreOverIn } from '../operations/trimming.ts';
import { type CampaignOfRows, readingOfSlice, rowsOfSkipped } from './readings.ts';
import type { HistoryStore } from './store.ts';

/** Up to ten thousand people. */
const SLICES_AT_ONCE = 10;
const SKIPPED_AT_ONCE = 5_000;

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
      if (rows.length === 0 || (await store.has(recipientTable, rows)).every((is) => is)) {
        from += SKIPPED_AT_ONCE;
        continue;
      }
      const copies = [[recipientTable, rows]] as const;
      await store.write(copies);
      // Then read once more: somebody may have been forgotten meanwhile, here and there.
      await store.compare(copies);
    }
  }
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
    recipientTable,
    readings.flatMap(({ rows }) => rows),
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

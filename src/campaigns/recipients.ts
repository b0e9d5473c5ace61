/** What became of each recipient of a campaign, row by row. */
import { csvCell } from '../files/csv.ts';
import { onClockOf } from '../lib/zone.ts';
import type { RecipientLeft } from '../operations/past.ts';
import type { Queries } from '../operations/queries.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { type Campaigns, type SkippedRow, uploadAt, uploadId } from '../operations/campaigns.ts';
import { Headings, type OwnCells } from './headings.ts';
import {
  COLUMNS,
  type Cursor,
  type RecipientPage,
  type RecipientRow,
  type RecipientsAsked,
  readCursor,
} from './recipient-row.ts';
import { packValues } from '../lib/packed-values.ts';
import { recipientStateOf, standingOf, unpackItems, whySkipped } from '../operations/slice-form.ts';
import type { SliceRecord, SlicesContract } from '../operations/slices.ts';
import type { Recipients } from '../ledger/recipients.ts';
import { storedPage } from './stored-recipients.ts';
import { countSegments } from '../lib/segments.ts';
import { wordingOf } from '../lib/wording.ts';
import type { Public } from '../lib/public.ts';

/** Slices looked into per call: a filter that matches nothing must not walk a million recipients at once. */
const SLICES_PER_PAGE = 10;

export async function recipientsPage(
  campaign: CampaignRecord,
  kept: Stored | (Omit<Kept, 'headings'> & { readonly recipients?: undefined }),
  asked: RecipientsAsked,
): Promise<RecipientPage> {
  if (kept.recipients !== undefined) return storedPage(campaign, kept.recipients, asked);
  const headings = new Headings(campaign.uploads, COLUMNS);
  // Nobody stands so by themselves: while a campaign is held, they are still queued.
  const found = asked.state === 'held' ? { items: [] } : await foundOn(campaign, { ...kept, headings }, asked);
  return { ...found, columns: headings.names };
}

interface Stored {
  readonly recipients: Pick<Recipients, 'page' | 'leftOut'>;
}

interface Kept {
  readonly campaigns: Public<Campaigns>;
  readonly slices: SlicesContract;
  /** Where those are that left Redis. */
  readonly queries: Pick<Queries, 'recipientsLeft'>;
  readonly headings: Headings;
}

type Found = Omit<RecipientPage, 'columns'>;

async function foundOn(
  campaign: CampaignRecord,
  kept: Kept,
  { state, isMeant = () => true, after, limit }: RecipientsAsked,
): Promise<Found> {
  const start = readCursor(after);
  const skipped = async (cursor: Cursor, most: number): Promise<Found> => {
    const page = await skippedPage(campaign, kept, cursor, most);
    return { ...page, items: page.items.filter(({ to }) => isMeant(to)) };
  };
  if (start.part === 's') return skipped(start, limit);
  const items: RecipientRow[] = [];
  let { index, offset } = start;
  const last = Math.min(campaign.slices, index + SLICES_PER_PAGE);
  for (; index < last; index += 1, offset = 0) {
    const rows = await rowsAt(campaign, index, kept);
    for (; offset < rows.length; offset += 1) {
      const row = rows[offset];
      if (!row || (state !== undefined && row.state !== state) || !isMeant(row.to)) continue;
      if (items.length === limit) return { items, next: `c.${index}.${offset}` };
      items.push(row);
    }
  }
  if (index < campaign.slices) return { items, next: `c.${index}.0` };
  if (state !== undefined && state !== 'skipped') return { items };
  const rest = await skipped({ part: 's', index: 0, offset: 0 }, limit - items.length);
  return { ...rest, items: [...items, ...rest.items] };
}

/** `headings` absent: what else their rows had is not asked for. */
export async function rowsAt(
  campaign: CampaignRecord,
  index: number,
  kept: Omit<Kept, 'headings'> & { readonly headings?: Headings },
): Promise<RecipientRow[]> {
  const { slice: id, upload } = uploadAt(campaign, index) ?? {};
  if (id === undefined || upload === undefined) return [];
  const { headings } = kept;
  const slice = await kept.slices.read(id);
  if (!slice) {
    const left = await kept.queries.recipientsLeft({ of: id, createdAt: campaign.createdAt });
    return left.map((one) => ({ ...rowLeft(one, { campaign, upload, headings }), chunk: id }));
  }
  if (headings === undefined) return rowsOf(slice, campaign, () => ({}));
  const lines = headings.hasMore(upload) ? await kept.campaigns.own(slice.id) : [];
  return rowsOf(slice, campaign, (place, values) => headings.cells(upload, lines[place] ?? '', values));
}

/** As history has them. */
function rowLeft(
  { to, row, state, code, reason, resent, sentAt, values, own }: RecipientLeft,
  { campaign, upload, headings }: RowOf,
): RecipientRow {
  return {
    to,
    row,
    state,
    segments: countSegments(wordingOf(campaign).textOf(values)).segments,
    ...(code ? { code } : {}),
    ...(reason ? { reason } : {}),
    ...(resent ? { resent } : {}),
    ...(sentAt ? { sentAt: new Date(sentAt).toISOString() } : {}),
    ...headings?.cells(upload, packValues(own), values),
  };
}

interface RowOf {
  readonly campaign: CampaignRecord;
  readonly upload: CampaignRecord['uploads'][number];
  readonly headings: Headings | undefined;
}

type OwnOf = (place: number, values: readonly string[]) => { readonly own?: OwnCells };

function rowsOf(slice: SliceRecord, campaign: CampaignRecord, ownOf: OwnOf): RecipientRow[] {
  const wording = wordingOf(campaign);
  const waiting = campaign.state === 'cancelled' ? 'cancelled' : 'queued';
  const { letters, codes, again, requests } = standingOf(slice.count, slice.requests);
  const sentAt = new Map(slice.requests.map(({ number, at }) => [number, new Date(at).toISOString()]));
  return unpackItems(slice).map(({ to, row, values }, place) => {
    const state = recipientStateOf[letters[place] ?? 'q'];
    const at = LEFT.has(state) ? sentAt.get(requests[place] ?? -1) : undefined;
    return {
      to,
      row,
      state: state === 'queued' ? waiting : state,
      chunk: slice.id,
      segments: countSegments(wording.textOf(values)).segments,
      ...(codes[place] ? { code: codes[place] } : {}),
      ...(state === 'skipped' ? { reason: whySkipped(to) } : {}),
      ...(again[place] ? { resent: again[place] } : {}),
      ...(at ? { sentAt: at } : {}),
      ...ownOf(place, values),
    };
  });
}

/** States of a recipient that was in a request that may have left. */
const LEFT: ReadonlySet<RecipientState> = new Set(['sending', 'sent', 'failed', 'unknown']);

async function skippedPage(
  campaign: CampaignRecord,
  { campaigns, queries, headings }: Kept,
  { index, offset }: Cursor,
  limit: number,
): Promise<Found> {
  const upload = campaign.uploads[index];
  if (!upload || limit <= 0) return { items: [], ...(upload ? { next: `s.${index}.${offset}` } : {}) };
  const near = await campaigns.skippedRows(campaign.id, upload.tag, offset, limit);
  const rows =
    near.length > 0 ? near : await skippedLeft(campaign, queries, { tag: upload.tag, from: offset, limit });
  const items = rows.map(
    ({ row, to, reason, own }): RecipientRow => ({
      to,
      row,
      state: 'skipped',
      reason,
      ...headings.cells(upload, own),
    }),
  );
  // Rows that are gone are passed over: a place that stays the same would be asked for without end.
  const over = rows.length === 0 || offset + rows.length >= upload.skipped;
  const next = over ? { index: index + 1, offset: 0 } : { index, offset: offset + rows.length };
  return { items, ...(next.index < campaign.uploads.length ? { next: `s.${next.index}.${next.offset}` } : {}) };
}

async function skippedLeft(
  { id, createdAt }: CampaignRecord,
  queries: Kept['queries'],
  { tag, ...range }: { readonly tag: string; readonly from: number; readonly limit: number },
): Promise<SkippedRow[]> {
  const left = await queries.recipientsLeft({ of: uploadId(id, tag), createdAt, ...range });
  return left.map(({ row, to, reason = '', own }) => ({ row, to, reason, own: packValues(own) }));
}

/** Safe to open in a spreadsheet; the byte order mark tells it that this is UTF-8. Times on the clock of `zone`. */
export function recipientsCsv(
  rows: readonly RecipientRow[],
  { zone = 'UTC', columns = [] }: { readonly zone?: string; readonly columns?: readonly string[] } = {},
): string {
  const lines = rows.map((row) => [
    ...COLUMNS.map((name) => csvCell(onClockOf(zone, row[name] ?? ''))),
    ...columns.map((name) => csvCell(row.own?.[name] ?? '')),
  ]);
  const head = [...COLUMNS, ...columns.map(csvCell)];
  return `\ufeff${[head, ...lines].map((line) => line.join(';')).join('\r\n')}\r\n`;
}

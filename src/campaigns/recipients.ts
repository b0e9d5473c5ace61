/** The recipients of a campaign from the ledger, then its skipped rows. */
import type { RecipientFound, Recipients } from '../ledger/recipients.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { csvCell } from '../files/csv.ts';
import { countSegments } from '../lib/segments.ts';
import { type Wording, wordingOf } from '../lib/wording.ts';
import { onClockOf } from '../lib/zone.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { Headings } from './headings.ts';
import {
  COLUMNS,
  type Cursor,
  type RecipientPage,
  type RecipientRow,
  type RecipientsAsked,
  readCursor,
} from './recipient-row.ts';

type Store = Pick<Recipients, 'page' | 'leftOut'>;
type Upload = CampaignRecord['uploads'][number];

export async function recipientsPage(
  campaign: CampaignRecord,
  store: Store,
  asked: RecipientsAsked,
): Promise<RecipientPage> {
  const headings = new Headings(campaign.uploads, COLUMNS);
  const found = await foundIn(campaign, { store, headings }, asked);
  return { ...found, columns: headings.names };
}

interface Kept {
  readonly store: Store;
  readonly headings: Headings;
}

type Found = Omit<RecipientPage, 'columns'>;

async function foundIn(campaign: CampaignRecord, kept: Kept, asked: RecipientsAsked): Promise<Found> {
  const { state, after, limit } = asked;
  const start = readCursor(after);
  if (start.part === 's') return leftOutPage(campaign, kept, { ...asked, start, limit });
  const states = statesOf(campaign, state);
  if (states?.length === 0) return { items: [] };
  const page = await kept.store.page(campaign.id, { from: start.index, limit, states, phones: asked.phones });
  const rowOf = rowsOf(campaign, kept.headings);
  const items = page.items.map(rowOf);
  if (page.next !== undefined) return { items, next: `c.${page.next}.0` };
  if (state !== undefined && state !== 'skipped') return { items };
  const first = { part: 's', index: 0, offset: 0 } as const;
  const rest = await leftOutPage(campaign, kept, { ...asked, start: first, limit: limit - items.length });
  return { ...rest, items: [...items, ...rest.items] };
}

/** The request statuses of a filter. Undefined: all. None: only a whole campaign can have the status. */
function statesOf(
  { state: ofCampaign }: CampaignRecord,
  state: RecipientsAsked['state'],
): readonly RecipientState[] | undefined {
  if (state === undefined) return undefined;
  if (state === 'held') return [];
  if (ofCampaign !== 'cancelled') return [state];
  if (state === 'queued') return [];
  return state === 'cancelled' ? ['cancelled', 'queued'] : [state];
}

function rowsOf(campaign: CampaignRecord, headings: Headings): (found: RecipientFound) => RecipientRow {
  const wording = wordingOf(campaign);
  const uploadOf = uploadsByNumber(campaign.uploads);
  return (found) => {
    const upload = uploadOf(found.n);
    return {
      ...recipientRow(found, campaign, wording),
      ...(upload && headings.cells(upload, found.own, found.values)),
    };
  };
}

/** A recipient without the other cells of its row. */
export function recipientRow(found: RecipientFound, campaign: CampaignRecord, wording: Wording): RecipientRow {
  const { to, row, values, code, resent, sentAt, erased } = found;
  const state = found.state === 'queued' && campaign.state === 'cancelled' ? 'cancelled' : found.state;
  return {
    to,
    row,
    state,
    segments: countSegments(wording.textOf(values)).segments,
    ...(code === undefined ? {} : { code }),
    ...(state === 'skipped' ? { reason: erased ? 'purged' : 'opted_out' } : {}),
    ...(resent === undefined ? {} : { resent }),
    ...(sentAt === undefined ? {} : { sentAt: sentAt.toISOString() }),
  };
}

/** Uploads number their recipients consecutively. */
function uploadsByNumber(uploads: readonly Upload[]): (n: number) => Upload | undefined {
  let end = 0;
  const ends = uploads.map((upload) => {
    end += upload.recipients;
    return { end, upload };
  });
  return (n) => ends.find((one) => n < one.end)?.upload;
}

interface LeftOutAsked extends RecipientsAsked {
  readonly start: Cursor;
}

async function leftOutPage(
  campaign: CampaignRecord,
  { store, headings }: Kept,
  { start: { index, offset }, limit, isMeant = () => true }: LeftOutAsked,
): Promise<Found> {
  const upload = campaign.uploads[index];
  if (upload === undefined) return { items: [] };
  if (limit <= 0) return { items: [], next: `s.${index}.${offset}` };
  const rows = await store.leftOut(campaign.id, upload.tag, offset, limit);
  const items = rows
    .filter(({ to }) => isMeant(to))
    .map(
      ({ row, to, reason, own }): RecipientRow => ({
        to,
        row,
        state: 'skipped',
        reason,
        ...headings.cells(upload, own),
      }),
    );
  const next = rows.length < limit ? { index: index + 1, offset: 0 } : { index, offset: offset + rows.length };
  return { items, ...(next.index < campaign.uploads.length ? { next: `s.${next.index}.${next.offset}` } : {}) };
}

/** Safe to open in a spreadsheet, with a byte order mark for UTF-8. Times in `zone`. */
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

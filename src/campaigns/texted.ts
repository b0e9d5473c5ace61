/**
 * Which campaigns were to text a number, and how that ended. No index knows the recipients of campaigns: one would cost
 * each of a million texts a command and some sixty bytes. Their own records are asked instead, the newest campaign
 * first, a bounded number of slices for each page.
 */
import type { CampaignRecord } from '../operations/record.ts';
import { UnreadableRecord } from '../operations/record.ts';
import { type Campaigns, uploadAt } from '../operations/campaigns.ts';
import type { Queries } from '../operations/queries.ts';
import type { SlicesContract } from '../operations/slices.ts';
import type { Recipients } from '../ledger/recipients.ts';
import { wordingOf } from '../lib/wording.ts';
import type { RecipientRow } from './recipient-row.ts';
import { rowsAt } from './recipients.ts';
import { phonePlaceOf, recipientRow } from './stored-recipients.ts';
import type { Public } from '../lib/public.ts';

/** Some two hundred thousand recipients: a few milliseconds of Redis. */
const SLICES_MOST = 200;
const CAMPAIGNS_MOST = 100;
const AT_ONCE = 20;
/** As many of the last digits as each country has: what stands before them is a way of writing. */
const DIGITS = 8;

interface TextedRow {
  readonly campaign: CampaignRecord;
  readonly recipient: RecipientRow;
}

export interface TextedAsked {
  readonly accounts: readonly string[] | undefined;
  /** The digits of the number, and whether one that is written down is the same. */
  readonly digits: string;
  readonly isMeant: (to: string) => boolean;
  /** The same in numbers (E.164), for a store that has an index of them. */
  readonly phones?: readonly string[] | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

interface Stored {
  readonly recipients: Pick<Recipients, 'ofPhones'>;
  readonly queries: Pick<Queries, 'read'>;
}

interface Kept {
  readonly recipients?: undefined;
  readonly queries: Pick<Queries, 'page' | 'read' | 'recipientsLeft'>;
  readonly campaigns: Public<Campaigns>;
  readonly slices: SlicesContract;
}

/** Filled while campaigns are read: history could not be asked, so those that left Redis are not looked through. */
interface Lack {
  incomplete?: true;
}

interface TextedPage extends Readonly<Lack> {
  readonly items: readonly TextedRow[];
  readonly next?: string;
}

/** The campaign that was come to, and its next slice. */
export const textedCursor = /^(\d{1,16})\.([\w-]{1,80})\.(\d{1,9})$/;

export async function textedPage(kept: Stored | Kept, asked: TextedAsked): Promise<TextedPage> {
  if (kept.recipients !== undefined) return storedTextedPage(kept, asked);
  const items: TextedRow[] = [];
  const lack: Lack = {};
  let [slices, campaigns] = [0, 0];
  for await (const { campaign, from } of campaignsFrom(kept, asked, lack)) {
    campaigns += 1;
    for (let index = from; index < campaign.slices; index += 1, slices += 1) {
      const isEnough = items.length >= asked.limit || slices >= SLICES_MOST || campaigns > CAMPAIGNS_MOST;
      if (isEnough) return { items, next: `${campaign.createdAt}.${campaign.id}.${index}`, ...lack };
      const found = await rowsIn(kept, campaign, { index, ...asked });
      items.push(...found.map((recipient) => ({ campaign, recipient })));
    }
    if (campaigns > CAMPAIGNS_MOST) {
      return { items, next: `${campaign.createdAt}.${campaign.id}.${campaign.slices}`, ...lack };
    }
  }
  return { items, ...lack };
}

async function storedTextedPage({ recipients, queries }: Stored, asked: TextedAsked): Promise<TextedPage> {
  const { accounts, limit, phones = [] } = asked;
  const after = phonePlaceOf(textedCursor.exec(asked.after ?? ''));
  const found = await recipients.ofPhones({ phones, accounts, after, limit: limit + 1 });
  const items: TextedRow[] = [];
  for (const one of found.slice(0, limit)) {
    const campaign = await queries.read('campaign', one.campaign);
    // Retention may have removed it since.
    if (campaign) items.push({ campaign, recipient: recipientRow(one, campaign, wordingOf(campaign)) });
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  return { items, ...(last && { next: `${last.createdAt.getTime()}.${last.campaign}.${last.n}` }) };
}

/** The newest first, from where the page before ended. */
async function* campaignsFrom({ queries }: Pick<Kept, 'queries'>, { accounts, after }: TextedAsked, lack: Lack) {
  const [, createdAt, id, index] = textedCursor.exec(after ?? '') ?? [];
  if (id !== undefined) {
    const begun = await queries.read('campaign', id);
    // A cursor comes from the caller, and may name anything.
    if (begun && (accounts === undefined || accounts.includes(begun.account)))
      yield { campaign: begun, from: Number(index) };
  }
  let next = id === undefined ? undefined : `${createdAt}.${id}`;
  do {
    const page = await queries.page('campaign', { accounts, after: next, limit: AT_ONCE });
    if (page.incomplete) lack.incomplete = true;
    for (const campaign of page.items) if (!(campaign instanceof UnreadableRecord)) yield { campaign, from: 0 };
    next = page.next;
  } while (next !== undefined);
}

async function rowsIn(
  { campaigns, slices, queries }: Kept,
  campaign: CampaignRecord,
  { index, digits, isMeant }: Pick<TextedAsked, 'digits' | 'isMeant'> & { readonly index: number },
): Promise<RecipientRow[]> {
  const id = uploadAt(campaign, index)?.slice;
  const slice = id === undefined ? undefined : await slices.read(id);
  // Most slices hold nobody of that number, and need not be taken apart.
  if (slice && !slice.items.includes(digits.slice(-DIGITS))) return [];
  return (await rowsAt(campaign, index, { campaigns, slices, queries })).filter(({ to }) => isMeant(to));
}

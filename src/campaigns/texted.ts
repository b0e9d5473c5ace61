/** Campaigns with an SMS to a number, and its result: newest campaign first. */
import type { CampaignRecord } from '../operations/record.ts';
import type { Queries } from '../ledger/queries.ts';
import type { PhonePlace, Recipients } from '../ledger/recipients.ts';
import { wordingOf } from '../lib/wording.ts';
import type { RecipientRow } from './recipient-row.ts';
import { recipientRow } from './recipients.ts';

interface TextedRow {
  readonly campaign: CampaignRecord;
  readonly recipient: RecipientRow;
}

export interface TextedAsked {
  readonly accounts: readonly string[] | undefined;
  /** E.164: all numbers of one person. */
  readonly phones: readonly string[];
  readonly after?: string | undefined;
  readonly limit: number;
}

interface Stores {
  readonly recipients: Pick<Recipients, 'ofPhones'>;
  readonly queries: Pick<Queries, 'readable'>;
}

interface TextedPage {
  readonly items: readonly TextedRow[];
  readonly next?: string;
}

/** `<created, ms>.<campaign>.<number>`: the end of a page. */
export const textedCursor = /^(\d{1,16})\.([\w-]{1,80})\.(\d{1,9})$/;

export async function textedPage(
  { recipients, queries }: Stores,
  { accounts, limit, phones, after }: TextedAsked,
): Promise<TextedPage> {
  const found = await recipients.ofPhones({ phones, accounts, after: placeOf(after), limit: limit + 1 });
  const shown = found.slice(0, limit);
  const ids = [...new Set(shown.map(({ campaign }) => campaign))];
  const campaigns = new Map((await queries.readable('campaign', ids)).map((one) => [one.id, one]));
  const items = shown.flatMap((one): TextedRow[] => {
    const campaign = campaigns.get(one.campaign);
    // Retention may have removed it since.
    return campaign ? [{ campaign, recipient: recipientRow(one, campaign, wordingOf(campaign)) }] : [];
  });
  const last = found.length > limit ? shown.at(-1) : undefined;
  return { items, ...(last && { next: `${last.createdAt.getTime()}.${last.campaign}.${last.n}` }) };
}

function placeOf(after: string | undefined): PhonePlace | undefined {
  const [, createdAt, campaign, n] = textedCursor.exec(after ?? '') ?? [];
  if (createdAt === undefined || campaign === undefined || n === undefined) return undefined;
  return { createdAt: new Date(Number(createdAt)), campaign, n: Number(n) };
}

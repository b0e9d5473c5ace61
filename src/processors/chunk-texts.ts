/** The recipients of a chunk as they are sent: rendered from the campaign's text, or as each message says. */
import { wordingOf } from '../lib/wording.ts';
import { type MessageItem, unpackCampaignItems, unpackMessageItems } from '../operations/chunk-items.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { ChunkRecord } from '../operations/text-records.ts';

export interface Recipient {
  readonly to: string;
  readonly text: string;
  readonly from?: string;
  /** The message it is, where it is not a recipient of a campaign. */
  readonly message?: MessageItem;
}

export function recipientsOf(chunk: ChunkRecord, campaign: CampaignRecord | undefined): Recipient[] {
  return campaign === undefined ? singles(chunk) : rendered(chunk, campaign);
}

function singles(chunk: ChunkRecord): Recipient[] {
  return unpackMessageItems(chunk.items).map((message) => ({
    to: message.to,
    text: message.text,
    ...(message.from ? { from: message.from } : {}),
    message,
  }));
}

function rendered(chunk: ChunkRecord, campaign: CampaignRecord): Recipient[] {
  const wording = wordingOf(campaign);
  return unpackCampaignItems(chunk.items).map(({ to, values }) => ({
    to,
    text: wording.textOf(values),
    ...(campaign.from ? { from: campaign.from } : {}),
  }));
}

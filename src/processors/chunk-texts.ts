/** The recipients of a chunk as they are sent: rendered from the campaign's text, or as each message says. */
import type { ChunkRecord } from '../operations/record.ts';
import { type Wording, type Words, wordingOf } from '../lib/wording.ts';
import { type MessageItem, unpackCampaignItems, unpackMessageItems } from '../operations/chunk-items.ts';
import { textMark } from '../operations/text-marks.ts';

export interface Recipient {
  readonly to: string;
  readonly text: string;
  readonly from?: string;
  /** What this text to this number is known by; see text-marks.ts. */
  readonly mark: string;
  /** The message it is, where it is not a recipient of a campaign. */
  readonly message?: MessageItem;
}

interface Campaign extends Words {
  readonly from?: string;
}

export function recipientsOf(chunk: ChunkRecord, campaign: Campaign | undefined): Recipient[] {
  return campaign === undefined ? singles(chunk) : rendered(chunk, campaign);
}

function singles(chunk: ChunkRecord): Recipient[] {
  return unpackMessageItems(chunk.items).map((message) => {
    const { to, text, from } = message;
    return { to, text, mark: textMark(to, text), ...(from ? { from } : {}), message };
  });
}

function rendered(chunk: ChunkRecord, campaign: Campaign): Recipient[] {
  const wording = readOnce(campaign);
  const sender = campaign.from ? { from: campaign.from } : {};
  return unpackCampaignItems(chunk.items).map(({ to, values }) => {
    const text = wording.textOf(values);
    return { to, text, mark: textMark(to, text), ...sender };
  });
}

/** So many campaigns run at a time at most, more or less; their thousands of chunks say the same. */
const REMEMBERED = 32;
const remembered = new Map<string, Wording>();

/** The wording, read when its text is first met. It depends on nothing else, so it never has to be read again. */
function readOnce({ text, replaceCostly = false }: Words): Wording {
  const name = `${replaceCostly ? 'cheaper' : 'as it is'} ${text}`;
  const known = remembered.get(name);
  if (known) return known;
  if (remembered.size >= REMEMBERED) remembered.clear();
  const wording = wordingOf({ text, replaceCostly });
  remembered.set(name, wording);
  return wording;
}

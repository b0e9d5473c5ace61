/** The recipients of a slice as they are sent to: rendered from the campaign's text, or as each message says. */
import { wordingOf } from '../../lib/wording.ts';
import { type MessageItem, messageIn, unpackItems } from '../../operations/slice-form.ts';
import type { SliceCampaign } from '../../operations/slice-campaign.ts';
import type { SliceRecord } from '../../operations/slices.ts';

interface Text {
  readonly to: string;
  readonly text: string;
  readonly from?: string | undefined;
  /** The message that it is, where it is not of a campaign. */
  readonly message?: MessageItem;
}

/** By position. */
export interface Texts {
  to(place: number): string;
  /** Made when it is asked for. */
  at(place: number): Text;
}

export function textsOf(record: SliceRecord, campaign: SliceCampaign | undefined): Texts {
  const items = unpackItems(record);
  const itemAt = (place: number): (typeof items)[number] => {
    const item = items[place];
    if (item === undefined) throw new Error(`nobody at ${place} of ${record.id}`);
    return item;
  };
  const to = (place: number): string => itemAt(place).to;
  if (campaign === undefined) return { to, at: (place) => single(messageIn(itemAt(place))) };
  const wording = wordingOf(campaign);
  const { from } = campaign;
  return { to, at: (place) => ({ to: to(place), text: wording.textOf(itemAt(place).values), from }) };
}

function single(message: MessageItem): Text {
  const { to, text, from } = message;
  return { to, text, from: from || undefined, message };
}

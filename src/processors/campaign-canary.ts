/**
 * The first recipients of a large campaign go alone, and the rest waits for what became of them. A wrong key, a sender
 * that was silently replaced (interface: Send SMS) or a text that nobody takes then costs one request and not a
 * thousand.
 */
import type { CampaignRecord } from '../operations/record.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { sliceAt } from '../operations/campaigns.ts';
import { readEvidence } from '../operations/transition.ts';
import { type SliceRecord, statesOf } from '../operations/slices.ts';
import type { ProcessorContext } from './context.ts';

/** A campaign with more recipients than this sends a canary unless it says otherwise. */
const ABOVE_RECIPIENTS = 1_000;

/** interface: SMS errors, insufficient balance. Whether a part of the request was sent before it ran out is not told. */
export const BALANCE_EMPTY = 'ERROR_102';

/** Field of a slice: the sender that came back, where it was not the one that was asked for. */
export const OTHER_SENDER = 'otherSender';

export type Canary =
  /** It was looked at, or there is none. */
  | { readonly is: 'over' }
  /** So many more slices of it may go; the rest waits. */
  | { readonly is: 'out'; readonly more: number }
  | { readonly is: 'bad'; readonly reason: 'canary_failed' | 'canary_in_doubt' | 'canary_sender' };

export async function judgeCanary(campaign: CampaignRecord, context: ProcessorContext): Promise<Canary> {
  if (campaign.canaryOver || !hasCanary(campaign)) return { is: 'over' };
  if (campaign.fed === 0) return { is: 'out', more: 1 };
  if (campaign.settled < campaign.fed) return { is: 'out', more: 0 };
  const slice = await context.slices.read(sliceAt(campaign, campaign.fed - 1) ?? '');
  return slice ? judge(slice) : { is: 'out', more: 1 };
}

/** The first slice is as large as the canary. */
function hasCanary({ canary, uploads }: CampaignRecord): boolean {
  const recipients = uploads.reduce((sum, upload) => sum + upload.recipients, 0);
  return (canary ?? (recipients > ABOVE_RECIPIENTS ? 1 : 0)) > 0;
}

/**
 * Nobody of those that were tried is known to have got it: bad. Nobody was tried, since all have opted out, or there
 * were no funds, which is a hold of its own and over by now: the next ones are the canary.
 */
function judge(slice: SliceRecord): Canary {
  if (slice.fields[OTHER_SENDER]) return { is: 'bad', reason: 'canary_sender' };
  const tried = triedIn(slice);
  if (tried.length === 0) return { is: 'out', more: 1 };
  if (tried.every((state) => state === 'failed')) return { is: 'bad', reason: 'canary_failed' };
  if (!tried.includes('sent')) return { is: 'bad', reason: 'canary_in_doubt' };
  return { is: 'over' };
}

function triedIn(slice: SliceRecord): readonly RecipientState[] {
  const states = statesOf(slice);
  if (states.includes('sent')) return ['sent'];
  if (readEvidence(slice.fields).lines.some(({ code }) => code === BALANCE_EMPTY)) return [];
  return states.filter((state) => state === 'failed' || state === 'unknown');
}

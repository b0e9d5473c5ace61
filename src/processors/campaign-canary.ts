/**
 * The first recipients of a large campaign go alone, and the rest waits for what became of them. A wrong key, a sender
 * that was silently replaced (interface: Send SMS) or a text that nobody takes then costs one request and not a
 * thousand.
 */
import type { CampaignRecord, Fields } from '../operations/record.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { chunkAt } from '../operations/campaigns.ts';
import { RECIPIENTS_PER_REQUEST } from '../operations/chunk-items.ts';
import { readEvidence } from '../operations/transition.ts';
import { SLICED, isSlice, statesOf } from '../operations/slices.ts';
import type { ProcessorContext } from './context.ts';
import { statesBefore } from './chunk-settle.ts';

/** A campaign with more recipients than this sends a canary unless it says otherwise. */
const ABOVE_RECIPIENTS = 1_000;

/** interface: SMS errors, insufficient balance. Whether a part of the chunk was sent before it ran out is not told. */
export const BALANCE_EMPTY = 'ERROR_102';

/** Field of a chunk: the sender that came back, where it was not the one that was asked for. */
export const OTHER_SENDER = 'otherSender';

export type Canary =
  /** It was looked at, or there is none. */
  | { readonly is: 'over' }
  /** So many more chunks of it may go; the rest waits. */
  | { readonly is: 'out'; readonly more: number }
  | { readonly is: 'bad'; readonly reason: 'canary_failed' | 'canary_in_doubt' | 'canary_sender' };

export async function judgeCanary(campaign: CampaignRecord, context: ProcessorContext): Promise<Canary> {
  const first = chunksOf(campaign);
  if (campaign.canaryOver || first === 0) return { is: 'over' };
  if (campaign.fed < first) return { is: 'out', more: first - campaign.fed };
  if (campaign.settled < campaign.fed) return { is: 'out', more: 0 };
  const ids = Array.from({ length: first }, (_, index) => chunkAt(campaign, campaign.fed - 1 - index));
  const known = await Promise.all(ids.flatMap((id) => (id ? [triedUnder(id, context)] : [])));
  return judge(known.filter((one) => one !== undefined));
}

function chunksOf({ canary, chunks, uploads }: CampaignRecord): number {
  const recipients = uploads.reduce((sum, upload) => sum + upload.recipients, 0);
  const asked = canary ?? (recipients > ABOVE_RECIPIENTS ? RECIPIENTS_PER_REQUEST : 0);
  // The first slice is as large as the canary.
  if (uploads.some(({ tag }) => tag.startsWith(SLICED))) return asked > 0 ? 1 : 0;
  return Math.min(chunks, Math.ceil(asked / RECIPIENTS_PER_REQUEST));
}

/**
 * Nobody of those that were tried is known to have got it: bad. Nobody was tried, since all have opted out, or there
 * were no funds, which is a hold of its own and over by now: the next ones are the canary.
 */
function judge(chunks: readonly Tried[]): Canary {
  if (chunks.some(({ fields }) => fields[OTHER_SENDER])) return { is: 'bad', reason: 'canary_sender' };
  const tried = chunks.flatMap((chunk) => triedIn(chunk));
  if (tried.length === 0) return { is: 'out', more: 1 };
  if (tried.every((state) => state === 'failed')) return { is: 'bad', reason: 'canary_failed' };
  if (!tried.includes('sent')) return { is: 'bad', reason: 'canary_in_doubt' };
  return { is: 'over' };
}

/** One that went first. */
interface Tried {
  readonly states: readonly RecipientState[];
  readonly fields: Fields;
}

async function triedUnder(id: string, { queries, slices }: ProcessorContext): Promise<Tried | undefined> {
  if (isSlice(id)) {
    const slice = await slices.read(id);
    return slice && { states: statesOf(slice), fields: slice.fields };
  }
  const chunk = await queries.read('chunk', id);
  return chunk && { states: statesBefore(chunk), fields: chunk.fields };
}

function triedIn(chunk: Tried): readonly RecipientState[] {
  const { states } = chunk;
  if (states.includes('sent')) return ['sent'];
  if (readEvidence(chunk.fields).lines.some(({ code }) => code === BALANCE_EMPTY)) return [];
  return states.filter((state) => state === 'failed' || state === 'unknown');
}

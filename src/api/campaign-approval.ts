/** A different person's decision about a campaign that waits for approval. */
import { contentHashOf, handsIn } from '../campaigns/content.ts';
import type { Act } from '../ledger/acts.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { ApiContext } from './context.ts';
import { personOf } from './keys.ts';
import { ApiProblem } from './problem.ts';
import type { AnyAsked } from './route.ts';
import { requireTrialNumbers } from './trial.ts';
import { message } from '../messages/message.ts';

interface Deciding extends Pick<AnyAsked, 'key'> {
  readonly record: CampaignRecord;
  readonly act: Act;
}

/** Approves exactly this content, as a different person. */
export async function approve(
  context: ApiContext,
  { record, key, act }: Deciding,
  contentHash: string,
): Promise<void> {
  const by = personOf(key);
  await requireOther(context, { record, key });
  const now = contentHashOf(record);
  if (contentHash !== now) {
    const detail = message('campaign_changed');
    throw new ApiProblem('wrong-state', detail, { rule: 'content-changed', contentHash: now });
  }
  if (record.approvedBy === by) return;
  await requireTrialNumbers(context, record.id);
  const approved = await context.campaigns.switch(record.id, 'approve', { by, approves: record.rev, act });
  if (approved.is === 'own') throw ownCampaign(by);
  if (approved.is === 'refused') {
    const { state } = approved;
    const why = state === 'awaiting_approval' ? message('changed_during_request') : message('no_approval_needed');
    throw new ApiProblem('wrong-state', message('state_forbids', { state, why }), { state });
  }
  if (approved.to === 'running') context.wake('campaign');
}

/** Cancels the campaign, with the person's reason. */
export async function reject(context: ApiContext, { record, key, act }: Deciding, note: string): Promise<void> {
  const by = personOf(key);
  await requireOther(context, { record, key });
  if (record.state === 'cancelled' && record.rejectedBy === by) return;
  const rejected = await context.campaigns.reject(record.id, { by, note, act });
  if (rejected.is === 'own') throw ownCampaign(by);
  if (rejected.is === 'refused') {
    const { state } = rejected;
    throw new ApiProblem('wrong-state', message('state_forbids', { state, why: message('no_approval_waits') }), {
      state,
    });
  }
  await context.keptFiles.forget(record.id);
}

/** Two keys of one person count as one. */
async function requireOther(
  { keyRing }: ApiContext,
  { record, key }: Pick<Deciding, 'record' | 'key'>,
): Promise<void> {
  const ones = await keyRing.onesWith(key);
  if (handsIn(record).some((hand) => ones.includes(hand.toLowerCase()))) throw ownCampaign(personOf(key));
}

function ownCampaign(by: string): ApiProblem {
  const detail = message('prepared_by', { by });
  return new ApiProblem('forbidden', detail, { rule: 'other-person' });
}

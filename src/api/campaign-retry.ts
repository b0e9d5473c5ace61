import { z } from 'zod';
import { fingerprint } from '../lib/ids.ts';
import type { Act } from '../ledger/acts.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { ApiContext } from './context.ts';
import { ApiProblem } from './problem.ts';
import { requireTrialNumbers } from './trial.ts';
import { message } from '../messages/message.ts';

/** POST /v1/campaigns/{id}/retry */
export const campaignRetry = z
  .strictObject({
    includeUnknown: z
      .boolean()
      .default(false)
      .meta({ description: 'Those who are `unknown` too. They may have got it, and then get it twice.' }),
  })
  .meta({ id: 'CampaignRetry' });

/**
 * Resumes a finished campaign for its failed recipients. A repeated request during the retry changes nothing; with
 * the same Idempotency-Key it never does. True: repeated.
 */
export async function retryCampaign(
  context: ApiContext,
  campaign: CampaignRecord,
  {
    includeUnknown,
    idempotencyKey,
    act,
  }: { readonly includeUnknown: boolean; readonly idempotencyKey: string | undefined; readonly act: Act },
): Promise<boolean> {
  await requireTrialNumbers(context, campaign.id);
  const retried = await context.campaigns.retry(campaign.id, {
    includeUnknown,
    act,
    key: idempotencyKey === undefined ? undefined : fingerprint(idempotencyKey),
  });
  if (retried.is === 'applied') {
    context.wake('campaign');
    return false;
  }
  if (retried.is === 'replayed' || retried.is === 'under way') return true;
  if (retried.is === 'unapproved') {
    const detail = message('retry_unapproved');
    throw new ApiProblem('wrong-state', detail, { rule: 'other-person', state: campaign.state });
  }
  const why =
    retried.is === 'nobody'
      ? message(includeUnknown ? 'no_failed_or_unknown_recipient' : 'no_failed_recipient')
      : message('campaign_not_finished', { state: retried.state });
  throw new ApiProblem('wrong-state', why, { state: campaign.state });
}

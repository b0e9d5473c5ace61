import type { Request, Response } from 'express';
import { z } from 'zod';
import { fingerprint } from '../lib/ids.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { problemsOf } from '../producer/problems.ts';
import { type ApiContext, idempotencyKey, requireNoRecovery, requireOpen } from './context.ts';
import { ApiProblem, invalid } from './problem.ts';

/** POST /v1/campaigns/{id}/retry */
export const campaignRetry = z
  .strictObject({
    includeUnknown: z
      .boolean('must be true or false')
      .default(false)
      .meta({ description: 'Those who are `unknown` too. They may have got it, and then get it twice.' }),
  })
  .meta({ id: 'CampaignRetry' });

/**
 * Lets a finished campaign go on for those who failed. Asking for the same again while it does changes nothing; asking
 * again under the same Idempotency-Key never does. True: it was asked for before.
 */
export async function retryCampaign(
  context: ApiContext,
  campaign: CampaignRecord,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<boolean> {
  requireOpen(context, response);
  await requireNoRecovery(context, response);
  const parsed = campaignRetry.safeParse(request.body ?? {});
  if (!parsed.success) throw invalid(problemsOf(parsed.error));
  const key = idempotencyKey(request);
  const { includeUnknown } = parsed.data;
  const retried = await context.retries.start(campaign.id, {
    includeUnknown,
    key: key === undefined ? undefined : fingerprint(key),
  });
  if (retried.is === 'applied') {
    context.wake('campaign', campaign.id, retried.rev);
    return false;
  }
  if (retried.is === 'replayed' || retried.is === 'under way') return true;
  const why =
    retried.is === 'nobody'
      ? `Nobody ${includeUnknown ? 'failed or is unknown' : 'failed'}, so there is nothing to retry.`
      : `It is ${retried.state}: only a finished campaign is retried.`;
  throw new ApiProblem('wrong-state', why, { state: campaign.state });
}

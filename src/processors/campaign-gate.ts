/** What a campaign has to say about one of its chunks at the moment it is sent. */
import { PACE_AHEAD_MS, PACE_LOOK_MS } from '../operations/campaign-pace.ts';
import type { SentItem } from '../upstream/messaging/messaging.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { OTHER_SENDER } from './campaign-canary.ts';
import { quietNow } from './campaign-stand.ts';
import { type SendAttempt, leaveQueued, sentTo } from './chunk-attempt.ts';

/**
 * Keeps the chunk back where the pace says so. In the quiet hours the whole campaign is held, and the script that
 * writes the intent finds it so: what was handed out in the evening is not sent at night.
 */
export async function keptByCampaign(
  attempt: SendAttempt,
  context: ProcessorContext,
): Promise<AttemptResult | undefined> {
  const { campaign, at } = attempt;
  if (campaign === undefined || campaign.state !== 'running') return undefined;
  const until = quietNow({ campaign, at }, context.policy);
  if (until !== undefined) {
    await context.campaigns.switch(campaign.id, 'hold', { reason: 'quiet_hours', againInMs: until - at });
    return undefined;
  }
  const waitMs = campaign.perSecond === undefined ? 0 : campaign.paceAt - at - PACE_AHEAD_MS;
  return waitMs > 0 ? waitForPace(attempt, waitMs, context) : undefined;
}

export function waitForPace(attempt: SendAttempt, waitMs: number, context: ProcessorContext): Promise<AttemptResult> {
  return leaveQueued(attempt, context, { dueInMs: Math.min(waitMs, PACE_LOOK_MS), because: 'pace' });
}

/**
 * A sender that upstream replaced without a word (interface: Send SMS) is kept with the chunk, for whoever looks at the
 * canary. A campaign that insists on its sender is held at once.
 */
export async function noteSender(
  attempt: SendAttempt,
  items: readonly SentItem[],
  context: ProcessorContext,
): Promise<Record<string, string>> {
  const { campaign, account } = attempt;
  if (campaign === undefined) return {};
  const recipients = sentTo(attempt);
  const replaced = items.find(({ index, sender }) => {
    const asked = recipients[index]?.from ?? account.smsSender;
    return sender !== undefined && asked !== undefined && !isSame(sender, asked);
  });
  if (replaced?.sender === undefined) return {};
  if (campaign.requireSender) await context.campaigns.switch(campaign.id, 'hold', { reason: 'sender_replaced' });
  return { [OTHER_SENDER]: replaced.sender };
}

function isSame(sender: string, asked: string): boolean {
  return sender === asked || sender.trim().toLowerCase() === asked.trim().toLowerCase();
}

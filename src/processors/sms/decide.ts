/** Reasons to hold or stop a campaign in a step: quiet hours, its account, its failures, its canary. */
import { quietNow } from '../../kinds/campaign-hours.ts';
import type { CampaignHold } from '../../kinds/campaign-switches.ts';
import type { Decision } from '../../ledger/sms-requests.ts';
import type { CampaignContent, NextCampaign } from '../../ledger/sms-rows.ts';
import { SMS_BALANCE_EMPTY } from '../../provider/meaning.ts';
import type { SmsContext } from './context.ts';

/** The stop rule applies after `of` finished recipients; its window restarts after `anewAfter`. */
const STOP = { of: 200, anewAfter: 1_000, percent: 50 } as const;

/** How much a campaign's account can take. */
export interface AccountRoom {
  readonly room: number;
  /** One request of one campaign, as a trial of a hold. */
  readonly isTrial?: boolean | undefined;
  /** Why its campaigns are held. */
  readonly unpaid?: 'funds' | 'budget' | undefined;
}

export function decide(
  campaign: NextCampaign,
  content: CampaignContent,
  { room, unpaid }: AccountRoom,
  policy: SmsContext['policy'],
): Decision {
  const stays = { room: 0, alone: false } as const;
  const at = campaign.at.getTime();
  const until = quietNow({ campaign: hoursOf(content), at }, policy);
  if (until !== undefined) return { ...stays, hold: { reason: 'quiet_hours', againInMs: until - at } };
  if (unpaid !== undefined) return { ...stays, hold: { reason: unpaid, againInMs: policy.holdRecheckMs } };
  if (content.options['requireSender'] === 1 && campaign.other_sender !== null)
    return { ...stays, hold: { reason: 'sender_replaced' } };
  const { stop, judged } = judgeOutcome(countsOf(campaign), failureLimitOf(content));
  if (stop === 'in_doubt') return { ...stays, judged, hold: { reason: stop, againInMs: policy.holdRecheckMs } };
  if (stop !== undefined) return { ...stays, judged, hold: { reason: stop } };
  return { ...judgeCanary(campaign, room), judged };
}

function hoursOf({ options }: Pick<CampaignContent, 'options'>): { quietHours?: string; timezone?: string } {
  const { quietHours, timezone } = options;
  return {
    ...(quietHours === undefined ? {} : { quietHours: String(quietHours) }),
    ...(timezone === undefined ? {} : { timezone: String(timezone) }),
  };
}

function failureLimitOf({ options }: CampaignContent): number {
  const { pauseOnFailure } = options;
  return typeof pauseOnFailure === 'number' ? pauseOnFailure : STOP.percent;
}

export interface OutcomeCounts {
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  /** The counts at the last judgement. */
  readonly before: { readonly over: number; readonly failed: number; readonly unknown: number };
}

function countsOf(campaign: NextCampaign): OutcomeCounts {
  const { sent, failed, unknown, judged_over: over, judged_failed, judged_unknown } = campaign;
  return { sent, failed, unknown, before: { over, failed: judged_failed, unknown: judged_unknown } };
}

/** Whether too many recent recipients failed or are in doubt. `limit`: percent; 0: never. */
export function judgeOutcome(
  { sent, failed, unknown, before: stored }: OutcomeCounts,
  limit: number,
): { readonly stop?: 'failures' | 'in_doubt'; readonly judged?: OutcomeCounts['before'] } {
  const now = { over: sent + failed + unknown, failed, unknown };
  // A recipient that was found since is no longer in doubt. It must not hide a new recipient in doubt.
  const before = { ...stored, unknown: Math.min(stored.unknown, unknown) };
  const last = {
    over: now.over - before.over,
    failed: failed - before.failed,
    unknown: unknown - before.unknown,
  };
  if (last.over < 0 || last.failed < 0) return { judged: now };
  if (last.over < STOP.of) return before.unknown === stored.unknown ? {} : { judged: before };
  const most = limit * last.over;
  if (most > 0 && last.failed * 100 >= most) return { stop: 'failures', judged: now };
  if (most > 0 && (last.failed + last.unknown) * 100 >= most) return { stop: 'in_doubt' };
  return last.over < STOP.anewAfter ? {} : { judged: now };
}

/**
 * The first recipients of a large campaign are sent alone, and the rest waits for their result. A wrong key, a
 * replaced sender ID or a refused text then costs one request instead of a thousand.
 */
function judgeCanary(campaign: NextCampaign, room: number): Decision {
  const { canary, canary_over: isOver, canary_open: open, canary_letters: letters, other_sender: other } = campaign;
  if (isOver || canary === 0) return { room, alone: false };
  if (Number(open ?? 0) > 0) return { room, alone: true };
  const bad = (reason: CampaignHold): Decision => ({ room: 0, alone: true, hold: { reason } });
  if (other !== null) return bad('canary_sender');
  const states = letters ?? '';
  if (states.includes('s')) return { room, alone: false, canaryOver: true };
  // No recipient was tried if all have opted out or the funds were insufficient: the next request is the canary.
  const wasTried = /[fu]/.test(states) && !(campaign.canary_codes ?? '').includes(SMS_BALANCE_EMPTY);
  if (!wasTried) return { room, alone: true, canary: canary + 1 };
  return bad(states.includes('u') ? 'canary_in_doubt' : 'canary_failed');
}

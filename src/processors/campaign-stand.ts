/** What stands in the way of a campaign at a moment: the night, or that nothing good comes back. */
import { quietUntil, readQuietHours } from '../lib/quiet-hours.ts';
import type { Judged } from '../operations/campaigns.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { Policy } from './context.ts';

export interface Standing<C = CampaignRecord> {
  readonly campaign: C;
  /** The clock of Redis, ms since the epoch. */
  readonly at: number;
}

/** When the quiet hours that hold now are over, ms since the epoch; undefined where it may be sent. */
export function quietNow(
  { campaign: { quietHours, timezone }, at }: Standing<Pick<CampaignRecord, 'quietHours' | 'timezone'>>,
  policy: Pick<Policy, 'quietHours' | 'timezone'>,
): number | undefined {
  if (quietHours === undefined) return undefined;
  const hours = quietHours === 'on' ? policy.quietHours : readQuietHours(quietHours);
  return quietUntil(hours, timezone ?? policy.timezone, at);
}

/** Judged again each time so many more are over; a campaign stops at this percentage of them. */
const STOP = { of: 200, percent: 50 } as const;

/**
 * Whether too many of the last recipients failed, or are in doubt. The sender would rather be asked than end with
 * thousands of recipients in doubt. `judged` is what the next judgement counts from, where that changes.
 */
export function judgeOutcome({ totals, judgedOver, judgedFailed, judgedUnknown, pauseOnFailure }: CampaignRecord): {
  readonly stop?: 'failures' | 'in_doubt';
  readonly judged?: Judged;
} {
  const { sent, failed, unknown } = totals;
  const now = { over: sent + failed + unknown, failed, unknown };
  // A recipient that was found since is in doubt no longer: it must not hide one that came into doubt.
  const before = { over: judgedOver, failed: judgedFailed, unknown: Math.min(judgedUnknown ?? unknown, unknown) };
  const last = { over: now.over - before.over, failed: failed - before.failed, unknown: unknown - before.unknown };
  // A recipient that is sent to again is no longer over, so the count begins anew.
  if (last.over < 0 || last.failed < 0) return { judged: now };
  if (last.over < STOP.of) return before.unknown === judgedUnknown ? {} : { judged: before };
  const most = (pauseOnFailure ?? STOP.percent) * last.over;
  if (most > 0 && last.failed * 100 >= most) return { stop: 'failures', judged: now };
  if (most > 0 && (last.failed + last.unknown) * 100 >= most) return { stop: 'in_doubt', judged: now };
  return { judged: now };
}

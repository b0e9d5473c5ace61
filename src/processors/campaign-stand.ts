/** What stands in the way of a campaign at a moment: the night, or that nothing good comes back. */
import { quietUntil, readQuietHours } from '../lib/quiet-hours.ts';
import type { Judged } from '../operations/campaigns.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { Policy } from './bench.ts';

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

/** Judged again each time so many more are over; a campaign stops at this percentage of failures among them. */
const FAILURES = { of: 200, percent: 50 } as const;

/**
 * Whether too many of the last recipients failed. `judged` is what the next judgement counts from. Those in doubt are
 * over for this purpose and not failed: nobody knows that nothing went out.
 */
export function judgeFailures({ totals, judgedOver, judgedFailed, pauseOnFailure }: CampaignRecord): {
  readonly stop: boolean;
  readonly judged: Judged;
} {
  const now = { over: totals.sent + totals.failed + totals.unknown, failed: totals.failed };
  const before = { over: judgedOver, failed: judgedFailed };
  const [over, failed] = [now.over - before.over, now.failed - before.failed];
  // Who goes out again is no longer over, so the count begins anew.
  if (over < 0 || failed < 0) return { stop: false, judged: now };
  if (over < FAILURES.of) return { stop: false, judged: before };
  const percent = pauseOnFailure ?? FAILURES.percent;
  return { stop: percent > 0 && failed * 100 >= percent * over, judged: now };
}

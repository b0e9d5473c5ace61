/** The quiet hours of a campaign, and their display. */
import { type QuietHours, clockIn, hoursWritten, quietUntil, readQuietHours } from '../lib/quiet-hours.ts';

/** The settings of the deployment. */
export interface UsualHours {
  /** Absent: no quiet hours. */
  readonly quietHours?: QuietHours | undefined;
  readonly timezone: string;
}

/** The campaign's own setting; `on`: those of the settings. */
interface HoursOf {
  readonly quietHours?: string;
  readonly timezone?: string;
}

/** Undefined: no quiet hours. */
export function hoursOf(
  { quietHours }: Pick<HoursOf, 'quietHours'>,
  usual: Pick<UsualHours, 'quietHours'>,
): QuietHours | undefined {
  if (quietHours === undefined) return undefined;
  return quietHours === 'on' ? usual.quietHours : readQuietHours(quietHours);
}

/** The end of the quiet hours that apply at `at`; undefined: the campaign can send. */
export function quietNow({ campaign, at }: { readonly campaign: HoursOf; readonly at: number }, usual: UsualHours) {
  const hours = hoursOf(campaign, usual);
  return hours && quietUntil(hours, campaign.timezone ?? usual.timezone, at);
}

/** For display: the hours, the recipients' time zone, and whether it is night there. */
export function quietView(campaign: HoursOf & { readonly sendAt?: number }, usual: UsualHours, now: number) {
  const zone = campaign.timezone ?? usual.timezone;
  const hours = hoursOf(campaign, usual);
  // At night users are informed even if the campaign has no quiet hours.
  const night = hours ?? usual.quietHours;
  const isLater = (campaign.sendAt ?? 0) > now;
  const until = night === undefined || isLater ? undefined : quietUntil(night, zone, now);
  return {
    hours: hours === undefined ? null : hoursWritten(hours),
    usual: usual.quietHours === undefined ? null : hoursWritten(usual.quietHours),
    timezone: zone,
    clock: clockIn(zone, now),
    night: until === undefined ? null : { until: new Date(until).toISOString(), clock: clockIn(zone, until) },
  };
}

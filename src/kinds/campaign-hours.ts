/** The hours in which a campaign sends nothing, and how they are shown. */
import { type QuietHours, clockIn, hoursWritten, quietUntil, readQuietHours } from '../lib/quiet-hours.ts';

/** The settings of the deployment. */
export interface UsualHours {
  /** Absent: campaigns send at any hour. */
  readonly quietHours?: QuietHours | undefined;
  readonly timezone: string;
}

/** As a campaign has them; `on`: those of the settings. */
interface HoursOf {
  readonly quietHours?: string;
  readonly timezone?: string;
}

/** Undefined: the campaign sends at any hour. */
export function hoursOf(
  { quietHours }: Pick<HoursOf, 'quietHours'>,
  usual: Pick<UsualHours, 'quietHours'>,
): QuietHours | undefined {
  if (quietHours === undefined) return undefined;
  return quietHours === 'on' ? usual.quietHours : readQuietHours(quietHours);
}

/** When the quiet hours of a campaign that hold at `at` end; undefined when it can send. */
export function quietNow({ campaign, at }: { readonly campaign: HoursOf; readonly at: number }, usual: UsualHours) {
  const hours = hoursOf(campaign, usual);
  return hours && quietUntil(hours, campaign.timezone ?? usual.timezone, at);
}

/** For people: the hours by name, the clock of the recipients, and whether it is night there. */
export function quietView(campaign: HoursOf & { readonly sendAt?: number }, usual: UsualHours, now: number) {
  const zone = campaign.timezone ?? usual.timezone;
  const hours = hoursOf(campaign, usual);
  // At night people want to know of it when the campaign has no quiet hours, too.
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

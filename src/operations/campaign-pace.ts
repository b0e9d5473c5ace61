/** What a campaign says about when and how fast it is sent, as its record keeps it. */
import type { Amendment, Pace } from '../kinds/campaign-request.ts';

/** How far ahead of its pace a campaign may be: requests come in whole fifties, and the sweeper once in a while. */
export const PACE_AHEAD_MS = 1_000;

type PaceFields = Readonly<Record<string, string | number>>;

const CANARY = 50;

/** The fields of the record; '' takes one away, what is not said is left out. */
export function paceToRecord({
  quietHours,
  timezone,
  pauseOnFailure,
  perSecond: limit,
}: Pace | Amendment): PaceFields {
  return {
    ...(quietHours === undefined ? {} : { quietHours: writtenHours(quietHours) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(pauseOnFailure === undefined ? {} : { pauseOnFailure: pauseOnFailure === false ? 0 : pauseOnFailure }),
    ...(limit === undefined ? {} : { perSecond: limit ?? '' }),
  };
}

/** As above, with what is said once, when the campaign is made. */
export function wholePaceToRecord(request: Pace): PaceFields {
  const { sendAt, canary, requireSender } = request;
  const first = typeof canary === 'boolean' ? (canary ? CANARY : 0) : canary;
  return {
    ...paceToRecord(request),
    ...(sendAt === undefined ? {} : { sendAt: Date.parse(sendAt) }),
    ...(first === undefined ? {} : { canary: first }),
    ...(requireSender ? { requireSender: 1 } : {}),
  };
}

function writtenHours(quietHours: boolean | string): string {
  if (typeof quietHours === 'string') return quietHours;
  return quietHours ? 'on' : '';
}

/** How a campaign changes: its states by name, and the fields that a request or an amendment sets. */
import type { Amendment, Pace } from './campaign-request.ts';
import type { StateOf } from './index.ts';

/**
 * Each switch: where it leads, from which states, and what is announced. What leads to `running` leads to
 * `awaiting_approval` where it is above what leaves on the word of one key, and to `scheduled` before its time. `begin` and `release` are done by time, or by
 * a condition that has cleared, and `giveUp` in a recovery; the others by somebody.
 */
export const campaignSwitches = {
  start: { to: 'running', from: ['ready'] },
  approve: { to: 'running', from: ['awaiting_approval'] },
  begin: { to: 'running', from: ['scheduled'] },
  pause: { to: 'paused', from: ['scheduled', 'running', 'held'], event: 'campaign.paused' },
  resume: { to: 'running', from: ['paused', 'held'] },
  hold: { to: 'held', from: ['running'], event: 'campaign.held' },
  release: { to: 'running', from: ['held'] },
  cancel: {
    to: 'cancelled',
    from: ['draft', 'ready', 'awaiting_approval', 'scheduled', 'running', 'paused', 'held'],
    event: 'campaign.cancelled',
  },
  giveUp: { to: 'cancelled', from: ['draft'], event: 'campaign.cancelled' },
} as const satisfies Record<
  string,
  { to: StateOf<'campaign'>; from: readonly StateOf<'campaign'>[]; event?: string }
>;

export type CampaignSwitch = keyof typeof campaignSwitches;

/** Why a campaign is held. */
export type CampaignHold =
  | 'quiet_hours'
  | 'funds'
  | 'budget'
  | 'failures'
  | 'in_doubt'
  | 'canary_failed'
  | 'canary_in_doubt'
  | 'canary_sender'
  | 'sender_replaced';

/** Begins the fields of a record that say whose hand was in it: none of them may approve it. */
export const HAND = 'hand:';

/** Fields that belong to what is approved and could be changed afterwards. */
export const APPROVED_WITH = ['quietHours', 'timezone'] as const;

type PaceFields = Readonly<Record<string, string | number>>;

const CANARY = 50;

/** The fields of the record; '' takes one away, what is not said is left out. */
function paceToRecord({ quietHours, timezone, pauseOnFailure, perSecond: limit }: Pace | Amendment): PaceFields {
  return {
    ...(quietHours === undefined ? {} : { quietHours: writtenHours(quietHours) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(pauseOnFailure === undefined ? {} : { pauseOnFailure: pauseOnFailure === false ? 0 : pauseOnFailure }),
    ...(limit === undefined ? {} : { perSecond: limit ?? '' }),
  };
}

/** What is said of it while it has no recipients: the text is what their values are taken for. */
export const DRAFTED = ['name', 'text', 'from', 'country', 'replaceCostly', 'sendAt'] as const;

/** All that may be changed, as the record keeps it. */
export function amendmentToRecord(amendment: Amendment): PaceFields {
  const { name, text, from, country, replaceCostly, sendAt } = amendment;
  return {
    ...paceToRecord(amendment),
    ...(name === undefined ? {} : { name }),
    ...(text === undefined ? {} : { text }),
    ...(from === undefined ? {} : { from: from ?? '' }),
    ...(country === undefined ? {} : { country: country ?? '' }),
    ...(replaceCostly === undefined ? {} : { replaceCostly: replaceCostly ? 1 : '' }),
    ...(sendAt === undefined ? {} : { sendAt: sendAt === null ? '' : Date.parse(sendAt) }),
  };
}

/** As above, with what is said once, when the campaign is made. */
export function wholePaceToRecord(request: Pace): PaceFields {
  const { sendAt, canary, requireSender, quietHours = true } = request;
  const first = typeof canary === 'boolean' ? (canary ? CANARY : 0) : canary;
  return {
    ...paceToRecord({ ...request, quietHours }),
    ...(sendAt === undefined ? {} : { sendAt: Date.parse(sendAt) }),
    ...(first === undefined ? {} : { canary: first }),
    ...(requireSender ? { requireSender: 1 } : {}),
  };
}

function writtenHours(quietHours: boolean | string): string {
  if (quietHours === 'off') return '';
  if (typeof quietHours === 'string') return quietHours;
  return quietHours ? 'on' : '';
}

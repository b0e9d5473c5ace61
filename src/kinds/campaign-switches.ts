/** State changes of a campaign by name, and the fields of a request or an amendment. */
import type { Amendment, Pace } from './campaign-request.ts';
import type { StateOf } from './index.ts';

/**
 * Each switch: its target state, its source states, and its event. A switch to `running` leads to `awaiting_approval`
 * above the limit of one key, and to `scheduled` before its time. Schedules and cleared conditions use `begin` and
 * `release`, a recovery uses `giveUp`; users use the others.
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

/** Prefix of the record fields that name users who changed the campaign: they cannot approve it. */
export const HAND = 'hand:';

/** Approved fields that could be changed afterwards. */
export const APPROVED_WITH = ['quietHours', 'timezone'] as const;

type PaceFields = Readonly<Record<string, string | number>>;

const CANARY = 50;

/** The fields of the record; '' removes one, and absent values are omitted. */
function paceToRecord({ quietHours, timezone, pauseOnFailure, perSecond: limit }: Pace | Amendment): PaceFields {
  return {
    ...(quietHours === undefined ? {} : { quietHours: writtenHours(quietHours) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(pauseOnFailure === undefined ? {} : { pauseOnFailure: pauseOnFailure === false ? 0 : pauseOnFailure }),
    ...(limit === undefined ? {} : { perSecond: limit ?? '' }),
  };
}

/** Fields that can change only before there are recipients: the text determines how their values are read. */
export const DRAFTED = ['name', 'text', 'from', 'country', 'replaceCostly', 'sendAt'] as const;

/** All amendable fields, as stored in the record. */
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

/** Includes the fields that are set only at creation. */
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

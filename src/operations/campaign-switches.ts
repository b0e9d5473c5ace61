/** How a campaign gets from one state to another, and what it may be held for. */
import type { StateOf } from '../kinds/index.ts';

/**
 * Each switch: where it leads, from which states, and what is announced. `begin` and `release` are done by time, or by
 * a condition that has cleared; the others by somebody.
 */
export const campaignSwitches = {
  start: { to: 'running', from: ['ready'] },
  begin: { to: 'running', from: ['scheduled'] },
  pause: { to: 'paused', from: ['scheduled', 'running', 'held'], event: 'campaign.paused' },
  resume: { to: 'running', from: ['paused', 'held'] },
  hold: { to: 'held', from: ['running'], event: 'campaign.held' },
  release: { to: 'running', from: ['held'] },
  cancel: {
    to: 'cancelled',
    from: ['draft', 'ready', 'scheduled', 'running', 'paused', 'held'],
    event: 'campaign.cancelled',
  },
} as const satisfies Record<
  string,
  { to: StateOf<'campaign'>; from: readonly StateOf<'campaign'>[]; event?: string }
>;

/** Why a campaign is held. */
type CampaignHold =
  | 'quiet_hours'
  | 'funds'
  | 'failures'
  | 'in_doubt'
  | 'canary_failed'
  | 'canary_in_doubt'
  | 'canary_sender'
  | 'sender_replaced';

export interface SwitchDetails {
  /** Why it is held. */
  readonly reason?: CampaignHold;
  /** Only if it is held for this reason. */
  readonly only?: CampaignHold;
  /** When to look whether the condition has cleared, ms from now; absent: somebody must say so. */
  readonly againInMs?: number;
}

export type CampaignSwitch = keyof typeof campaignSwitches;

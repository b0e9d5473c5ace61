/** The few fields of a campaign that its slices ask for. */
import type { StateOf } from '../kinds/index.ts';
import { type CampaignRecord, UnreadableRecord } from './record.ts';

export type SliceCampaign = Pick<
  CampaignRecord,
  | 'id'
  | 'state'
  | 'text'
  | 'from'
  | 'replaceCostly'
  | 'quietHours'
  | 'timezone'
  | 'requireSender'
  | 'extra'
  | 'slices'
  | 'onUnknown'
  | 'createdAt'
>;

/** In the order in which they are asked for, and read. */
export const SLICE_CAMPAIGN_FIELDS = [
  'state',
  'text',
  'from',
  'replaceCostly',
  'quietHours',
  'timezone',
  'requireSender',
  'extra',
  'slices',
  'onUnknown',
  'createdAt',
] as const satisfies readonly (keyof SliceCampaign)[];

/** Throws an UnreadableRecord when there is no such campaign: a slice without one would be sent to nobody's text. */
export function campaignOfFields(id: string, values: readonly (string | null)[]): SliceCampaign {
  const [state, text, from, replaceCostly, quietHours, timezone, requireSender, extra, slices, ...more] = values;
  const [onUnknown, createdAt] = more;
  if (!state || typeof text !== 'string') throw new UnreadableRecord(id, undefined, 'a slice belongs to it');
  return {
    id,
    state: state as StateOf<'campaign'>,
    text,
    ...(from ? { from } : {}),
    replaceCostly: replaceCostly === '1',
    ...(quietHours ? { quietHours } : {}),
    ...(timezone ? { timezone } : {}),
    requireSender: requireSender === '1',
    extra: Number(extra ?? 0),
    slices: Number(slices ?? 0),
    ...(onUnknown === 'hold' || onUnknown === 'resend' ? { onUnknown } : {}),
    createdAt: Number(createdAt ?? 0),
  };
}

/** The few fields of a campaign that its chunks ask for, each of thousands of times. */
import type { StateOf } from '../kinds/index.ts';
import type { CampaignRecord } from './record.ts';

export type CampaignOfChunk = Pick<
  CampaignRecord,
  | 'id'
  | 'state'
  | 'text'
  | 'from'
  | 'replaceCostly'
  | 'quietHours'
  | 'timezone'
  | 'perSecond'
  | 'paceAt'
  | 'requireSender'
  | 'extra'
  | 'chunks'
>;

/** In the order in which they are asked for, and read. */
export const CAMPAIGN_FIELDS = [
  'state',
  'text',
  'from',
  'replaceCostly',
  'quietHours',
  'timezone',
  'perSecond',
  'paceAt',
  'requireSender',
  'extra',
  'chunks',
] as const satisfies readonly (keyof CampaignOfChunk)[];

/** Throws when there is no such campaign: a chunk without one would be sent to nobody's text. */
export function campaignOfChunk(id: string, values: readonly (string | null)[]): CampaignOfChunk {
  const [state, text, from, replaceCostly, quietHours, timezone, perSecond, paceAt, requireSender, extra, chunks] =
    values;
  if (!state || typeof text !== 'string') throw new Error(`a chunk belongs to ${id}, a campaign that has no record`);
  return {
    id,
    state: state as StateOf<'campaign'>,
    text,
    ...(from ? { from } : {}),
    replaceCostly: replaceCostly === '1',
    ...(quietHours ? { quietHours } : {}),
    ...(timezone ? { timezone } : {}),
    ...(perSecond ? { perSecond: Number(perSecond) } : {}),
    paceAt: Number(paceAt ?? 0),
    requireSender: requireSender === '1',
    extra: Number(extra ?? 0),
    chunks: Number(chunks ?? 0),
  };
}

// Generated from ../rest-campaign.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface RestCampaignArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly due: string;
  readonly id: string;
  /** in which it was read */ readonly state: string;
  /** ms since the epoch: absent: not at all */ readonly dueAt?: number | undefined;
}

export type RestCampaignAnswer = boolean;

const read: lua.Read<RestCampaignAnswer> = lua.flag;

export const restCampaignScript = lua.defineScript('rest-campaign', `
-- <generated>
local campaign = KEYS[1]
local due = KEYS[2]
local id = ARGV[1]
local state = ARGV[2]
local dueAt = tonumber(ARGV[3])
-- </generated>
local stood, version = unpack(redis.call('HMGET', campaign, 'state', 'v'))
if stood ~= state or version ~= "1" then return 0 end
if dueAt then redis.call('ZADD', due, dueAt, id) else redis.call('ZREM', due, id) end
return 1
`);

/** Nothing is to be done for this campaign until later, or until it is switched. */
export async function restCampaign(redis: lua.ScriptHost, args: RestCampaignArgs): Promise<RestCampaignAnswer> {
  const keys = [args.campaign, args.due];
  const words: lua.Word[] = [args.id, args.state, args.dueAt ?? ''];
  return read(await lua.runScript(redis, restCampaignScript, keys, words));
}

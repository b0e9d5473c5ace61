// Generated from ../amend-campaign.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AmendCampaignArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** states in which nothing is changed any more */ readonly over: readonly string[];
  /** '' deletes the field */ readonly fields: Readonly<Record<string, string | number>>;
}

export type AmendCampaignAnswer =
  | { readonly is: 'applied'; readonly rev: number }
  | { readonly is: 'refused'; readonly state: string };

function read(value: unknown): AmendCampaignAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', rev: lua.number(answer[1]) };
    case 'refused':
      return { is: 'refused', state: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const amendCampaignScript = lua.defineScript('amend-campaign', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function contains(list, one)
  for _, other in ipairs(list) do
    if other == one then return true end
  end
  return false
end
local function refuse(what)
  error("UNREADABLE" .. ' ' .. what, 0)
end
local function whole(value, absent, what)
  if not value then
    if absent then return absent end
    refuse(what)
  end
  if #value > 16 or not string.find(value, '^%-?%d+$') then refuse(what) end
  return tonumber(value)
end
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local campaign = KEYS[1]
local due = KEYS[2]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local _arg, _key = 2, 2
local over = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do over[_i] = ARGV[_arg + _i] end
_arg = _arg + #over
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
local at = clock(now)
local state, version, rev = unpack(redis.call('HMGET', campaign, 'state', 'v', 'rev'))
if not state or contains(over, state) then return {'refused', state or ''} end
same_version(version)
whole(rev, 0, 'rev')
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if value == '' then redis.call('HDEL', campaign, name) else redis.call('HSET', campaign, name, value) end
  if name == 'perSecond' then redis.call('HDEL', campaign, 'paceAt') end
end
redis.call('HSET', campaign, 'updatedAt', at)
if state == 'running' or state == 'held' then redis.call('ZADD', due, at, id) end
return {'applied', redis.call('HINCRBY', campaign, 'rev', 1)}
`);

/** Changes how a campaign is sent, from the next chunk on. */
export async function amendCampaign(redis: lua.ScriptHost, args: AmendCampaignArgs): Promise<AmendCampaignAnswer> {
  const keys = [args.campaign, args.due];
  const words: lua.Word[] = [args.now ?? '', args.id, ...lua.counted(args.over), ...lua.pairs(args.fields)];
  return read(await lua.runScript(redis, amendCampaignScript, keys, words));
}

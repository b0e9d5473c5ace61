// Generated from ../switch-campaign.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface SwitchCampaignArgs {
  /** key */ readonly campaign: string;
  /** key */ readonly events: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly parked: string;
  /** key */ readonly dueChunks: string;
  /** key: the set of the state that it is to enter; what is over stands in none */ readonly entered?: string | undefined;
  /** key: the set of that state */ readonly scheduled: string;
  /** key: the sets of the states of `from` */ readonly left: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** the states that it may be left from */ readonly from: readonly string[];
  readonly to: string;
  readonly eventType?: string | undefined;
  readonly reason?: string | undefined;
  /** only if it is held for this reason */ readonly only?: string | undefined;
  /** ms: look again; absent: not */ readonly againInMs?: number | undefined;
}

export type SwitchCampaignAnswer =
  | { readonly is: 'applied'; readonly from: string; readonly rev: number; readonly to: string }
  | { readonly is: 'refused'; readonly state: string };

function read(value: unknown): SwitchCampaignAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', from: lua.text(answer[1]), rev: lua.number(answer[2]), to: lua.text(answer[3]) };
    case 'refused':
      return { is: 'refused', state: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const switchCampaignScript = lua.defineScript('switch-campaign', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
local function emit(record, e)
  local seq = redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  redis.call('XADD', e.stream, e.place or '*', 'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type,
    'data', e.data)
end
local function move(m)
  local from, to, xof = m.from, m.to, m.xof
  if from == to then return end
  if from then
    tally(m.counts, from, -1)
    if xof then tally(m.counts, 'xof:' .. from, -xof) end
    redis.call('ZREM', m.left, m.id)
  end
  tally(m.counts, to, 1)
  if xof then tally(m.counts, 'xof:' .. to, xof) end
  if m.entered then redis.call('ZADD', m.entered, m.at, m.id) end
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
local function _given(word) if word ~= '' then return word end end
local campaign = KEYS[1]
local events = KEYS[2]
local counts = KEYS[3]
local due = KEYS[4]
local parked = KEYS[5]
local dueChunks = KEYS[6]
local scheduled = KEYS[7]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local to = ARGV[3]
local eventType = _given(ARGV[4])
local reason = _given(ARGV[5])
local only = _given(ARGV[6])
local againInMs = tonumber(ARGV[7])
local _arg, _key = 7, 7
local entered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; entered = KEYS[_key] end
local left = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; left[_i] = KEYS[_key] end
local from = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do from[_i] = ARGV[_arg + _i] end
_arg = _arg + #from
-- </generated>
local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'account', 'reference', 'name', 'reason', 'sendAt', 'v', 'rev', 'seq',
  't:sent', 't:failed', 't:unknown', 't:queued', 't:held', 't:cancelled')
local state, account, reference, name, held_for, send_at, version = unpack(r, 1, 7)
local stood, set = nil, nil
for i, one in ipairs(from) do if one == state then stood, set = state, left[i] end end
if not stood or (only and held_for ~= only) then return {'refused', state or ''} end
same_version(version)
if not account then refuse('account') end
whole(send_at, 0, 'sendAt')
for i = 8, 15 do whole(r[i], 0, 'a count') end
if to == 'running' and send_at and tonumber(send_at) > at then to = 'scheduled'; entered = scheduled end
if stood == to then return {'applied', stood, tonumber(redis.call('HGET', campaign, 'rev')), to} end
redis.call('HSET', campaign, 'state', to, 'since', at, 'updatedAt', at)
if reason then redis.call('HSET', campaign, 'reason', reason) else redis.call('HDEL', campaign, 'reason') end
move({counts = counts, id = id, at = at, from = stood, to = to, left = set, entered = entered})
local function unpark()
  for _, chunk in ipairs(redis.call('SMEMBERS', parked)) do redis.call('ZADD', dueChunks, at, chunk) end
  redis.call('DEL', parked)
end
local function run()
  redis.call('HSETNX', campaign, 'startedAt', at)
  local sent, failed, unknown = tonumber(r[10] or '0'), tonumber(r[11] or '0'), tonumber(r[12] or '0')
  redis.call('HSET', campaign, 'judgedFailed', failed, 'judgedUnknown', unknown, 'judgedOver', sent + failed + unknown)
  if stood == 'held' and string.sub(held_for or '', 1, 7) == 'canary_' then redis.call('HSET', campaign, 'canaryOver', 1) end
  redis.call('ZADD', due, at, id)
  unpark()
end
if to == 'running' then run()
elseif to == 'scheduled' then redis.call('ZADD', due, send_at, id)
elseif againInMs then redis.call('ZADD', due, at + againInMs, id)
else redis.call('ZREM', due, id) end
if to == 'cancelled' then
  redis.call('HINCRBY', campaign, 't:cancelled', tonumber(r[13] or '0') + tonumber(r[14] or '0'))
  redis.call('HSET', campaign, 't:queued', 0, 't:held', 0)
  unpark()
end
if eventType then
  local data = {id = id, state = to, name = name, reason = reason}
  if reference then data.reference = reference end
  emit(campaign, {stream = events, counts = counts, id = id, at = at, account = account, type = eventType,
    data = cjson.encode(data)})
end
return {'applied', stood, redis.call('HINCRBY', campaign, 'rev', 1), to}
`);

/** Moves a campaign from one state to another. One that is to run and may not yet is `scheduled` instead, and starts by
 * itself when its time has come. */
export async function switchCampaign(redis: lua.ScriptHost, args: SwitchCampaignArgs): Promise<SwitchCampaignAnswer> {
  const keys = [args.campaign, args.events, args.counts, args.due, args.parked, args.dueChunks, args.scheduled, ...(args.entered === undefined ? [] : [args.entered]), ...args.left];
  const words: lua.Word[] = [args.now ?? '', args.id, args.to, args.eventType ?? '', args.reason ?? '', args.only ?? '', args.againInMs ?? '', args.entered === undefined ? 0 : 1, args.left.length, ...lua.counted(args.from)];
  return read(await lua.runScript(redis, switchCampaignScript, keys, words));
}
